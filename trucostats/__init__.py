"""Truco game records: a notation, a replay engine, tables and statistics."""
