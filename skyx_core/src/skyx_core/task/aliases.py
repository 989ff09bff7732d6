"""Other spellings of one thing. Data only: the one place where outside names are listed."""

from __future__ import annotations

CLOUDS = {"k8s": "kubernetes"}

# Here the part after the first slash of ``infra`` is one name, a context, and may hold slashes itself.
CONTEXT_CLOUDS = frozenset({"kubernetes"})

FIELDS = {"gpus": "accelerators", "spot_recovery": "job_recovery"}

ACCELERATORS = {"a100-40gb": "A100", "l40-s": "L40S", "trn1": "Trainium", "inf2": "Inferentia2"}

_SPELLINGS = (
    "A10 A10G A16 A30 A40 A100 A100-80GB A100-80GB-SXM A4000 A4500 A5000 A6000 B100 B200 B300 GB200 GB300 Gaudi Gaudi2 "
    "Gaudi3 GH200 H100 H100-80GB H100-MEGA H100-SXM H20 H200 H200-SXM Inferentia Inferentia2 K80 L4 L40 L40S M4000 M60 "
    "MI100 MI210 MI250 MI300X MI325X MI355X P100 P4 P4000 P5000 P6000 Radeon-MI25 RTX3060 RTX3070 RTX3080 RTX3090 "
    "RTX4000-Ada RTX4090 RTX5000 RTX5090 RTX6000 RTX6000-Ada RTXPRO6000 T4 T4g Trainium Trainium2 V100 V100-32GB"
)
SPELLING = {name.lower(): name for name in _SPELLINGS.split()}

_CLOUD_SETTINGS = (
    "remote_identity pod_config enable_docker managed_instance_group provision_timeout labels vpc_name "
    "security_group_name ssh_proxy_command use_internal_ips disk_encrypted specific_reservations networking ports "
    "autoscaler custom_metadata allowed_contexts fuse namespace service_account capabilities post_provision_runcmd "
    "set_pod_resource_limits kueue dws"
)

# Settings known under ``config.<section>``. Sections and settings that are not here stay free; only a near miss of a
# known name is taken for a mistake.
CONFIG: dict[str, frozenset[str]] = {
    "": frozenset({"docker", "kubernetes", "nvidia_gpus"}),
    "docker": frozenset({"run_options"}),
    "*": frozenset(_CLOUD_SETTINGS.split()),
    "*.managed_instance_group": frozenset({"run_duration", "provision_timeout"}),
    "*.enable_docker": frozenset({"mode", "cache_volume"}),
    "*.pod_config": frozenset({"metadata", "spec", "apiVersion", "kind"}),
}
