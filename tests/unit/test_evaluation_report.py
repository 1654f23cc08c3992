"""The report is one page that holds all it shows, verdict first, with what every number stands on."""

import ctypes.util
import re
from dataclasses import replace
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pytest
from tests.unit import evaluation_rig as rig

from surefoot.evaluation.judging.gate import judge
from surefoot.evaluation.judging.gate_file import Gate
from surefoot.evaluation.report import words
from surefoot.evaluation.report.curves import velocity_figures
from surefoot.evaluation.report.figure import load_recordings, until_over
from surefoot.evaluation.report.film import LENGTH_S, as_episode, film_rows, telling_window
from surefoot.evaluation.report.findings import engine_gap
from surefoot.evaluation.report.gait_figure import gait_figure
from surefoot.evaluation.report.ground_map import ground_figure
from surefoot.evaluation.report.measure_table import measure_rows
from surefoot.evaluation.report.page import ReportContent, render_page, suite_verdict, template
from surefoot.evaluation.report.push_polar import push_figure
from surefoot.evaluation.report.scenario_section import filmed
from surefoot.evaluation.report.setting import setting
from surefoot.evaluation.report.torque_speed import envelope, torque_speed_figures
from surefoot.evaluation.report.verdict import headline
from surefoot.evaluation.results.exemplars import exemplars
from surefoot.evaluation.scenarios.scenario import Scenario
from surefoot_robots import get_robot

LARGEST_PAGE_BYTES = 8_000_000
MOST_SCENARIOS = 24

needs_osmesa = pytest.mark.skipif(
    ctypes.util.find_library("OSMesa") is None, reason="drawing on a CPU needs libosmesa6 (apt-get install libosmesa6)"
)


class Page(HTMLParser):
    """What a browser would fetch, and the order of elements."""

    def __init__(self, text):
        super().__init__()
        self.sources, self.tags, self.text = [], [], ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.sources += [value for name, value in attrs if name in ("src", "href", "poster", "srcset")]

    def handle_data(self, data):
        self.text += data


def recordings(evaluation, *names):
    found = {}
    for outcome in evaluation.outcomes:
        if outcome.scenario in (names or [item.scenario for item in evaluation.outcomes]):
            for role, number in exemplars(outcome).items():
                trial = next(trial for trial in outcome.outcomes if trial.number == number)
                motion = rig.recording(outcome.scenario, outcome.engine, number, success=trial.success)
                found[outcome.scenario, outcome.engine, role] = until_over(motion, trial)
    return found


@pytest.fixture(scope="module")
def made():
    return rig.evaluation()


@pytest.fixture(scope="module")
def page(made):
    content = ReportContent(
        evaluation=made,
        contract=rig.contract(),
        recordings=recordings(made),
        provenance={"command": "surefoot verify BUNDLE", "machine": "a <machine>"},
        with_films=False,
        remarks=("Something to know.",),
    )
    return render_page(content)


def sentence(evaluation, *, gated=True):
    return headline(evaluation, suite_verdict(evaluation), gated=gated)


def with_outcomes(evaluation, change):
    return replace(evaluation, outcomes=tuple(filter(None, map(change, evaluation.outcomes))))


# The verdict


def test_a_policy_that_falls_short_is_told_where():
    top = sentence(rig.evaluation())
    assert top.state == "fail"
    assert top.sentence == "Does not pass the gate: Stairs up and Shoves fall short (2 of 4 scenarios)."
    assert sentence(rig.evaluation(), gated=False).sentence == "Stairs up and Shoves fall short (2 of 4 scenarios)."


def test_a_policy_that_passes_is_told_in_which_engines(made):
    good = with_outcomes(made, lambda item: item if item.scenario in ("flat_forward", "largest_push") else None)
    suite = made.suite.model_copy(update={"scenarios": (made.suite.scenarios[0], made.suite.scenarios[3])})
    top = sentence(replace(good, suite=suite))
    assert top.state == "pass"
    assert top.sentence == "Passes the gate: both scenarios hold in MuJoCo, PhysX and Newton."
    assert "364 trials of 2 scenarios" in top.basis


