"""The slow proofs, each with a report in proofs/: ``python scripts/proofs.py [NAME ...]``.

Without a name all of them, hours: what held is remembered until all have, and the same command at the same commit goes
on with the rest.
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from statistics import fmean

from surefoot.report import commit, provenance, write_report
from surefoot_bridge.command_line import ended
from surefoot_bridge.errors import unknown_name
from surefoot_devtools.campaign import Kept, interruption

PROOFS = Path("proofs")
KEPT = Path(".cache/proofs.json")
TASK = "Surefoot-Velocity-Flat-Go2"
TASK_G1 = "Surefoot-Velocity-Flat-G1"
G1_METRICS = ("iteration", "Train/mean_reward", "Train/mean_episode_length", "Perf/env_steps_per_s")
SEEDS = (1, 2, 3)
MINUTES_TO_WALK = 10
SUREFOOT = str(Path(sys.executable).with_name("surefoot"))


def run(*command: str) -> int:
    """Run a command of ours, its output on the terminal; returns its exit status."""
    print("$", *command, flush=True)
    return subprocess.run(command, check=False).returncode


def seeds() -> int:
    """Train from three seeds for at most ten minutes each and play 200 episodes with each result."""
    rows, figures = [], {}
    for seed in SEEDS:
        output = Path("runs") / "proofs" / f"seed{seed}_{int(time.time())}"
        began = time.monotonic()
        train = ("train", "--task", TASK, "--seed", str(seed), "--max-minutes", str(MINUTES_TO_WALK), "--no-video")
        if run(SUREFOOT, *train, "--output", str(output)):
            return 1
        minutes = (time.monotonic() - began) / 60.0
        (run_directory,) = output.glob("*/*")
        report = output / "play.json"
        status = run(SUREFOOT, "play", str(run_directory), "--episodes", "200", "--no-video", "--json", str(report))
        played = json.loads(report.read_text())["figures"]
        last = json.loads((run_directory / "metrics.jsonl").read_text().splitlines()[-1])
        rows.append({"seed": seed, "held": status == 0, "minutes": minutes, "env_steps": last["env_steps"], **played})
        figures[f"minutes_seed_{seed}"] = minutes
    ok = all(row["held"] for row in rows)
    write_report(PROOFS / "seeds.json", ok=ok, figures=figures, rows=rows, provenance=provenance())
    return 0 if ok else 1


def g1() -> int:
    """Step 4096 humanoids for one iteration, then train 1024 of them for fifty: their reward must rise."""
    figures: dict[str, float] = {}
    rows = []
    for num_envs, iterations in ((4096, 1), (1024, 50)):
        output = Path("runs") / "proofs" / f"g1_{num_envs}_{int(time.time())}"
        sizes = ("--num-envs", str(num_envs), "--iterations", str(iterations))
        if run(SUREFOOT, "train", "--task", TASK_G1, "--device", "cpu", *sizes, "--no-video", "--output", str(output)):
            return 1
        (metrics,) = output.glob("*/*/metrics.jsonl")
        history = [json.loads(line) for line in metrics.read_text().splitlines()]
        rows += [{"num_envs": num_envs, **{name: row.get(name) for name in G1_METRICS}} for row in history]
        figures[f"env_steps_per_s_{num_envs}"] = history[-1]["env_steps"] / history[-1]["elapsed_s"]
    rewards = [
        row["Train/mean_reward"] for row in rows if row["num_envs"] == 1024 and row["Train/mean_reward"] is not None
    ]
    figures["mean_reward_iterations_1_to_10"] = fmean(rewards[:10])
    figures["mean_reward_iterations_41_to_50"] = fmean(rewards[-10:])
    ok = figures["mean_reward_iterations_41_to_50"] > figures["mean_reward_iterations_1_to_10"]
    write_report(PROOFS / "g1.json", ok=ok, figures=figures, rows=rows, provenance=provenance(seed=1, device="cpu"))
    return 0 if ok else 1


def command(*arguments: str) -> Callable[[], int]:
    """Return a proof that is one command, which writes its own report."""
    return lambda: run(*arguments)


def report_of(name: str) -> tuple[str, str]:
    """Return the option that sends a report to proofs/."""
    return "--json", str(PROOFS / f"{name}.json")


def pages_of(name: str) -> tuple[str, str]:
    """Return the option that writes a proof's table for the docs."""
    return "--markdown", f"docs/reports/{name}.md"


