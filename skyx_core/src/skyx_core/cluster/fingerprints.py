"""What stands for the credentials and the configuration of a cloud, without giving any of it away."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from skyx_core.errors import CloudError, PluginError
from skyx_core.models import Block

if TYPE_CHECKING:
    from skyx_core.cluster.cloud import Cloud
    from skyx_core.settings import Settings

_LIMIT_S = 5.0  # a look at local files


def account_fingerprint(cloud: Cloud, settings: Settings) -> str:
    """16 hex digits that change when the credentials or the settings of the cloud do. Never raises: a driver that
    can't tell is warned about, and only the settings count then.
    """
    parts = [cloud.name, settings.cloud(cloud.name), _of_credentials(cloud)]
    text = json.dumps(parts, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _of_credentials(cloud: Cloud) -> str:
    try:
        return cloud.call("fingerprint", cloud.driver.fingerprint, expected=str, limit=_LIMIT_S)
    except (CloudError, PluginError) as error:
        cloud.warn(f"whether the credentials of {cloud.name} have changed can't be told: {error}")
        return ""


def holds(block: Block, fingerprints: Mapping[str, str]) -> bool:
    """Whether what the block was met with is still in use, as far as is known."""
    if not block.fingerprint or block.key.cloud is None:
        return True
    return fingerprints.get(block.key.cloud, block.fingerprint) == block.fingerprint
