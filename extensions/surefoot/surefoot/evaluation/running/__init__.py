"""Running a suite: workers, what they are asked and answer, what is kept, and how far it is."""
