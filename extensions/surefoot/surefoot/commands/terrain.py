"""``surefoot terrain show KIND``: a picture of any ground, or of the field of all kinds that robots train on."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from surefoot.files import NEW_FILE
from surefoot_bridge.arguments import number
from surefoot_bridge.errors import SurefootError, unknown_name

if TYPE_CHECKING:
    from surefoot.terrains.height_grid import HeightGrid
    from surefoot.terrains.kinds import Ground
    from surefoot_robots import RobotSpec

SUBCOMMANDS = {"show": "Draw a kind of ground, as hard as asked, or the field that robots train on."}

FIELD = "field"
"""What stands in place of a kind for the whole field."""

SHOWN_M = 5.0
"""How far a picture reaches from the start to each side [m]."""


def add_arguments(parser: argparse.ArgumentParser, name: str) -> None:  # noqa: ARG001 - there is only one subcommand
    """Declare what ``show`` takes."""
    parser.add_argument("kind", metavar="KIND", help=f"{FIELD}, or a kind: any other word is answered with all")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a size of the kind, or place=around, instead of what difficulty says; may be given again",
    )
    parser.add_argument(
        "--difficulty", type=number("a difficulty", 0.0, 1.0), metavar="D", help="0 to 1 (default: 0.5)"
    )
    parser.add_argument(
        "--robot",
        default="unitree_go2",
        metavar="ROBOT",
        help="whose legs sizes are relative to (default: %(default)s)",
    )
    parser.add_argument("--output", type=NEW_FILE, metavar="FILE", help="the picture, PNG (default: terrain_KIND.png)")


def run(args: argparse.Namespace) -> int:
    """Draw, and say where the picture is."""
    from surefoot.terrains.kinds import KINDS

    if args.kind not in (*KINDS, FIELD):
        raise unknown_name("kind of ground", args.kind, [*KINDS, FIELD])
    from surefoot_robots import get_robot

    spec = get_robot(args.robot)
    if args.kind == FIELD:
        grid, title, cut_y_m = _field(args, spec)
    else:
        grid, title = _kind(args.kind, args.set, args.difficulty, spec)
        cut_y_m = 0.0
    from surefoot.plots import save_figure
    from surefoot.terrains.picture import grid_figure

    picture = save_figure(grid_figure(grid, title, cut_y_m=cut_y_m), args.output or Path(f"terrain_{args.kind}.png"))
    print(f"{title}: {picture}")
    return 0


def _field(args: argparse.Namespace, spec: RobotSpec) -> tuple[HeightGrid, str, float]:
    """Return the field of the tasks on rough ground, what it is, and where it is worth a cut [m]."""
    if args.set or args.difficulty is not None:
        raise SurefootError("The field has all difficulties and their sizes: leave out --set and --difficulty.")
    from surefoot.terrains.field import make_field
    from surefoot.terrains.field_cfg import FieldCfg
    from surefoot.terrains.height_grid import HeightGrid

    field = make_field(FieldCfg(), spec)
    names = ", ".join(dict.fromkeys(field.columns)).replace("_", " ")
    title = f"field of {field.num_levels} levels (along x) for {spec.name}; along y {names}"
    raised = field.grid  # beside the environments, above their plane, with an edge that goes down to it
    heights = raised.heights_m[1:-1, 1:-1]
    grid = HeightGrid(heights_m=heights - heights[0, 0], spacing_m=raised.spacing_m, origin_xy_m=(0.0, 0.0))
    return grid, title, float(field.origins_w[0, field.columns.index("stairs_up"), 1] - raised.y_m[1])


def _kind(name: str, sizes: list[str], difficulty: float | None, spec: RobotSpec) -> tuple[HeightGrid, str]:
    """Return a kind of ground, and what it is."""
    from surefoot.terrains.ground import walker_of
    from surefoot.terrains.kinds import KINDS
    from surefoot.terrains.shapes import Extent, make_grid

    ground = _with_sizes(
        KINDS[name].of_difficulty(0.5 if difficulty is None else difficulty, spec.base_height_m), name, sizes
    )
    for field, text in (*ground.impossible(), *ground.unfit(walker_of(spec))):
        raise SurefootError(f"{field} {text}")
    return make_grid(ground, Extent(SHOWN_M, SHOWN_M, SHOWN_M)), ground.words()


def _with_sizes(ground: Ground, name: str, sizes: list[str]) -> Ground:
    """Return ground with some sizes as they were typed."""
    from surefoot.located_yaml import LocatedYaml, validated

    given = {}
    for text in sizes:
        field, sign, value = text.partition("=")
        if not sign:
            raise SurefootError(
                f"--set is {text!r}, no NAME=VALUE; names of {name}: {', '.join(type(ground).model_fields)}."
            )
        given[field] = value
    return validated(type(ground), LocatedYaml(Path(name), {**ground.model_dump(), **given}, {}))
