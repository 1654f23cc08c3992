"""On which tile of a field each environment trains, and when it moves to a harder or an easier one.

The rule is Isaac Lab's (``terrain_levels_vel`` of its velocity task, after Rudin et al., CoRL 2021): at the end of an
episode a robot that got farther than half a tile from where it began goes up a level; one that got less than half as
far as it was asked goes down one; one that passed the last level goes to a random one, so that no level is forgotten.
Here the way that was asked is summed over the episode, since commands change within it: with one command it is the
same. A robot that fell is held against the whole episode, one whose time was over against what it had.
"""

# A kernel is compiled by Warp, whose vector types have operators that their Python classes do not declare.
# pyright: reportArgumentType=false, reportIndexIssue=false, reportOperatorIssue=false, reportCallIssue=false

from __future__ import annotations

from typing import Any

import torch
import warp as wp

from surefoot.env_mask import EnvIds, EnvMask
from surefoot.random_numbers.philox import Words, philox, unit_interval
from surefoot.snapshot import StateMismatchError
from surefoot.terrains.field import TrainingField

wp.set_module_options({"enable_backward": False})  # no gradients are taken; a CPU is faster without

TAG = wp.constant(wp.uint32(0x4C45564C))
"""Last word of the counters of these draws, which keeps them apart from all others: "LEVL"."""

FAR_TOO_LITTLE = wp.constant(0.5)
"""Share of the way that was asked below which a robot goes down a level."""


@wp.kernel
def add_asked_way(
    command: wp.array(dtype=wp.vec3f),
    root_pose_w: wp.array(dtype=wp.transformf),
    step_dt: float,
    # in and out
    asked_w: wp.array(dtype=wp.vec2f),
    steps: wp.array(dtype=int),
) -> None:
    """One thread per environment: add what a control step asks for, in the direction that the robot faces."""
    env = wp.tid()
    ahead = wp.quat_rotate(wp.transform_get_rotation(root_pose_w[env]), wp.vec3f(1.0, 0.0, 0.0))
    heading = wp.normalize(wp.vec2f(ahead[0], ahead[1]))
    asked = command[env]
    way = wp.vec2f(heading[0] * asked[0] - heading[1] * asked[1], heading[1] * asked[0] + heading[0] * asked[1])
    asked_w[env] = asked_w[env] + step_dt * way
    steps[env] = steps[env] + 1


@wp.kernel
def end_episodes(
    env_mask: wp.array(dtype=bool),
    root_pose_w: wp.array(dtype=wp.transformf),
    fell: wp.array(dtype=bool),
    columns: wp.array(dtype=int),
    tile_origins_w: wp.array2d(dtype=wp.vec3f),
    half_tile_m: float,
    episode_steps: int,
    key_0: wp.uint32,
    key_1: wp.uint32,
    # in and out
    levels: wp.array(dtype=int),
    asked_w: wp.array(dtype=wp.vec2f),
    steps: wp.array(dtype=int),
    passed: wp.array(dtype=int),
    origins_w: wp.array(dtype=wp.vec3f),
) -> None:
    """One thread per environment: of those of the mask, the level in the next episode, and the tile's origin."""
    env = wp.tid()
    if not env_mask[env]:
        return
    level = levels[env]
    if steps[env] > 0:
        way = wp.transform_get_translation(root_pose_w[env]) - origins_w[env]
        walked = wp.length(wp.vec2f(way[0], way[1]))
        asked = wp.length(asked_w[env])
        if fell[env]:
            asked = asked * wp.max(1.0, float(episode_steps) / float(steps[env]))
        # A way that is no number, of a faulty environment, is neither far nor short.
        if walked > half_tile_m:
            level = level + 1
        elif walked < FAR_TOO_LITTLE * asked:
            level = wp.max(level - 1, 0)
        if level >= tile_origins_w.shape[0]:
            words = philox(Words(wp.uint32(env), wp.uint32(passed[env]), wp.uint32(0), TAG), key_0, key_1)
            level = wp.min(int(unit_interval(words[0]) * float(tile_origins_w.shape[0])), tile_origins_w.shape[0] - 1)
            passed[env] = passed[env] + 1
    levels[env] = level
    origins_w[env] = tile_origins_w[level, columns[env]]
    asked_w[env] = wp.vec2f(0.0, 0.0)
    steps[env] = 0


