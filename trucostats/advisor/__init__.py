"""Advice on one decision: the position it is asked for, and what people did in such a spot."""
