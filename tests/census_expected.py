"""For each line of the census: a value of that shape, where it is found in the task, and its normal form."""

from __future__ import annotations

from census import Shape
from skyx_core.models import Amount
from skyx_core.task import Task
from skyx_core.task.accelerators import Accelerators
from skyx_core.task.infra import Location
from skyx_core.task.resources import AutostopRule, JobRecovery, ResourceEntry, Resources
from skyx_core.task.sections import GitWorkdir, Pool, Probe, ReplicaPolicy, Service, Storage, Tls

Row = tuple[object, str, object]
R, S, C, K = "resources", "service", "config", "config|kubernetes"
POD = f"{K}|pod_config|spec|containers|0"
PROBE = "service|readiness_probe"
POST = f"{PROBE}|post_data"
POLICY = "service|replica_policy"
M = "file_mounts|/path"
PCONF = "config.kubernetes.pod_config.spec.containers"
PP = "service.readiness_probe"
RP = "service.replica_policy"
H8 = Accelerators(choices=(("H100", 8.0),))


def accelerator_of(shape: Shape) -> Row | None:
    """``accelerators`` as a mapping: the keys are names with or without a number, the values nothing or a number."""
    key = shape.path.removeprefix("resources.accelerators.")
    if key == shape.path:
        return None
    name, _, number = key.partition(":")
    usual = {"A10g": "A10G", "A100-40GB": "A100"}.get(name, name)
    sample = 2 if shape.kind == "int" else None
    count = float(number or sample or 1)
    return sample, f"{R}|accelerators", Accelerators(choices=((usual, count),))


def same(path: str, value: object) -> Row:
    return value, path, value


