"""The documentation: its commands are those that there are, its links lead somewhere, its refusals are the source's."""

import re
import runpy
import subprocess
import sys
from dataclasses import fields

import pytest
from tests.unit.docs_commands import ENTRY_POINTS, OF_ONES_OWN, PAGES, ROOT, DocsCommand, commands, commands_of, parse

from surefoot.task_registry import task_ids

GO2 = "Surefoot-Velocity-Flat-Go2"
ROUGH = "Surefoot-Velocity-Rough-Go2"
BUNDLE = f"tasks/surefoot_tasks/velocity/bundles/{GO2}"

RUN_HERE = {
    "surefoot --version",
    "surefoot tasks list",
    "surefoot robots list",
    f"surefoot randomization show {GO2} --randomization standard",
    "surefoot-bridge check bundle",
    "surefoot-bridge run bundle --robot mujoco --stage tethered --operator script:walk.txt --simulated-clock "
    "--acknowledge ready",
}
"""Commands that are run as they stand."""

RUN_ELSEWHERE = {
    "surefoot train": "test_train_command.py",
    "surefoot distill": "test_distillation.py",
    "surefoot new": "test_pages.py",
    "surefoot play": "test_play.py",
    "surefoot export": "test_export.py",
    "surefoot verify": "test_evaluation_processes.py",
    "surefoot replay": "test_evaluation_replay_command.py",
    "surefoot compare": "test_evaluation_compare.py",
    "surefoot robots": "test_robot_checks.py",
    "surefoot randomization": "test_randomization_prove.py",
    "surefoot terrain": "test_commands_terrain.py",
    "surefoot-bridge check": "test_command_line.py",
    "surefoot-bridge run": "test_run_command.py",
    "surefoot-bridge emulate": "test_emulator_command.py",
    "surefoot-bridge guardian": "test_guardian_command.py",
    "surefoot-bridge stages": "test_stage_verdict.py",
    "surefoot-bridge log": "test_command_line.py",
    "surefoot-bridge key": "test_command_line.py",
    "python scripts/benchmark.py": "test_benchmarking.py",
    "python scripts/inject_faults.py": "test_faults.py",
    "python scripts/judge_recovery.py": "test_evaluation_recovery.py",
    "python scripts/on_gpu.py": "test_on_gpu.py",
    "python scripts/mutate_contract.py": "test_mutation_contract.py",
    "python scripts/mutate_randomization.py": "test_mutation.py",
    "make bootstrap": "test_bootstrap.py",
}
"""Commands that other tests run with options and folders of their own, by the file of these tests."""

ALL = commands()
PARSED = [command for command in ALL if command.program in ENTRY_POINTS or command.program.startswith("python")]


def shown(command: DocsCommand) -> str:
    return " ".join((command.program, *command.words))


def test_every_page_of_commands_is_read():
    assert {page.name for page in PAGES} >= {"README.md", "quickstart.md", "train.md", "deploy.md", "transports.md"}
    assert len(ALL) > 100
    text = "    surefoot tasks list   # all\n\nIt is `make docs`.\n\n```sh\nsurefoot-bridge log info L\n```\n"
    assert [shown(found) for found in commands_of(text, PAGES[0])] == [
        "surefoot tasks list",
        "surefoot-bridge log info L",
        "make docs",
    ]


@pytest.mark.parametrize("command", dict.fromkeys(PARSED), ids=str)
def test_each_command_parses_with_all_its_options(command):
    if command.program.endswith("proofs.py"):
        names = runpy.run_path(str(ROOT / "scripts/proofs.py"), run_name="proofs")["ALL"]
        assert set(command.words) <= set(names)
        return
    values = parse(command)
    named = {getattr(values, name, None) for name in ("task", "pretrained")} - {None, "TASK", "ID"}
    assert named <= set(task_ids())


def test_a_command_with_an_option_that_there_is_not_is_refused():
    (command,) = commands_of("    surefoot train --task T --iteration-count 3", PAGES[0])
    with pytest.raises(AssertionError, match="iteration-count 3 is refused with 2"):
        parse(command)