def test_scenarios_that_do_not_count_are_told_beside_those_that_do(made):
    gate = Gate(version=1, name="flat", description="Flat.", scenarios={"flat_forward": 0.9}, others="report")
    top = headline(made, judge(made.outcomes, gate), gated=True)
    assert top.state == "pass"
    assert top.sentence == (
        "Passes the gate: Flat forward holds in MuJoCo, PhysX and Newton; 3 do not count, of which 2 fall short."
    )
    gate = gate.model_copy(update={"scenarios": {"stairs_up": 0.9}, "engines": ("mujoco",)})
    assert headline(made, judge(made.outcomes, gate), gated=True).sentence == (
        "Does not pass the gate: Stairs up falls short (1 of 1 scenario); 3 do not count, of which 1 falls short."
    )


def test_too_few_trials_are_not_called_a_failure(made):
    few = with_outcomes(made, lambda item: rig.outcome(item.scenario, item.engine, successes=8, trials=8))
    top = sentence(few)
    assert (top.state, top.sentence) == (
        "unproven",
        "Does not pass the gate: 4 of 4 scenarios need more trials to tell.",
    )


def test_an_interrupted_run_says_that_it_is_partial(made):
    top = sentence(replace(made, outcomes=made.outcomes[:7]))
    assert (top.state, top.sentence) == ("open", "Partial: 7 of 12 runs are finished; 4 of them fall short.")


def test_what_could_not_run_is_no_verdict(made):
    broken = with_outcomes(
        made, lambda item: replace(item, outcomes=(), error="no engine") if item.scenario == "stairs_up" else None
    )
    suite = made.suite.model_copy(update={"scenarios": (made.suite.scenarios[1],)})
    top = sentence(replace(broken, suite=suite))
    assert (top.state, top.sentence) == ("error", "No verdict: Stairs up could not run.")


# The page


def test_it_fetches_nothing(page):
    assert all(source.startswith(("data:", "#")) for source in Page(page).sources)
    assert not re.search(r"@import|url\(|https?://(?!www\.w3\.org)", page)


def test_the_verdict_comes_before_the_table_and_that_before_everything_else(page):
    tags = [tag for tag in Page(page).tags if tag in ("h1", "table", "h2")]
    assert tags[:3] == ["h1", "table", "h2"]


def test_each_cell_of_the_table_has_a_symbol_besides_its_colour(page):
    table = page[page.index('<table class="matrix') : page.index("</table>")]
    symbols = re.findall(r'<b class="(\w+)"[^>]*>(.)</b>', table)
    assert len(symbols) == 12
    assert set(symbols) == {("pass", "✓"), ("fail", "✕"), ("unproven", "△")}


def test_what_others_wrote_is_shown_and_not_obeyed(page):
    assert "Up stairs &lt;of 15 cm&gt;." in page
    assert "a &lt;machine&gt;" in page
    assert "Up stairs <of 15 cm>." in Page(page).text


def test_it_says_where_the_numbers_come_from(page):
    text = Page(page).text
    for shown in (rig.contract().network.weights_sha256, "surefoot verify BUNDLE", "stage field", "mujoco 3.12.0"):
        assert shown in text
    assert "Something to know." in text


def test_every_figure_is_well_formed_and_has_a_name(page):
    figures = re.findall(r'<svg viewBox[^>]*role="img".*?</svg>', page, flags=re.DOTALL)
    assert len(figures) > 40
    for figure in figures:
        assert ElementTree.fromstring(figure).get("aria-label")
        assert "nan" not in figure


def test_a_suite_of_24_scenarios_in_three_engines_leaves_room_for_its_films(page):
    """Two films take 2 x (80 + 17) kB of a scenario, a third more in base64; most scenarios have one."""
    assert len(page.encode()) / len(rig.SUITE.scenarios) + 259_000 < LARGEST_PAGE_BYTES / MOST_SCENARIOS


def test_an_interval_bar_says_its_numbers_and_names_the_threshold(page):
    bar = re.search(r'<svg class="bar fail".*?</svg>', page)[0]
    said = ElementTree.fromstring(bar).get("aria-label")
    assert (
        said == "20\u202f%, 95 % interval 13\u201329\u202f%, on a line from 0 to 100 %; asked for: more than 85\u202f%"
    )
    assert "&gt; 85\u202f%</text>" in bar


