"""What evaluation_isaac_probe.py does to robots, one effect after the other: each begins trials of its own."""

from dataclasses import replace

import numpy as np
from tests.sim.evaluation_isaac_trials import NUM_JOINTS, NUM_TRIALS, STAIRS, batch

from surefoot.evaluation.engines.isaac_engine import IsaacTrialEngine
from surefoot.evaluation.trials.batch import Variation
from surefoot_bridge.errors import SurefootError
from surefoot_bridge.state import JointCommand


def bodies(engine: IsaacTrialEngine) -> dict:
    """Read payload and friction back from the engine, and weigh the robots by their feet."""
    from surefoot.evaluation.engines.payload import payload_position_b
    from surefoot.randomization.bodies import compose_reference
    from surefoot.randomization.nominal_model import read_nominal_model
    from surefoot.randomization_checks.readback import make_readback

    env, payload = engine.env, np.linspace(0.0, 5.0, NUM_TRIALS)
    friction = np.linspace(0.2, 1.2, NUM_TRIALS)
    engine.begin(batch(payload_kg=payload, friction=friction))
    readback, model = make_readback(env), read_nominal_model(env.robot_spec)
    held = readback.bodies()
    base = model.body_names.index(env.robot_spec.base_body)
    errors = {"mass_kg": 0.0, "com_m": 0.0, "inertia_kgm2": 0.0}
    nominal = {item.name: np.array(item.nominal) for item in env.randomization.layout.parameters}
    for trial in range(NUM_TRIALS):
        values = {
            **nominal,
            "payload_mass": payload[trial : trial + 1],
            "payload_position": np.array(payload_position_b(env.robot_spec)),
        }
        wanted = compose_reference(model, base, values)
        for name in errors:
            difference = np.abs(getattr(held, name)[trial] - getattr(wanted, name)).max().item()
            errors[name] = max(errors[name], difference)
    command = hold(engine)
    force_n = []
    for _ in range(120):
        engine.step(command, None)
        force_n.append(engine.truth().foot_force_n.sum(axis=1))
    weight_n = 9.81 * (model.mass_kg.sum() + payload)
    shown = readback.held("foot_friction")
    return {
        "body_errors": errors,
        "friction_error": np.abs(shown - friction[:, None]).max().item(),
        "contact_friction": contact_friction(engine),
        "friction": friction.tolist(),
        "weight_ratio": (np.mean(force_n[-40:], axis=0) / weight_n).tolist(),
        "standing_specific_force": np.linalg.norm(engine.report().imu_lin_acc_m_s2, axis=1).tolist(),
    }


def contact_friction(engine: IsaacTrialEngine) -> list[float]:
    """Return the friction of live contacts by robot, where the engine shows it."""
    if engine.name != "newton_mjwarp":
        return []
    from isaaclab_newton.physics import NewtonManager

    data = NewtonManager._solver.mjw_data
    count = int(data.nacon.numpy()[0])
    world, friction = data.contact.worldid.numpy()[:count], data.contact.friction.numpy()[:count, 0]
    return [float(friction[world == trial].max()) for trial in range(NUM_TRIALS)]


