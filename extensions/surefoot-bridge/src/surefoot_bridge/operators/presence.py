"""Whether a person is there: what keys and buttons say of it, and what their silence says.

A heartbeat that a program sends by itself says that the program runs, not that anybody watches the robot. So only what
a person does counts as a sign, and there are two answers to silence:

- *Motion needs a dead-man's sign.* A velocity command lasts for as long as keys repeat or events come, and becomes zero
  ``motion_s`` after the last: its policy keeps the robot's balance. Key repetition begins 250 ms
  (Linux console) to 660 ms (X11) after a key was pressed, and a terminal does not tell when a key is released, so
  ``motion_s`` cannot be shorter than that.
- *Presence needs an acknowledgement now and then.* Any sign counts for ``presence_s``. Then the heartbeat stands
  still, and half a second later safety stops the robot, which stands until it is asked to walk. To demand a finger on
  a key from standing up to sitting down would end in a weight on the keyboard.

What is certain is told at once: the terminal or the joystick is gone, and the heartbeat is that of the last sign.
"""

import math

PAUSE_S = 0.25
"""Time between two looks at an operator from which keys and buttons of before no longer count [s]: much longer than any
tick may be late, and as short as a person takes to see that nothing happens. Assumption."""


class Presence:
    """What is known of a person's presence.

    Args:
        time_s: When the person was there last: the control loop's clock when the checklist was acknowledged [s].
        motion_s: How long a velocity command outlives the last sign [s].
        presence_s: How long a sign counts as presence [s].
    """

    def __init__(self, time_s: float, *, motion_s: float, presence_s: float) -> None:
        self._last_s = time_s
        self._moves_until_s = -math.inf
        self._motion_s, self._presence_s = motion_s, presence_s
        self._gone = False
        self._looked_s = -math.inf

    def resumed(self, time_s: float) -> bool:
        """Say that the operator is looked at, and return whether that begins, or begins again after a pause.

        What was typed before the control loop ran, while it was stopped, or while it stood still was typed to a robot
        that did not answer: nobody can know what it was meant for. Only a stop is always meant.
        """
        before_s, self._looked_s = self._looked_s, time_s
        return time_s - before_s > PAUSE_S

    def seen(self, time_s: float) -> None:
        """Take a sign of the person."""
        self._last_s = time_s
        self._moves_until_s = time_s + self._motion_s

    def gone(self) -> None:
        """Take it that no sign can come any more."""
        self._gone = True

    def may_move(self, time_s: float) -> bool:
        """Return whether a velocity command still counts at a time."""
        return not self._gone and time_s < self._moves_until_s

    def heartbeat_s(self, time_s: float) -> float:
        """Return when the person was there last, as far as is known at a time [s]."""
        if self._gone:
            return self._last_s
        return min(time_s, self._last_s + self._presence_s)