@pytest.mark.parametrize("command", dict.fromkeys(c for c in ALL if c.program == "make"), ids=str)
def test_each_target_and_variable_of_make_is_in_the_makefile(command):
    makefile = (ROOT / "Makefile").read_text()
    for word in command.words:
        if "=" not in word:
            assert re.search(rf"^{word}:.*##", makefile, re.MULTILINE), word
        elif (variable := word.partition("=")[0]) != "PYTHON":  # which scripts/bootstrap.sh reads
            assert re.search(rf"^{variable} \?=", makefile, re.MULTILINE), word


def test_every_override_of_a_task_names_a_value_that_there_is():
    texts = [page.read_text(encoding="utf-8") for page in PAGES]
    overrides = {found for text in texts for found in re.findall(r"(?<![\w.])(?:env|agent)\.[a-z_.]+=[^`\s]+", text)}
    assert len(overrides) >= 7
    code = (
        "import sys; from surefoot.engines import install_shims; install_shims()\n"
        "from surefoot.task_config import resolve_task; from surefoot.task_registry import check_task\n"
        "env, agent = resolve_task(check_task(sys.argv[1]), 'ovphysx', sys.argv[2:])\n"
        "print(env.commands.base_velocity.initial_range_share, agent.algorithm.symmetry_cfg.mirror_loss_coeff)"
    )
    done = run_python(code, ROUGH, *sorted(overrides))  # which has all that a task on flat ground has
    assert (done.returncode, done.stdout.splitlines()[-1:]) == (0, ["1.0 4.0"]), done.stderr[-2000:]


def run_python(code: str, *arguments: str, cwd=ROOT) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=600, check=False)


def test_every_command_is_run_by_a_test_or_says_that_it_needs_hardware():
    files = {path.name: path for folder in ("tests", "extensions") for path in (ROOT / folder).rglob("test_*.py")}
    assert set(RUN_ELSEWHERE.values()) <= files.keys()
    checks = {f"make {name}" for name in ("train", "test", "lint", "docs", "proofs")} | {"python scripts/proofs.py"}
    by_make = {"pytest --surefoot-bundle"}
    here = {" ".join(line.split()[:2]) for line in RUN_HERE}
    asked = {command.subcommand for command in ALL if not command.needs_hardware and command.words}
    assert asked - RUN_ELSEWHERE.keys() - checks - by_make - here == {"surefoot-bridge --help"} & asked


def test_a_command_for_a_real_robot_says_that_it_needs_hardware():
    silent = [c for c in ALL if "eth0" in c.words and not c.in_sentence and not c.needs_hardware]
    assert [str(command) for command in silent] == []


def test_the_cheap_commands_run_as_they_stand(tmp_path):
    there = {shown(command) for command in ALL}
    assert there >= RUN_HERE
    quickstart = (ROOT / "docs/quickstart.md").read_text()
    (script,) = re.findall(r"cat > walk\.txt <<'END'\n(.*?)END\n", quickstart, re.DOTALL)
    (tmp_path / "walk.txt").write_text(script)
    (tmp_path / "bundle").symlink_to(ROOT / BUNDLE)
    for line in sorted(RUN_HERE):
        program, *words = line.split()
        code = f"import sys; from {ENTRY_POINTS[program].replace(':', ' import ')} as main; sys.exit(main())"
        done = run_python(code, *words, cwd=tmp_path)
        assert (line, done.returncode) == (line, 0), done.stderr[-2000:]


def test_the_quickstart_checks_verifies_and_runs_the_bundle_that_it_exports():
    page = ROOT / "docs/quickstart.md"
    found = [command for command in commands_of(page.read_text(), page) if not command.in_sentence]
    (exported,) = {command.words[3] for command in found if command.subcommand == "surefoot export"}
    users = ("surefoot-bridge check", "surefoot verify", "surefoot-bridge run")
    assert [command.words[1] for command in found if command.subcommand in users] == 4 * [exported]


