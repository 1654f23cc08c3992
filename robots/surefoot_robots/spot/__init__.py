"""Boston Dynamics Spot: quadruped with 12 actuated joints."""
