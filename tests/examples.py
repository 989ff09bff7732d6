"""How many examples a property is tried with."""

from hypothesis import HealthCheck, settings

from depth import depth, is_full


def examples(normal: int, full: int) -> settings:
    """So many: always the same ones in ``make test``, so that it passes or fails alike; new ones at full depth."""
    quiet = [HealthCheck.too_slow]
    return settings(
        max_examples=depth(normal, full), deadline=None, derandomize=not is_full(), suppress_health_check=quiet
    )
