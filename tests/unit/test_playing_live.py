"""Steering a policy live: what the page's controls do to the session, and how a fall is shown. Nothing is simulated."""

import types

import pytest
import torch

from surefoot.playing import live

STEP_DT = 0.25


class Page:
    """A page whose controls a test sets by step."""

    def __init__(self, session, *, push_at=(), reset_at=(), pause_looks=0):
        self.session, self.push_at, self.reset_at, self.pause_looks = session, push_at, reset_at, pause_looks
        self.command = (0.5, 0.0, 0.0)
        self.notes = []

    @property
    def paused(self):
        self.pause_looks -= 1
        return self.pause_looks >= 0

    def push_wanted(self):
        return self.session.steps in self.push_at

    def reset_wanted(self):
        return self.session.steps in self.reset_at

    def show(self, base_pos, base_quat_wxyz, joint_pos, velocity, note):
        assert base_quat_wxyz.tolist() == [1.0, 0.0, 0.0, 0.0]
        self.notes.append(note)


class Session:
    """A session that counts, with a robot that lies from one step on."""

    def __init__(self, *, falls_at=None):
        self.begins_fallen = False
        self.falls_at, self.steps, self.resets, self.pushes, self.commands = falls_at, 0, [], [], []
        pose = torch.tensor([[0.0, 0.0, 0.3, 0.0, 0.0, 0.0, 1.0]])  # quaternion x, y, z, w
        zeros = torch.zeros(1, 3)
        self.env = types.SimpleNamespace(
            field=None,
            device="cpu",
            num_envs=1,
            step_dt=STEP_DT,
            locomotion=types.SimpleNamespace(base_lin_vel_b=zeros, base_ang_vel_b=zeros, joint_pos=torch.zeros(1, 12)),
            robot=types.SimpleNamespace(data=types.SimpleNamespace(root_link_pose_w=types.SimpleNamespace(torch=pose))),
        )

    def reset(self, command):
        self.resets.append(self.steps)
        self.falls_at = self.falls_at if self.steps == 0 else None

    def step(self, next_command):
        self.steps += 1
        self.commands.append(next_command.tolist())

    def push(self, velocity_change):
        self.pushes.append((self.steps, velocity_change))

    def fell(self):
        return torch.tensor([self.falls_at is not None and self.steps >= self.falls_at])


@pytest.fixture
def clock(monkeypatch):
    """A clock that only sleeping moves; returns the list of sleeps."""
    sleeps = []
    monkeypatch.setattr(live.time, "monotonic", lambda: sum(sleeps))
    monkeypatch.setattr(live.time, "sleep", sleeps.append)
    return sleeps


def test_steps_come_in_real_time(clock):
    session = Session()
    live.run_live(session, Page(session), seed=0, max_steps=8)
    assert sum(clock) == pytest.approx(8 * STEP_DT)
    assert session.commands == [[[0.5, 0.0, 0.0]]] * 8


def test_a_fallen_robot_is_shown_for_a_second_and_put_back(clock):
    session = Session(falls_at=2)
    page = Page(session)
    live.run_live(session, page, seed=0, max_steps=10)
    # Down in steps 2 to 6: after the fifth step on the ground it has lain for 1.25 s, more than one.
    assert [note == "**fallen**" for note in page.notes] == [False] + [True] * 5 + [False] * 4
    assert session.resets == [0, 6]


def test_the_push_button_pushes_once_by_half_a_metre_a_second(clock):
    session = Session()
    live.run_live(session, Page(session, push_at=(3,)), seed=0, max_steps=6)
    assert [step for step, _ in session.pushes] == [3]
    assert session.pushes[0][1].norm().item() == pytest.approx(0.5)


def test_the_reset_button_begins_anew(clock):
    session = Session()
    live.run_live(session, Page(session, reset_at=(4,)), seed=0, max_steps=6)
    assert session.resets == [0, 4]


def test_nothing_moves_while_paused_and_no_time_is_made_up_for_afterwards(clock):
    session = Session()
    live.run_live(session, Page(session, pause_looks=20), seed=0, max_steps=4)
    assert session.steps == 4
    assert sum(clock) == pytest.approx((20 + 4) * STEP_DT)
