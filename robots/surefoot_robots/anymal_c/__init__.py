"""ANYbotics ANYmal-C: quadruped with 12 actuated joints."""
