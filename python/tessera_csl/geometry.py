# SPDX-License-Identifier: Apache-2.0
"""Points and rectangles of the grid of PEs."""
from dataclasses import dataclass


@dataclass(frozen=True)
class IntVector:
    """A point of the grid."""
    x: int
    y: int

    def __add__(self, other):
        return IntVector(self.x + other.x, self.y + other.y)

    def __sub__(self, other):
        return IntVector(self.x - other.x, self.y - other.y)


@dataclass(frozen=True)
class IntRectangle:
    """A rectangle from its upper left PE to the PE after its lower right one."""
    upper_left: IntVector
    lower_right: IntVector

    def __post_init__(self):
        if self.width < 1 or self.height < 1:
            raise ValueError(f"the rectangle from {self.upper_left} to {self.lower_right} has no PE; "
                             "the second corner lies outside of it")

    @property
    def width(self):
        return self.lower_right.x - self.upper_left.x

    @property
    def height(self):
        return self.lower_right.y - self.upper_left.y