def slipping(engine: IsaacTrialEngine) -> dict:
    """Push standing robots to the left, with slippery and with sound feet."""
    friction = np.where(np.arange(NUM_TRIALS) < NUM_TRIALS // 2, 0.1, 1.0)
    engine.begin(batch(friction=friction))
    command = hold(engine)
    for _ in range(60):
        engine.step(command, None)
    start = engine.truth().foot_pos_w
    push = np.tile((0.0, 40.0, 0.0), (NUM_TRIALS, 1))
    for _ in range(60):
        engine.step(command, push)
    slid_m = np.linalg.norm(engine.truth().foot_pos_w - start, axis=-1).mean(axis=1)
    return {"slid_m": slid_m.tolist()}


def motors(engine: IsaacTrialEngine) -> dict:
    """Ask robots in the air for torques, with weak, hot and undervolted motors, and with shifted encoders."""
    n, j = NUM_TRIALS, NUM_JOINTS
    strength = np.tile(np.linspace(0.5, 1.0, n)[:, None], (1, j))
    encoder = np.linspace(-0.05, 0.05, n * j).reshape(n, j)
    strength[0] = np.linspace(0.4, 1.0, j)
    engine.begin(batch(motor_strength=strength, encoder_offset_rad=encoder))
    lift(engine)
    engine.step(hold(engine, torque_nm=2.0, gain=0.0), None)
    report, truth = engine.report(), engine.truth()
    seen = {
        "strength_error": np.abs(truth.motor_torque_nm - 2.0 * strength).max().item(),
        "strength_reported_error": np.abs(report.joint_torque_nm - truth.motor_torque_nm).max().item(),
        "encoder_error": np.abs(report.joint_pos_rad - truth.joint_pos_rad - encoder).max().item(),
        "cut_below_limit": bool(truth.torque_cut.any()),
    }
    heat = np.zeros((n, j))
    heat[1] = 1.5
    voltage = np.ones(n)
    voltage[2] = 0.7
    cold = np.ones(n)
    cold[3] = 4.0
    engine.begin(batch(motor_heat=heat, battery_voltage=voltage, battery_sag_per_s=np.full(n, 0.1), cold_friction=cold))
    lift(engine)
    engine.step(hold(engine, torque_nm=100.0, gain=0.0), None)
    report, truth = engine.report(), engine.truth()
    table, order = engine.env.randomization.table, engine.env.robot_spec
    limit = np.array(order.joint_values("effort_limit_nm"))[[order.joint_names.index(x) for x in order.sdk_joint_names]]
    friction = table.view("coulomb_friction").cpu().numpy()
    return {
        **seen,
        "torque_share": (truth.motor_torque_nm / limit).mean(axis=1).tolist(),
        "all_cut": bool(truth.torque_cut.all()),
        "start_heat": truth.motor_heat.mean(axis=1).tolist(),
        "temperature_c": report.motor_temperature_c.mean(axis=1).tolist(),
        "voltage": engine.env.actuator.voltage.tolist(),
        "cold_ratio": float((friction[3] / friction[0]).mean()),
    }


def pushes(engine: IsaacTrialEngine) -> dict:
    """Push robots in the air for two ticks, and see their centre of mass move and their base not be turned."""
    payload = np.linspace(0.0, 5.0, NUM_TRIALS)
    engine.begin(batch(payload_kg=payload))
    lift(engine)
    data = engine.env.robot.data

    def momentum() -> np.ndarray:
        mass = data.body_mass.torch[..., None].cpu().numpy()
        return (mass * data.body_com_vel_w.torch[..., :3].cpu().numpy()).sum(axis=1)[:, :2]

    command = hold(engine)
    engine.step(command, None)
    steps = [momentum()]
    force = np.zeros((NUM_TRIALS, 3))
    force[1:, 1] = 30.0
    force[2:, 0] = -20.0
    for push in (force, force, None):
        engine.step(command, push)
        steps.append(momentum())
    impulse = np.diff(np.stack(steps), axis=0)  # (3, n, 2)
    return {
        "impulse_error_ns": np.abs(impulse[:2] - force[:, :2] * engine.tick_s).max().item(),
        "impulse_after_ns": np.abs(impulse[2]).max().item(),
        "impulse_ns": 30.0 * engine.tick_s,
    }


def refusals(engine: IsaacTrialEngine) -> dict:
    """Ask for what the engine was not opened for."""
    said = []
    many = batch()
    more = {name: np.concatenate([value, value]) for name, value in vars(many.variation).items()}
    for wrong in (
        replace(many, numbers=np.arange(2 * NUM_TRIALS), variation=Variation(**more)),
        replace(many, scenario=STAIRS),
    ):
        try:
            engine.begin(wrong)
        except SurefootError as error:
            said.append(str(error))
    return {"refusals": said}


def hold(engine: IsaacTrialEngine, *, torque_nm: float = 0.0, gain: float = 60.0) -> JointCommand:
    """Return a command that holds the joints where they are, or with no gain just asks for a torque."""
    truth = engine.truth()
    q = truth.joint_pos_rad
    zero = np.zeros_like(q)
    return JointCommand(q, zero, zero + gain, zero + gain / 20.0, zero + torque_nm)


def lift(engine: IsaacTrialEngine) -> None:
    """Put the robots a metre higher."""
    robot = engine.env.robot
    pose = robot.data.root_link_pose_w.torch.clone()
    pose[:, 2] += 1.0
    robot.write_root_link_pose_to_sim_index(root_pose=pose)
