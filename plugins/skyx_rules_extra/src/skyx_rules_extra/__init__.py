"""What the errors of clouds mean, one table per cloud."""
