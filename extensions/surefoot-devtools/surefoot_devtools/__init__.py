"""What proves Surefoot and is not part of it: fault injection, mutation, benchmarks and the check of the kernels."""
