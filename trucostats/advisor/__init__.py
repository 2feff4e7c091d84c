"""Deciding well: what a position or a score asks for, and what a log says about it."""
