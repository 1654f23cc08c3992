"""What came of a verification, and the file that keeps it."""
