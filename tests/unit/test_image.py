"""The container's files agree with each other, with the packages and with the pinned CUDA."""

import os
import re
import tomllib
from pathlib import Path

import pytest
import yaml

from surefoot import cli
from surefoot.commands import train
from surefoot_bridge import containers


@pytest.fixture(scope="module")
def root(request) -> Path:
    return request.config.rootpath


@pytest.fixture(scope="module")
def dockerfile(root) -> str:
    return (root / "docker/Dockerfile").read_text()


@pytest.fixture(scope="module")
def stages(dockerfile) -> dict[str, str]:
    """What is done in each stage, by its name."""
    found = re.split(r"^FROM (\S+) AS (\S+)$", dockerfile, flags=re.MULTILINE)
    assert set(found[1::3]) == {"${BASE}", "python"}  # so that one build argument pins all
    return dict(zip(found[2::3], found[3::3], strict=True))


@pytest.fixture(scope="module")
def readme(root) -> str:
    return (root / "docker/README.md").read_text()


@pytest.fixture(scope="module")
def compose(root) -> dict:
    return yaml.safe_load((root / "docker/compose.yaml").read_text())


def test_the_base_image_has_the_cuda_that_torchs_packages_bring(root, dockerfile):
    base = re.search(r"^ARG BASE=nvidia/cuda:(\d+\.\d+)\.\d+-base-ubuntu24\.04$", dockerfile, re.MULTILINE)
    runtime = re.search(r"^nvidia-cuda-runtime==(\d+\.\d+)\.", (root / "constraints.txt").read_text(), re.MULTILINE)
    assert base
    assert runtime
    assert base[1] == runtime[1] == "13.0"


def test_compose_and_dockerfile_name_the_same_base(dockerfile, compose):
    default = re.search(r"^ARG BASE=(\S+)$", dockerfile, re.MULTILINE)
    assert default
    for service in compose["services"].values():
        assert service["build"]["args"]["BASE"] == f"${{BASE:-{default[1]}}}"


def test_every_package_and_every_file_that_the_project_names_is_sent_to_the_builder(root):
    project = tomllib.loads((root / "pyproject.toml").read_text())
    packages = project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    files = [project["project"]["readme"], *project["project"]["license-files"], "pyproject.toml", "constraints.txt"]
    allowed = {line[1:] for line in (root / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    assert {path.split("/")[0] for path in packages} | set(files) <= allowed
    assert all((root / name).exists() for name in allowed)


def test_runs_and_caches_live_on_volumes_that_the_image_declares(stages, compose):
    volumes = re.search(r"^VOLUME \[(.*)\]$", stages["surefoot"], re.MULTILINE)
    assert volumes
    declared = re.findall(r'"([^"]+)"', volumes[1])
    assert declared == ["/workspace/runs", "/cache"]
    for service in compose["services"].values():
        assert [volume.rsplit(":", 1)[1] for volume in service["volumes"]] == declared


def test_the_images_run_as_nobody_special_and_hold_no_key(stages, dockerfile, compose):
    for name in ("surefoot", "bridge"):
        assert re.findall(r"^USER (\S+)$", stages[name], re.MULTILINE) == ["10001"]
    assert list(stages)[-1] == "surefoot"  # what is built unless another is asked for
    assert "WANDB" not in dockerfile
    for service in compose["services"].values():
        assert service["environment"]["WANDB_API_KEY"] is None  # handed through from the caller's shell


def test_a_service_with_a_gpu_draws_by_it_and_one_without_reserves_none(stages, compose):
    services = compose["services"]
    assert services["train"]["entrypoint"] == ["surefoot", "train"]
    assert "entrypoint" not in services["gpu"]
    for name in ("train", "gpu"):
        (device,) = services[name]["deploy"]["resources"]["reservations"]["devices"]
        assert device["driver"] == "nvidia"
        assert set(device["capabilities"]) == {"gpu", "compute", "graphics", "utility"}
    assert "deploy" not in services["cpu"]
    assert re.search(r"NVIDIA_DRIVER_CAPABILITIES=compute,graphics,utility$", stages["surefoot"], re.MULTILINE)
    assert "libegl1 " in stages["surefoot"]
    assert all(service["environment"]["MUJOCO_GL"] is None for service in services.values())


def test_the_bridge_is_built_from_pinned_packages_without_a_step_for_one_processor(root, stages):
    stage = stages["bridge"]
    extras = re.search(r"\.whl\)\[([\w,]+)\]", stage)
    assert extras
    project = tomllib.loads((root / "extensions/surefoot-bridge/pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"], *(d for e in extras[1].split(",") for d in project["optional-dependencies"][e])]
    names = {re.split(r"[<>=;\[ ]", requirement)[0] for requirement in wanted}
    assert names.isdisjoint({"torch", "mujoco"})
    pinned = {line.split("==")[0] for line in (root / "constraints.txt").read_text().splitlines()}
    assert names <= pinned
    assert "--constraint /opt/constraints.txt" in stage
    steps = "".join(
        line for line in (stages["python"] + stages["bridge-wheel"] + stage).splitlines() if not line.startswith("#")
    )
    assert not re.search(r"amd64|x86|arm64|aarch64|https?:", steps)
    assert 'ENTRYPOINT ["surefoot-bridge"]' in stage


def test_the_bridges_command_has_the_network_and_the_rights_that_its_processes_ask_for(readme, stages):
    command = re.search(r"docker run (?:.*\\\n)+.*--stage tethered.*", readme)
    assert command
    assert "--network host" in command[0]
    assert "--init" not in command[0]  # which would end the guardian with its bridge
    assert int(re.search(r"--ulimit rtprio=(\d+)", command[0])[1]) >= os.sched_get_priority_max(os.SCHED_FIFO)
    assert "--ulimit memlock=-1" in command[0]
    (home,) = re.findall(r'^VOLUME \["(.*)"\]$', stages["bridge"], re.MULTILINE)  # logs, and the key that seals them
    assert f":{home} " in command[0]
    assert f"WORKDIR {home}\n" in stages["bridge"]


def test_the_command_that_pins_the_base_names_it_as_the_dockerfile_does(dockerfile, readme):
    base = re.search(r"^ARG BASE=(\S+)$", dockerfile, re.MULTILINE)
    assert base
    assert f"docker pull {base[1]}\n" in readme
    assert f"BASE=$(docker image inspect --format '{{{{index .RepoDigests 0}}}}' {base[1]}) \\\n" in readme


def test_training_begins_with_what_keeps_a_run_that_goes_with_its_container(tmp_path, monkeypatch, capsys):
    mounts = tmp_path / "mountinfo"
    mounts.write_text("612 480 0:45 / / rw,relatime - overlay overlay rw,lowerdir=/a,upperdir=/b,workdir=/c\n")
    monkeypatch.setattr(containers, "_CONTAINER_MARKS", (tmp_path,))
    monkeypatch.setattr(containers, "_MOUNTS", mounts)
    monkeypatch.setattr(train, "_train", lambda *plan: 0)
    options = ("--device", "cpu", "--num-envs", "64", "--processes", "1", "--output", str(tmp_path / "runs"))
    assert cli.main(["train", "--task", "Surefoot-Velocity-Flat-Go2", *options]) == 0
    assert capsys.readouterr().err.startswith(f"Note: {tmp_path}/runs is this container's own and is deleted with it")