class TerrainLevels:
    """The tile of each environment. Columns stay what they are; levels change at the ends of episodes.

    Args:
        field: The field.
        num_envs: Number of environments, which are spread evenly over the columns.
        first_levels: Levels that they begin on, evenly from the easiest on.
        step_dt: Control period [s].
        episode_steps: Control steps of a whole episode.
        seed: Seed of the draws of levels.
        rank: Which process of the run this is.
        device: Device of the simulation.
    """

    def __init__(
        self,
        field: TrainingField,
        num_envs: int,
        *,
        first_levels: int,
        step_dt: float,
        episode_steps: int,
        seed: int,
        rank: int,
        device: str,
    ) -> None:
        self._field_record = field.record()
        self._num_levels, self._step_dt, self._device = field.num_levels, step_dt, device
        self._tile_origins_w = wp.array(field.origins_w, dtype=wp.vec3f, device=device)
        self._rule = (0.5 * field.tile_m, episode_steps, wp.uint32(seed & 0xFFFFFFFF), wp.uint32(rank))
        number = torch.arange(num_envs, device=device)
        self.columns = (number * len(field.columns) // num_envs).to(torch.int32)
        """Column of each environment's tile, (num_envs,)."""
        self.levels = (number % first_levels).to(torch.int32)
        """Level of each environment's tile, (num_envs,)."""
        self._asked_w = torch.zeros(num_envs, 2, device=device)
        self._steps, self._passed = (torch.zeros(num_envs, dtype=torch.int32, device=device) for _ in range(2))
        self._origins = torch.as_tensor(field.origins_w, device=device)  # (levels, columns, 3)
        self.origins_w = self._origins[self.levels, self.columns]
        """Where each environment's robot starts [m], (num_envs, 3)."""
        self._masks = EnvMask(num_envs, device)
        self._columns_array = wp.from_torch(self.columns)
        self._asked_array = wp.from_torch(self._asked_w, dtype=wp.vec2f)
        self._steps_array = wp.from_torch(self._steps)
        self._changed = [
            wp.from_torch(self.levels),
            self._asked_array,
            self._steps_array,
            wp.from_torch(self._passed),
            wp.from_torch(self.origins_w, dtype=wp.vec3f),
        ]
        self._kinds = list(dict.fromkeys(field.columns))
        of_kind = torch.tensor([self._kinds.index(name) for name in field.columns], device=device)
        one_hot = torch.nn.functional.one_hot(of_kind[self.columns.long()], len(self._kinds)).float()
        self._share_of_kind = one_hot / one_hot.sum(dim=0).clamp_(min=1.0)  # (num_envs, kinds)
        self._each_level = torch.arange(self._num_levels, device=device)

    def add_asked_way(self, command: torch.Tensor, root_pose_w: wp.array) -> None:
        """Take down what a control step asked for.

        Args:
            command: vx, vy [m/s] and yaw rate [rad/s] in the base frame, (num_envs, 3).
            root_pose_w: Poses of the bases in the world, (num_envs,), transformf.
        """
        wp.launch(
            add_asked_way,
            dim=len(command),
            inputs=[wp.from_torch(command, dtype=wp.vec3f), root_pose_w, self._step_dt],
            outputs=[self._asked_array, self._steps_array],
            device=self._device,
        )

    def end_episodes(self, envs: EnvIds, root_pose_w: wp.array, fell: torch.Tensor) -> None:
        """Choose the tiles of the next episodes. One that has not begun yet changes nothing.

        Args:
            envs: Environments whose episodes end.
            root_pose_w: Poses of all bases where the episodes end, (num_envs,), transformf.
            fell: Whether each episode ends before its time, (num_envs,), bool.
        """
        wp.launch(
            end_episodes,
            dim=len(self.levels),
            inputs=[
                self._masks.of(envs),
                root_pose_w,
                wp.from_torch(fell),
                self._columns_array,
                self._tile_origins_w,
                *self._rule,
            ],
            outputs=self._changed,
            device=self._device,
        )

    def figures(self) -> dict[str, torch.Tensor]:
        """Return the mean level, that of each kind of ground, and the share of environments on each level."""
        levels = self.levels.float()
        of_kind = (levels @ self._share_of_kind).unbind()
        population = (self.levels[:, None] == self._each_level).float().mean(dim=0).unbind()
        return {
            "mean": levels.mean(),
            **{f"of_{name}": level for name, level in zip(self._kinds, of_kind, strict=True)},
            **{f"share_on_{number}": share for number, share in enumerate(population)},
        }

    def state_dict(self) -> dict[str, Any]:
        """What a resumed run needs, and what the field was made of."""
        tensors = {name: getattr(self, name).cpu().clone() for name in _SAVED}
        return {**tensors, "field": self._field_record}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore what :meth:`state_dict` returned.

        Raises:
            StateMismatchError: If it is of another field, or of another number of environments.
        """
        saved, here = state["field"], self._field_record
        differing = [name for name in here if saved.get(name) != here[name]]
        if differing:
            told = "; ".join(f"{name} {saved.get(name)}, here {here[name]}" for name in differing)
            raise StateMismatchError(
                f"The checkpoint was trained on another field of ground: {told}. Resume it with the field that it was "
                "trained on, or begin a new run with --weights."
            )
        for name in _SAVED:
            live = getattr(self, name)
            if live.shape != state[name].shape:
                raise StateMismatchError(
                    f"The checkpoint has {len(state[name])} environments on the field, here are {len(live)}. Resume "
                    "with the number of environments of the saved run."
                )
            live.copy_(state[name])
        self.origins_w.copy_(self._origins[self.levels, self.columns])


_SAVED = ("levels", "_asked_w", "_steps", "_passed")
