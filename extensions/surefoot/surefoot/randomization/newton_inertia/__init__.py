"""What follows from masses, inertia and contact parameters in Newton, for the worlds that changed alone."""
