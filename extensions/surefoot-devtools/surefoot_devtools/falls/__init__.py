"""Whether robots fall when a safety rule stops them: a fault for each rule, in many walks at once."""
