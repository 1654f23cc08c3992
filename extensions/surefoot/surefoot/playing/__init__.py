"""Running a trained policy: figures over many episodes, a video without a display, a live page in the browser."""