BUNDLES = "tasks/surefoot_tasks/velocity/bundles"
INJECT_FAULTS = (sys.executable, "scripts/inject_faults.py", f"{BUNDLES}/{TASK}")
BENCHMARK = (sys.executable, "scripts/benchmark.py")
ALL: dict[str, Callable[[], int]] = {
    "robots_go2": command(SUREFOOT, "robots", "check", "unitree_go2", *report_of("robots_go2")),
    "robots_g1": command(SUREFOOT, "robots", "check", "unitree_g1", *report_of("robots_g1")),
    "benchmark_step": command(*BENCHMARK, "step", *report_of("benchmark_step")),
    # No bound: ours learns from mirrored experience too, which makes an iteration longer and training shorter.
    "benchmark_train": command(
        *BENCHMARK, "train", "--num-envs", "1024", "--minimum-ratio", "0", *report_of("benchmark_train")
    ),
    "benchmark_randomization": command(*BENCHMARK, "randomization", *report_of("benchmark_randomization")),
    "play": command(
        SUREFOOT, "play", "--pretrained", TASK, "--engine", "physx", "--episodes", "200", *report_of("play")
    ),
    "play_standard": command(
        SUREFOOT,
        *("play", "--pretrained", TASK, "--engine", "physx", "--randomization", "standard", "--episodes", "200"),
        *("--no-video", *report_of("play_standard")),
    ),
    **{
        name: command(SUREFOOT, "randomization", "prove", task, "--engine", physics, *pages_of(name), *report_of(name))
        for robot, task in (("go2", TASK), ("g1", TASK_G1))
        for physics in ("ovphysx", "newton_mjwarp")
        for name in (f"randomization_{robot}_{physics}",)
    },
    "mutants": command(sys.executable, "scripts/mutate_randomization.py", *report_of("mutants")),
    **{
        name: command(
            *(sys.executable, "scripts/mutate_contract.py", f"{BUNDLES}/{task}"),
            *(*report_of(name), *pages_of(name)),
        )
        for name, task in (("contract_mutants", TASK), ("contract_mutants_g1", TASK_G1))
    },
    "faults_live": command(*INJECT_FAULTS, "--live", *report_of("faults_live")),
    "faults": command(
        *(*INJECT_FAULTS, "--live-report", str(PROOFS / "faults_live.json")),
        *(*report_of("faults"), *pages_of("faults")),
    ),
    "falls": command(*INJECT_FAULTS, "--falls", *report_of("falls"), *pages_of("falls")),
    "benchmark_verify": command(*BENCHMARK, "verify", "--suite", "quick", "standard", *report_of("benchmark_verify")),
    "benchmark_start": command(*BENCHMARK, "start", *report_of("benchmark_start")),
    "verify_go2": command(
        *(SUREFOOT, "verify", f"{BUNDLES}/{TASK}", "--suite", "standard", "--engines", "physx,newton,mujoco"),
        *("--gate", "flat", "--report", str(PROOFS / "verify_go2")),
        *report_of("verify_go2"),
    ),
    "bad_inputs": command(
        sys.executable, "scripts/try_bad_inputs.py", *report_of("bad_inputs"), *pages_of("bad_inputs")
    ),
    "bridge": command(*BENCHMARK, "bridge", *report_of("benchmark_bridge")),
    "slow_tests": command(sys.executable, "-m", "pytest", "-m", "slow", "-q"),
    "g1": g1,
    "seeds": seeds,
}


@dataclass(frozen=True)
class Held:
    """A proof that held, and its wall time [s]."""

    name: str
    seconds: float


def main(names: Sequence[str], kept: Path = KEPT) -> int:
    """Run proofs and say which held, and in what time.

    Args:
        names: Which; all but those that are remembered without one.
        kept: Where it is remembered what held.
    """
    for name in names:
        if name not in ALL:
            raise unknown_name("proof", name, ALL)
    done = Kept(None if names else kept, Held, {"commit": commit()})
    left = [name for name in names or ALL if name not in {proof.name for proof in done.rows}]
    if remembered := len(done.rows):
        print(f"{remembered} of {len(ALL)} proofs held at this commit already; {kept} remembers them.")
    fell_short = []
    for number, name in enumerate(left, start=1):
        print(f"Proof {number} of {len(left)}: {name}", flush=True)
        began = time.monotonic()
        if ALL[name]() == 0:
            done.add(Held(name, time.monotonic() - began))
        else:
            fell_short.append(name)
    for proof in done.rows:
        print(f"{proof.name:30} held in {timedelta(seconds=round(proof.seconds))}")
    together = timedelta(seconds=round(sum(proof.seconds for proof in done.rows)))
    if fell_short:
        print(f"Fell short: {', '.join(fell_short)}. The others took {together}.")
        return 1
    print(f"{', '.join(names) or 'All proofs'} held, in {together} together.")
    done.remove()
    return 0


if __name__ == "__main__":
    said = interruption(None if sys.argv[1:] else KEPT)
    sys.exit(ended("proofs.py", lambda: main(sys.argv[1:]), interrupted=said))