EXPECTED: dict[str, Row] = {
    "{}:{}": ({"run": "x"}, "", Task(run="x")),
    "api_server_access:bool": same("api_server_access", True),
    "config:{}": same(C, {}),
    "config.azure:{}": same(f"{C}|azure", {}),
    "config.azure.remote_identity:str": same(f"{C}|azure|remote_identity", "LOCAL_CREDENTIALS"),
    "config.docker:{}": same(f"{C}|docker", {}),
    "config.docker.run_options:[]": same(f"{C}|docker|run_options", []),
    "config.docker.run_options[]:str": same(f"{C}|docker|run_options|0", "--ipc=host"),
    "config.gcp:{}": same(f"{C}|gcp", {}),
    "config.gcp.managed_instance_group:{}": same(f"{C}|gcp|managed_instance_group", {}),
    "config.gcp.managed_instance_group.provision_timeout:int": same(
        f"{C}|gcp|managed_instance_group|provision_timeout", 900
    ),
    "config.gcp.managed_instance_group.run_duration:int": same(f"{C}|gcp|managed_instance_group|run_duration", 3600),
    "config.kubernetes:{}": same(K, {}),
    "config.kubernetes.enable_docker:{}": same(f"{K}|enable_docker", {}),
    "config.kubernetes.enable_docker.cache_volume:str": same(f"{K}|enable_docker|cache_volume", "vol1"),
    "config.kubernetes.enable_docker.mode:str": same(f"{K}|enable_docker|mode", "ALL"),
    "config.kubernetes.enable_docker:bool": same(f"{K}|enable_docker", True),
    "config.kubernetes.enable_docker:str": same(f"{K}|enable_docker", "BUILD"),
    "config.kubernetes.pod_config:{}": same(f"{K}|pod_config", {}),
    "config.kubernetes.pod_config.spec:{}": same(f"{K}|pod_config|spec", {}),
    f"{PCONF}:[]": same(f"{K}|pod_config|spec|containers", []),
    f"{PCONF}[]:{{}}": same(POD, {}),
    f"{PCONF}[].name:str": same(f"{POD}|name", "ray-node"),
    f"{PCONF}[].resources:{{}}": same(f"{POD}|resources", {}),
    f"{PCONF}[].resources.limits:{{}}": same(f"{POD}|resources|limits", {}),
    f"{PCONF}[].resources.limits.ephemeral-storage:str": same(f"{POD}|resources|limits|ephemeral-storage", "200Mi"),
    f"{PCONF}[].resources.requests:{{}}": same(f"{POD}|resources|requests", {}),
    f"{PCONF}[].resources.requests.ephemeral-storage:str": same(f"{POD}|resources|requests|ephemeral-storage", "100Mi"),
    f"{PCONF}[].securityContext:{{}}": same(f"{POD}|securityContext", {}),
    f"{PCONF}[].securityContext.capabilities:{{}}": same(f"{POD}|securityContext|capabilities", {}),
    f"{PCONF}[].securityContext.capabilities.add:[]": same(f"{POD}|securityContext|capabilities|add", []),
    f"{PCONF}[].securityContext.capabilities.add[]:str": same(f"{POD}|securityContext|capabilities|add|0", "IPC_LOCK"),
    f"{PCONF}[].securityContext.runAsGroup:int": same(f"{POD}|securityContext|runAsGroup", 0),
    f"{PCONF}[].securityContext.runAsUser:int": same(f"{POD}|securityContext|runAsUser", 0),
    "config.kubernetes.remote_identity:str": same(f"{K}|remote_identity", "NO_UPLOAD"),
    "envs:{}": same("envs", {}),
    "envs.<name>:NoneType": same("envs|NAME", None),
    "envs.<name>:int": (7, "envs|NAME", "7"),
    "envs.<name>:str": same("envs|NAME", "a b"),
    "file_mounts:{}": same("file_mounts", {}),
    "file_mounts.<name>:dict": ({"mode": "copy"}, "file_mounts|NAME", Storage(mode="COPY")),
    "file_mounts.<name>:str": same("file_mounts|NAME", "~/data"),
    "file_mounts.<path>:{}": ({}, M, Storage()),
    "file_mounts.<path>.mode:str": same(f"{M}|mode", "MOUNT_CACHED"),
    "file_mounts.<path>.name:NoneType": same(f"{M}|name", None),
    "file_mounts.<path>.name:str": same(f"{M}|name", "$BUCKET"),
    "file_mounts.<path>.persistent:bool": same(f"{M}|persistent", False),
    "file_mounts.<path>.source:[]": ([], f"{M}|source", ()),
    "file_mounts.<path>.source:str": ("s3://bucket", f"{M}|source", ("s3://bucket",)),
    "file_mounts.<path>.source[]:str": ("~/a", f"{M}|source", ("~/a",)),
    "file_mounts.<path>.store:str": ("S3", f"{M}|store", "s3"),
    "inputs:{}": same("inputs", {}),
    "inputs.gs://cloud-tpu-test-dataset/fake_imagenet:int": (
        70,
        "inputs|gs://cloud-tpu-test-dataset/fake_imagenet",
        70.0,
    ),
    "name:str": same("name", "resnet-distributed-app"),
    "num_nodes:int": same("num_nodes", 16),
    "outputs:{}": same("outputs", {}),
    "outputs.resnet-model-dir:float": same("outputs|resnet-model-dir", 0.1),
    "pool:{}": ({}, "pool", Pool()),
    "pool.workers:int": same("pool|workers", 3),
    "resources:{}": ({}, R, Resources()),
    "resources.accelerator_args:{}": same(f"{R}|accelerator_args", {}),
    "resources.accelerator_args.<name>:bool": same(f"{R}|accelerator_args|NAME", True),
    "resources.accelerator_args.<name>:str": same(f"{R}|accelerator_args|NAME", "v2-alpha"),
    "resources.accelerators:[]": (
        ["T4", "v100:2"],
        f"{R}|accelerators",
        Accelerators(choices=(("T4", 1.0), ("V100", 2.0)), ordered=True),
    ),
    "resources.accelerators:{}": (
        {"h100:8": None, "A10g": 1},
        f"{R}|accelerators",
        Accelerators(choices=(("H100", 8.0), ("A10G", 1.0))),
    ),
    "resources.accelerators:str": ("h100:8", f"{R}|accelerators", H8),
    "resources.accelerators[]:str": ("A100-40GB:1", f"{R}|accelerators", Accelerators(choices=(("A100", 1.0),))),
    "resources.any_of:[]": ([], f"{R}|any_of", ()),
    "resources.any_of[]:{}": ({}, f"{R}|any_of|0", ResourceEntry()),
    "resources.any_of[].accelerators:str": ("H100:8", f"{R}|any_of|0|accelerators", H8),
    "resources.any_of[].image_id:NoneType": same(f"{R}|any_of|0|image_id", None),
    "resources.any_of[].infra:str": (
        "gcp/*/us-central1-a",
        f"{R}|any_of|0|infra",
        Location(cloud="gcp", zone="us-central1-a"),
    ),
    "resources.any_of[].use_spot:bool": same(f"{R}|any_of|0|use_spot", True),
    "resources.autostop:{}": ({}, f"{R}|autostop", AutostopRule(idle_minutes=5)),
    "resources.autostop.idle_minutes:int": same(f"{R}|autostop|idle_minutes", 2),
    "resources.cloud:str": ("Kubernetes", f"{R}|cloud", "kubernetes"),
    "resources.cpus:int": (2, f"{R}|cpus", Amount(value=2)),
    "resources.cpus:str": ("0.1+", f"{R}|cpus", Amount(value=0.1, plus=True)),
    "resources.disk_size:int": same(f"{R}|disk_size", 512),
    "resources.disk_size:str": ("1024GB", f"{R}|disk_size", 1024),
    "resources.disk_tier:str": ("BEST", f"{R}|disk_tier", "best"),
    "resources.gpus:str": ("H100:8", f"{R}|accelerators", H8),
    "resources.image_id:{}": ({"r1": "a", "r2": "b"}, f"{R}|image_id", {"r1": "a", "r2": "b"}),
    "resources.image_id.us-central1:str": same(f"{R}|image_id|us-central1", "skypilot:cpu-debian-10"),
    "resources.image_id.us-east-1:str": same(f"{R}|image_id|us-east-1", "skypilot:gpu-ubuntu-1804"),
    "resources.image_id.us-west-2:str": same(f"{R}|image_id|us-west-2", "skypilot:gpu-ubuntu-2004"),
    "resources.image_id.us-west3:str": same(f"{R}|image_id|us-west3", "projects/p/global/images/ubuntu-v2"),
    "resources.image_id:str": same(f"{R}|image_id", "docker:nvcr.io/nvidia/pytorch:24.07-py3"),
    "resources.infra:str": (
        "aws/us-east-2/us-east-2a",
        f"{R}|infra",
        Location(cloud="aws", region="us-east-2", zone="us-east-2a"),
    ),
    "resources.instance_type:str": same(f"{R}|instance_type", "VM.Standard.E4.Flex$_2_16"),
    "resources.job_recovery:{}": ({}, f"{R}|job_recovery", JobRecovery()),
    "resources.job_recovery.max_restarts_on_errors:int": same(f"{R}|job_recovery|max_restarts_on_errors", 1),
    "resources.job_recovery:str": ("FAILOVER", f"{R}|job_recovery", JobRecovery(strategy="failover")),
    "resources.labels:{}": same(f"{R}|labels", {}),
    "resources.labels.<name>:str": same(f"{R}|labels|NAME", "v"),
    "resources.memory:str": ("32+", f"{R}|memory", Amount(value=32, plus=True)),
    "resources.network_tier:str": same(f"{R}|network_tier", "best"),
    "resources.ordered:[]": ([], f"{R}|ordered", ()),
    "resources.ordered[]:{}": ({}, f"{R}|ordered|0", ResourceEntry()),
    "resources.ordered[].accelerators:str": (
        "A10g",
        f"{R}|ordered|0|accelerators",
        Accelerators(choices=(("A10G", 1.0),)),
    ),
    "resources.ordered[].infra:str": ("lambda", f"{R}|ordered|0|infra", Location(cloud="lambda")),
    "resources.ordered[].instance_type:str": same(f"{R}|ordered|0|instance_type", "gpu_1x_a100_sxm4"),
    "resources.ports:[]": ([9000, "8000-8100", 8080], f"{R}|ports", ("8000-8100", "9000")),
    "resources.ports:int": (8080, f"{R}|ports", ("8080",)),
    "resources.ports[]:int": (8501, f"{R}|ports", ("8501",)),
    "resources.region:str": same(f"{R}|region", "us-central1"),
    "resources.spot_recovery:str": ("FAILOVER", f"{R}|job_recovery", JobRecovery(strategy="failover")),
    "resources.use_spot:bool": same(f"{R}|use_spot", True),
    "run:str": same("run", "echo a\necho b\n"),
    "secrets:{}": same("secrets", {}),
    "secrets.<name>:NoneType": same("secrets|NAME", None),
    "secrets.<name>:str": same("secrets|NAME", "s"),
    "service:{}": ({}, S, Service()),
    "service.load_balancing_policy:str": same(f"{S}|load_balancing_policy", "round_robin"),
    f"{PP}:{{}}": ({}, PROBE, Probe(path="/")),
    f"{PP}.headers:{{}}": same(f"{PROBE}|headers", {}),
    f"{PP}.headers.Authorization:str": same(f"{PROBE}|headers|Authorization", "Bearer $AUTH_TOKEN"),
    f"{PP}.initial_delay_seconds:int": (1200, f"{PROBE}|initial_delay_seconds", 1200.0),
    f"{PP}.path:str": same(f"{PROBE}|path", "/v1/models"),
    f"{PP}.post_data:{{}}": same(POST, {}),
    f"{PP}.post_data.input:{{}}": same(f"{POST}|input", {}),
    f"{PP}.post_data.input.image:str": same(f"{POST}|input|image", "https://example.org/a.png"),
    f"{PP}.post_data.max_tokens:int": same(f"{POST}|max_tokens", 10),
    f"{PP}.post_data.messages:[]": same(f"{POST}|messages", []),
    f"{PP}.post_data.messages[]:{{}}": same(f"{POST}|messages|0", {}),
    f"{PP}.post_data.messages[].content:[]": same(f"{POST}|messages|0|content", []),
    f"{PP}.post_data.messages[].content:str": same(f"{POST}|messages|0|content", "What is 2+2?"),
    f"{PP}.post_data.messages[].content[]:{{}}": same(f"{POST}|messages|0|content|0", {}),
    f"{PP}.post_data.messages[].content[].text:str": same(f"{POST}|messages|0|content|0|text", "Are you alive?"),
    f"{PP}.post_data.messages[].content[].type:str": same(f"{POST}|messages|0|content|0|type", "text"),
    f"{PP}.post_data.messages[].role:str": same(f"{POST}|messages|0|role", "user"),
    f"{PP}.post_data.model:str": same(f"{POST}|model", "$MODEL_NAME"),
    f"{PP}.post_data.prompt:str": same(f"{POST}|prompt", "def hello_world():"),
    f"{PP}:str": ("/health", PROBE, Probe(path="/health")),
    f"{RP}:{{}}": ({}, POLICY, ReplicaPolicy()),
    f"{RP}.base_ondemand_fallback_replicas:int": same(f"{POLICY}|base_ondemand_fallback_replicas", 1),
    f"{RP}.downscale_delay_seconds:int": (600, f"{POLICY}|downscale_delay_seconds", 600.0),
    f"{RP}.dynamic_ondemand_fallback:bool": same(f"{POLICY}|dynamic_ondemand_fallback", True),
    f"{RP}.max_replicas:int": same(f"{POLICY}|max_replicas", 3),
    f"{RP}.min_replicas:int": same(f"{POLICY}|min_replicas", 0),
    f"{RP}.target_qps_per_replica:{{}}": (
        {"A100:1": 2, "L4": 0.5},
        f"{POLICY}|target_qps_per_replica",
        {"A100:1": 2.0, "L4": 0.5},
    ),
    f"{RP}.target_qps_per_replica.A100:1:float": same(f"{POLICY}|target_qps_per_replica|A100:1", 2.5),
    f"{RP}.target_qps_per_replica.A10:1:float": same(f"{POLICY}|target_qps_per_replica|A10:1", 2.5),
    f"{RP}.target_qps_per_replica.H100:1:float": same(f"{POLICY}|target_qps_per_replica|H100:1", 2.5),
    f"{RP}.target_qps_per_replica:float": same(f"{POLICY}|target_qps_per_replica", 5.0),
    f"{RP}.target_qps_per_replica:int": (5, f"{POLICY}|target_qps_per_replica", 5.0),
    f"{RP}.upscale_delay_seconds:int": (300, f"{POLICY}|upscale_delay_seconds", 300.0),
    "service.replicas:int": same(f"{S}|replicas", 2),
    "service.tls:{}": ({}, f"{S}|tls", Tls(keyfile="k", certfile="c")),
    "service.tls.certfile:str": same(f"{S}|tls|certfile", "$TLS_CERTFILE_ENV_VAR"),
    "service.tls.keyfile:str": same(f"{S}|tls|keyfile", "$TLS_KEYFILE_ENV_VAR"),
    "setup:str": same("setup", "pip install x\n"),
    "volumes:{}": same("volumes", {}),
    "volumes.<name>:dict": same("volumes|NAME", {"size": "10Gi"}),
    "volumes.<name>:str": same("volumes|NAME", "my-volume"),
    "workdir:{}": ({}, "workdir", GitWorkdir(url="https://example.org/r.git")),
    "workdir.ref:str": same("workdir|ref", "main"),
    "workdir.url:str": same("workdir|url", "https://example.org/x.git"),
    "workdir:str": same("workdir", "~/torch_examples"),
}