def test_a_page_says_which_rule_of_safety_stepped_in_and_what_it_did(made):
    walk = made.outcomes[0]
    acted = [replace(trial, interventions={"target_rate": 2}) for trial in walk.outcomes[:3]]
    trials = (*acted, *walk.outcomes[3:])
    evaluation = replace(made, outcomes=(replace(walk, outcomes=trials), *made.outcomes[1:]))
    text = Page(render_page(ReportContent(evaluation=evaluation, contract=rig.contract(), with_films=False))).text
    assert (
        "MuJoCo, in 3 of 100 trials, 6 times: The target of a joint moves too fast. "
        "It was clamped to its limit, and the robot went on. (rule target_rate)"
    ) in text
    assert text.count("The safety layer stepped in") == 1


def test_a_median_trial_is_filmed_only_where_it_did_what_the_worst_failed_at(made):
    roles = {}
    for scenario, _, role in filmed(made, recordings(made)):
        roles.setdefault(scenario, []).append(role)
    assert roles == {
        "flat_forward": ["worst"], "stairs_up": ["worst"], "shoves": ["median", "worst"], "largest_push": ["worst"]
    }  # fmt: skip


def test_a_trial_is_drawn_as_an_episode_with_its_joints_in_the_policys_order_and_pushes_in_newtons():
    motion = rig.recording("shoves", "mujoco", 0)
    spec = get_robot(motion.robot)
    motion.joint_pos_rad[:] = np.arange(12)
    episode = as_episode(motion)
    assert [spec.sdk_joint_names[int(place)] for place in episode.joint_pos[0]] == list(spec.joint_names)
    assert episode.push_unit == "N"
    assert np.hypot(*episode.push.T).max() == pytest.approx(np.hypot(*motion.push_force_w[:, :2].T).max())
    assert episode.step_dt == pytest.approx(0.02)


def test_without_recordings_there_is_a_page_with_the_numbers(made):
    text = render_page(ReportContent(evaluation=made, contract=rig.contract()))
    assert "Feet on the ground" not in text
    assert "Cost of transport" in text


def test_a_page_of_a_run_that_was_interrupted_shows_what_is_there(made):
    partial = replace(made, outcomes=made.outcomes[:2])
    text = Page(render_page(ReportContent(evaluation=partial, contract=rig.contract()))).text
    assert text.count("has not run yet") >= 10


def test_films_that_cannot_be_drawn_are_left_out_and_that_is_said(made, monkeypatch):
    monkeypatch.setenv("MUJOCO_GL", "no_such_library")
    content = ReportContent(
        evaluation=made, contract=rig.contract(), recordings=recordings(made, "flat_forward"), with_films=True
    )
    text = render_page(content)
    assert "No films. Films could not be drawn with MUJOCO_GL=no_such_library" in text
    assert "<video" not in text


@needs_osmesa
def test_a_film_shows_the_robot_on_the_ground_of_its_scenario(made):
    shown = {key: item for key, item in recordings(made, "stairs_up").items() if key[1:] == ("mujoco", "worst")}
    content = ReportContent(evaluation=made, contract=rig.contract(), recordings=shown)
    text = render_page(content)
    assert text.count("data:video/mp4;base64,") == 1
    assert text.count("data:image/jpeg;base64,") == 1
    assert 20_000 < len(re.search(r"data:video/mp4;base64,([^\"]*)", text)[1]) < 150_000


def test_red_flags_are_shown_with_what_to_try():
    from surefoot.evaluation.judging.red_flags import RedFlag

    flag = RedFlag(
        rule="dead_zone",
        title="Dead zone",
        meaning="It stands where it should crawl.",
        remedies=("Sample slow commands.",),
        sureness="sure",
        evidence=("crawl in mujoco: 0.02 of the commanded speed.",),
        scenarios=("crawl",),
        engines=("mujoco",),
    )
    text = Page(template("findings.html").render(flags=(flag,), gap=None)).text
    assert re.search(r"Dead zone sure\s*It stands.*crawl in mujoco.*Try\s*Sample slow commands", text, re.DOTALL)


