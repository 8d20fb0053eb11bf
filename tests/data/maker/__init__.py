"""The parts of make_fixtures.py."""
