"""Berkeley Humanoid: two legs with 12 actuated joints."""
