"""Agility Robotics Cassie: two legs, modelled with 12 actuated joints."""
