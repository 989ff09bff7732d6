"""A command of the command line."""

import click


@click.command()
def hello() -> None:
    """Say hello."""
    click.echo("hello")