def test_commands_in_a_text_are_code_and_nothing_in_it_is_html():
    assert words.with_code("Run `surefoot play` <twice>.") == "Run <code>surefoot play</code> &lt;twice&gt;."


def test_engines_are_held_against_the_one_that_the_policy_was_trained_in(made):
    gap = engine_gap(made)
    assert gap.reference == "PhysX"
    assert gap.sentences[0].startswith("MuJoCo: in none of 4 scenarios does success differ clearly from PhysX")
    assert {(row.engine, row.measure) for row in gap.rows} >= {("Newton", "RMS error of forward speed [m/s]")}
    assert engine_gap(rig.evaluation(engines=("mujoco",))) is None


def test_what_cannot_be_held_against_each_other_is_said(made):
    shorter = with_outcomes(
        made,
        lambda item: replace(item, length_s=2.0) if item.engine == "mujoco" and item.scenario == "shoves" else item,
    )
    gap = engine_gap(shorter)
    assert gap.sentences[0].startswith("MuJoCo: in none of 3 scenarios")
    assert gap.sentences[-1] == "Left out where trials are not as long as in PhysX: Shoves."


# What it shows


def test_a_motion_ends_where_the_robot_fell():
    motion = rig.recording("stairs_up", "mujoco", 3, success=False)
    cut = until_over(motion, rig.trial(3, success=False, time_to_fall_s=3.0))
    assert cut.time_s[-1] == pytest.approx(3.0)
    assert len(cut.base_pos_w) == 150
    assert until_over(motion, rig.trial(3, success=False)).num_steps == motion.num_steps


def test_recordings_of_another_run_are_left_alone_and_broken_ones_are_named(tmp_path, made):
    outcome = made.outcomes[0]
    numbers = exemplars(outcome)
    folder = tmp_path / outcome.scenario
    rig.recording("flat_forward", "mujoco", numbers["median"]).save(folder / "median.npz")
    rig.recording("flat_forward", "mujoco", numbers["worst"] + 1).save(folder / "worst.npz")
    (tmp_path / "stairs_up").mkdir()
    (tmp_path / "stairs_up" / "median.npz").write_bytes(b"no archive")
    one_engine = replace(made, outcomes=tuple(item for item in made.outcomes if item.engine == "mujoco"))
    found, refused = load_recordings(one_engine, lambda scenario, engine: tmp_path / scenario)
    assert list(found) == [("flat_forward", "mujoco", "median")]
    assert len(refused) == 1
    assert "median.npz" in refused[0]


def test_a_film_shows_the_end_of_a_failure_and_the_push_of_a_success():
    failed = rig.recording("stairs_up", "mujoco", 0, success=False)
    assert telling_window(failed) == pytest.approx((8.0 - LENGTH_S, 8.0))
    assert film_rows(failed)[-1] == failed.num_steps - 1
    pushed = rig.recording("shoves", "mujoco", 0)
    start, stop = telling_window(pushed)
    assert start < 3.2 < stop


def test_a_gait_diagram_has_a_bar_for_each_stance():
    figure = gait_figure(rig.recording("flat_forward", "mujoco", 0), rig.contract())
    bars = [path.count("M") for path in re.findall(r'<path d="([^"]*z)" fill', figure.picture)]
    assert len(bars) == 4
    assert all(6 <= count <= 7 for count in bars)  # 2 s at 3 Hz


def test_a_robot_that_stands_has_no_gait():
    motion = rig.recording("flat_forward", "mujoco", 0)
    assert gait_figure(replace(motion, command=np.zeros_like(motion.command)), rig.contract()) is None


def test_the_motors_limit_falls_to_zero_at_the_speed_without_load():
    calf = next(group for group in get_robot("unitree_go2").actuators if group.name == "calf")
    speeds = np.array([-5.0, 0.0, calf.velocity_limit_rad_s / 2, calf.velocity_limit_rad_s, 30.0])
    half = calf.saturation_effort_nm / 2
    assert envelope(calf, speeds) == pytest.approx([calf.effort_limit_nm, calf.effort_limit_nm, half, 0.0, 0.0])


