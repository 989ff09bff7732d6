"""Words of this cloud."""

REGION = "local"
ANOTHER_CLOUD = "name another cloud with --infra"
