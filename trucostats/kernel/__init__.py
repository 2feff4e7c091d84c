"""The rules engine: the only place that knows how truco is played."""
