"""Importers: foreign logs of real play, turned into the notation."""
