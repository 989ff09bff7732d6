"""Other spellings of one thing. Data only: the one place where outside names are listed."""

from __future__ import annotations

CLOUDS = {"k8s": "kubernetes"}

# Here the part after the first slash of ``infra`` is one name, a context, and may hold slashes itself.
CONTEXT_CLOUDS = frozenset({"kubernetes"})

FIELDS = {"gpus": "accelerators", "spot_recovery": "job_recovery"}

# Accelerators: usual names, and the memory in GB that goes without saying, because it is the only one or that of the
# first model; another amount stays in the name (A100-80GB, V100-32GB). From the vendors' data sheets: NVIDIA, AMD,
# Intel, AWS (as of November 2026). Names are those that task files in this field use.
_MEMORY = """
A2=16 A2000=6,12
A10=24 A10G=24 A16=16,64 A30=24 A40=48 A100=40 A800=80 A4000=16 A4500=20 A5000=24 A6000=48 B100=192 B200=180,192
B300=270,288 GB200=186,192 GB300=279,288 GH200=96 H20=96 H100=80 H100-MEGA=80 H200=141 H800=80 K80=12 L4=24 L40=48
L40S=48 M4000=8 M60=8 P4=8 P40=24 P100=16 P4000=8 P5000=16 P6000=24 RTX2080=8 RTX2080Ti=11 RTX3060=12 RTX3070=8
RTX3080=10 RTX3080Ti=12 RTX3090=24 RTX3090Ti=24 RTX4000=8 RTX4000-Ada=20 RTX4070=12 RTX4070Ti=12 RTX4080=16 RTX4090=24
RTX5000=16 RTX5000-Ada=32 RTX5080=16 RTX5090=32 RTX6000=24 RTX6000-Ada=48 RTX8000=48 RTXPRO6000=96 T4=16 T4g=16 V100=16
MI25=16 MI50=16 MI100=32 MI210=64 MI250=128 MI250X=128 MI300A=128 MI300X=192 MI325X=256 MI350X=288 MI355X=288
Radeon-MI25=16 Gaudi=32 Gaudi2=96 Gaudi3=128 Inferentia=8 Inferentia2=32 Trainium=32 Trainium2=96 Trainium3=144
A100-SXM=40 A100-80GB-SXM= H100-SXM=80 H100-NVL=94 H200-SXM=141 H200-NVL=141
"""
MEMORY_GB = {
    name: frozenset(map(int, filter(None, sizes.split(","))))
    for name, _, sizes in (pair.partition("=") for pair in _MEMORY.split())
}
# Other names of the same thing, lower case without separators.
ACCELERATORS = {
    "inf1": "Inferentia",
    "inf2": "Inferentia2",
    "trn1": "Trainium",
    "trn2": "Trainium2",
    "trn3": "Trainium3",
    "trainium1": "Trainium",
    "inferentia1": "Inferentia",
    "gaudi1": "Gaudi",
    "a100sxm": "A100-SXM",
    "rtxa2000": "A2000",
    "rtxa4000": "A4000",
    "rtxa4500": "A4500",
    "rtxa5000": "A5000",
    "rtxa6000": "A6000",
    "6000ada": "RTX6000-Ada",
}
# Words that say who makes it or how it is built in, which doesn't tell one from another.
_MAKERS = "nvidia amd intel habana aws amazon google tesla quadro geforce instinct"
ACCELERATOR_MAKERS = frozenset(_MAKERS.split())
_WORDS = (
    "pcie sxm2 sxm3 sxm4 sxm5 sxm6 oam hbm2 hbm2e hbm3 hbm3e gddr6 gddr6x gddr7 gpu gpus tensor core accelerator "
    "generation server workstation edition blackwell"
)
ACCELERATOR_WORDS = frozenset(_WORDS.split())
TPU_VERSIONS = {"v5e": "v5litepod", "v5lite": "v5litepod"}

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
