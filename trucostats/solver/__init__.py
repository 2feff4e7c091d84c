"""The workshop: truco as a game between two hands nobody has seen, solved on the public tree that the kernel grows."""
