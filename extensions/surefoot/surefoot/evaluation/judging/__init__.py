"""What follows from the results: the gate's verdict, red flags, differences of engines and of evaluations."""
