"""The report of an evaluation: one page in one file, for a browser or a printer, without anything from outside."""
