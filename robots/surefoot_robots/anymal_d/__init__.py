"""ANYbotics ANYmal-D: quadruped with 12 actuated joints."""
