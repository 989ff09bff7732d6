"""Simulated clouds."""
