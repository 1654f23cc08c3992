"""Terms that are Warp functions of one robot, and Isaac Lab's managers with one kernel for all of them."""
