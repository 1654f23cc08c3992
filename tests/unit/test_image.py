"""The container's files agree with each other, with the packages and with the pinned CUDA."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml


@pytest.fixture(scope="module")
def root(request) -> Path:
    return request.config.rootpath


@pytest.fixture(scope="module")
def dockerfile(root) -> str:
    return (root / "docker/Dockerfile").read_text()


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


def test_runs_and_caches_live_on_volumes_that_the_image_declares(dockerfile, compose):
    volumes = re.search(r"^VOLUME \[(.*)\]$", dockerfile, re.MULTILINE)
    assert volumes
    declared = re.findall(r'"([^"]+)"', volumes[1])
    assert declared == ["/workspace/runs", "/cache"]
    for service in compose["services"].values():
        assert [volume.rsplit(":", 1)[1] for volume in service["volumes"]] == declared


def test_the_image_runs_as_nobody_special_and_holds_no_key(dockerfile, compose):
    stage = dockerfile[dockerfile.rindex("\nFROM ") :]
    assert re.findall(r"^USER (\S+)$", stage, re.MULTILINE) == ["surefoot"]
    assert "WANDB" not in dockerfile
    for service in compose["services"].values():
        assert service["environment"]["WANDB_API_KEY"] is None  # handed through from the caller's shell


def test_only_the_training_service_reserves_a_gpu(compose):
    train, cpu = compose["services"]["train"], compose["services"]["cpu"]
    assert train["entrypoint"] == ["surefoot", "train"]
    (device,) = train["deploy"]["resources"]["reservations"]["devices"]
    assert (device["driver"], device["capabilities"]) == ("nvidia", ["gpu"])
    assert "deploy" not in cpu