def test_there_is_a_torque_figure_for_each_kind_of_motor():
    figures = torque_speed_figures([rig.recording("x", "mujoco", 0)], get_robot("unitree_go2"), rig.contract())
    assert [figure.caption for figure in figures] == [
        "Hip, thigh: torque [N m] against speed",
        "Calf: torque [N m] against speed",
    ]


def test_a_push_to_the_left_is_drawn_to_the_left():
    one = Scenario.model_validate(
        {**rig.SUITE.scenarios[3].model_dump(), "largest_push": {"at_s": 1.0, "direction_deg": [90.0, 0.0]}}
    )
    trials = tuple(rig.trial(i, largest_push_n=100.0 if i % 2 == 0 else 50.0) for i in range(12))
    outcome = replace(rig.outcome("largest_push", "mujoco", successes=0, trials=0), outcomes=trials)
    figure = push_figure(rig.SUITE, one, [outcome], rig.contract())
    (path,) = re.findall(r'<path d="M([^"]*)" fill="#0072b2"', figure.picture)
    (forward_x, forward_y), (left_x, left_y) = ([float(v) for v in point.split()] for point in path.split("L"))
    assert (forward_x, left_y) == (170.0, 150.0)
    assert 170.0 - left_x == pytest.approx(2 * (150.0 - forward_y), abs=0.2)


def test_pushes_from_any_side_are_drawn_where_they_were_and_those_from_one_side_are_not(made):
    shoves = rig.SUITE.scenarios[2]
    figure = push_figure(rig.SUITE, shoves, [made.of("shoves", "mujoco")], rig.contract())
    assert figure.picture.count('r="2.6"') == 90
    assert figure.picture.count("l6 6m0-6l-6 6") == 10
    aside = Scenario.model_validate({**shoves.model_dump(), "pushes": [{"at_s": 3.0, "force_n": 30.0}]})
    assert push_figure(rig.SUITE, aside, [made.of("shoves", "mujoco")], rig.contract()) is None


def test_the_ground_shows_where_trials_ended(made):
    figure = ground_figure(rig.SUITE.scenarios[1], [made.of("stairs_up", "mujoco")])
    assert figure.picture.count("l5 5m0-5l-5 5") == 80
    assert ground_figure(rig.SUITE.scenarios[0], [made.of("flat_forward", "mujoco")]) is None


def test_a_fall_does_not_squeeze_the_curve_before_it():
    motion = rig.recording("stairs_up", "mujoco", 0, success=False)
    motion.base_lin_vel_b[-1, 0] = 80.0
    forward = velocity_figures([motion])[0].picture
    labels = [float(text.replace("\u2212", "-")) for text in re.findall(r'text-anchor="end">([^<s]*)<', forward)]
    assert max(labels) <= 3.0


def test_measures_are_shown_with_the_interval_of_the_median_and_what_success_asks(made):
    first, _ = measure_rows(rig.SUITE.scenarios[0], [made.of("flat_forward", "mujoco"), None])
    rows = {row.label: row for row in first}
    assert rows["RMS error of forward speed"].bound == "≤ 0.25"
    assert rows["Fell"].values == (("0 of 100", ""), ("", ""))
    assert (rows["Saturation"].unit, rows["Saturation"].values[0]) == ("%", ("0.200", ""))


def test_a_scenario_is_told_in_words():
    told = dict(setting(rig.SUITE.scenarios[2]))
    assert told["Commands"] == "forward 0.5\u202fm/s"
    assert told["Pushes"] == f"20{words.DASH}120\u202fN for 0.2\u202fs at 3{words.DASH}4\u202fs, from any side"
    assert told["Robot and surface"] == f"friction 0.3{words.DASH}0.9; payload 2\u202fkg"


def test_a_curve_has_a_cross_where_the_trial_ended_and_not_where_it_was_shorter_by_plan():
    long, short = (rig.recording("flat_forward", engine, 0, success=True) for engine in ("mujoco", "ovphysx"))
    short = replace(short, **{name: getattr(short, name)[:100] for name in short.arrays()})
    whole = velocity_figures([long, short])[0].picture
    fallen = velocity_figures([long, replace(short, success=False, reason="fell")])[0].picture
    assert whole.count("<path") + 1 == fallen.count("<path")
