"""Text and gait bars over a video frame."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from surefoot.motion_recording import GAIT_WINDOW_S, stretches
from surefoot.playing.recording import EpisodeRecording

PUSH_SHOWN_S = 0.7

_INK, _PANEL, _COMMAND, _MEASURED, _ALERT = (
    (25, 28, 32),
    (255, 255, 255, 200),
    (20, 120, 60),
    (30, 80, 190),
    (200, 30, 30),
)


@dataclass(frozen=True)
class Overlay:
    """Draws what a step of a recording asked for and what came of it.

    Attributes:
        recording: The motion.
        foot_names: Names of the feet, in the order of the recording's contacts.
    """

    recording: EpisodeRecording
    foot_names: tuple[str, ...]

    def draw(self, frame: np.ndarray, step: int) -> np.ndarray:
        """Return a copy of a frame, shape (height, width, 3), uint8, with the overlay of a step."""
        image = Image.fromarray(frame)
        canvas = ImageDraw.Draw(image, "RGBA")
        self._draw_text(canvas, image.height, step)
        self._draw_gait(canvas, image.width, image.height, step)
        return np.asarray(image)

    def _draw_text(self, canvas: ImageDraw.ImageDraw, height: int, step: int) -> None:
        size = max(10, height // 30)
        command, measured = self.recording.command[step], self.recording.velocity[step]
        lines = [
            (f"{self.recording.task}   {(step + 1) * self.recording.step_dt:5.2f} s", _INK),
            (f"command   vx {command[0]:+.2f}  vy {command[1]:+.2f} m/s  yaw {command[2]:+.2f} rad/s", _COMMAND),
            (f"measured  vx {measured[0]:+.2f}  vy {measured[1]:+.2f} m/s  yaw {measured[2]:+.2f} rad/s", _MEASURED),
        ]
        if self.recording.fell[step]:
            lines.append(("fallen", _ALERT))
        push = self._recent_push(step)
        if push is not None:
            direction = np.degrees(np.arctan2(push[1], push[0]))
            lines.append(
                (f"push {np.hypot(*push):.3g} {self.recording.push_unit} towards {direction:+.0f} deg", _ALERT)
            )
        width = max(canvas.textlength(text, font=_font(size)) for text, _ in lines)
        canvas.rounded_rectangle((8, 8, 24 + width, 16 + len(lines) * 1.3 * size), radius=6, fill=_PANEL)
        for row, (text, color) in enumerate(lines):
            canvas.text((16, 11 + row * 1.3 * size), text, font=_font(size), fill=color)

    def _recent_push(self, step: int) -> np.ndarray | None:
        first = max(0, step - round(PUSH_SHOWN_S / self.recording.step_dt))
        pushes = self.recording.push[first : step + 1]
        pushed = np.flatnonzero(np.any(pushes != 0.0, axis=1))
        return pushes[pushed[-1]] if len(pushed) else None

    def _draw_gait(self, canvas: ImageDraw.ImageDraw, width: int, height: int, step: int) -> None:
        """Draw one bar a foot, dark where it touched the ground, with now at the right edge."""
        size = max(9, height // 40)
        label = 8 + max(canvas.textlength(name, font=_font(size)) for name in self.foot_names)
        row_height = round(1.3 * size)
        left, right = 8 + label, width - 16
        top = height - 12 - row_height * len(self.foot_names)
        canvas.rounded_rectangle((8, top - 4, width - 8, height - 6), radius=6, fill=_PANEL)
        steps = round(GAIT_WINDOW_S / self.recording.step_dt)
        pixels_per_step = (right - left) / steps
        for foot, name in enumerate(self.foot_names):
            y = top + foot * row_height
            canvas.text((14, y), name, font=_font(size), fill=_INK)
            contact = self.recording.foot_contact[max(0, step + 1 - steps) : step + 1, foot]
            for start, stop in stretches(contact):
                x = right - (len(contact) - np.array([start, stop])) * pixels_per_step
                canvas.rectangle((x[0], y + 2, x[1], y + row_height - 2), fill=_INK)


@cache
def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)
