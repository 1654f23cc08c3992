"""What ends an episode: the functions of :mod:`surefoot.envs.fused.terminations` as terms of a task.

A term of one's own may be any function of the environment that returns (num_envs,), bool, in torch.
"""

from surefoot.envs.fused import terminations
from surefoot.envs.fused.term import make_term
from surefoot.envs.fused.terminations import TerminationTerm

time_out = make_term(TerminationTerm, terminations.time_out, __name__)
fall_contact = make_term(TerminationTerm, terminations.fall_contact, __name__)
tilt = make_term(TerminationTerm, terminations.tilt, __name__)
not_finite = make_term(TerminationTerm, terminations.not_finite, __name__)
left_field = make_term(TerminationTerm, terminations.left_field, __name__)