def test_every_link_of_a_page_leads_to_a_file():
    broken = []
    for page in [*PAGES, *OF_ONES_OWN, ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md"]:
        text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)\s]+)\)|src=\"([^\"]+)\"", text):
            path = "".join(target).partition("#")[0]
            made = path.startswith("reference/")  # by scripts/docs_site.py, which fails where it is not
            if path and "://" not in path and not made and not (page.parent / path).exists():
                broken.append(f"{page.relative_to(ROOT)}: {path}")
    assert broken == []


def test_each_refusal_that_the_troubleshooting_page_quotes_is_one_of_the_source():
    collect = runpy.run_path(str(ROOT / "scripts/refusals.py"))["refusals"]
    folders = ("extensions/surefoot/surefoot", "extensions/surefoot-bridge/src", "robots", "tasks", "rewards")
    known = {message for folder in folders for path in (ROOT / folder).rglob("*.py") for message in collect(path)}
    known.add((ROOT / "scripts/bootstrap.sh").read_text())
    page = (ROOT / "docs/troubleshooting.md").read_text(encoding="utf-8")
    quoted = re.findall(r"^\| `([^`]+)` \|", page, re.MULTILINE)
    assert len(quoted) > 40
    patterns = {text: ".*".join(re.escape(part.strip()) for part in text.split("…")) for text in quoted}
    assert [text for text, pattern in patterns.items() if not any(re.search(pattern, each) for each in known)] == []


def test_the_readme_is_one_screen_with_a_moving_picture_of_at_most_1_5_mb():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(readme.splitlines()) < 150
    (picture,) = re.findall(r'src="([^"]+)"', readme)
    data = (ROOT / picture).read_bytes()
    assert len(data) < 1_500_000
    assert data.count(b"ANMF") > 50  # frames of a moving WebP


def test_the_copy_of_a_checkpoint_with_another_noise_is_made_as_the_page_says(tmp_path):
    import torch

    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs/train.md").read_text(), re.DOTALL)
    (source,) = (ROOT / f"tasks/surefoot_tasks/pretrained/{GO2}/checkpoints").glob("*.pt")
    code = re.sub(r'"runs/[^"]+"', repr(str(source)), code).replace('"start.pt"', repr(str(tmp_path / "start.pt")))
    exec(code, {})
    from surefoot.learning.checkpoint import read_checkpoint

    before, after = read_checkpoint(source), read_checkpoint(tmp_path / "start.pt")
    std = after["actor_state_dict"].pop("distribution.std_param")
    assert torch.equal(std, torch.full((12,), 0.12))
    del before["actor_state_dict"]["distribution.std_param"]
    for name, value in before["actor_state_dict"].items():
        assert torch.equal(value, after["actor_state_dict"][name])


def test_the_program_of_the_page_on_bundles_observes_infers_and_sets_targets():
    import numpy as np

    from surefoot_bridge.bundle import read_golden
    from surefoot_bridge.state import RobotState

    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs/bundles.md").read_text(), re.DOTALL)
    code = code.replace('"bundle"', repr(str(ROOT / BUNDLE)))
    code = code.replace('require_signature_by="<public key>"', 'unsigned_word="UNSIGNED"')
    golden = read_golden((ROOT / BUNDLE / "golden.npz").read_bytes(), "golden.npz")
    report = RobotState(**{field.name: getattr(golden.report, field.name)[0] for field in fields(RobotState)})
    names = {"report": report, "command": golden.command[0], "last_action": np.zeros(12)}
    exec(code, names)
    assert names["observation"] == pytest.approx(golden.observation[0], abs=1e-5)
    assert names["action"] == pytest.approx(golden.action[0], abs=1e-5)
    assert names["joint_command"].joint_pos_rad == pytest.approx(golden.joint_command.joint_pos_rad[0], abs=1e-5)
