# SPDX-License-Identifier: Apache-2.0
"""A published number, how the model comes to its own, and how far the two may be apart."""
import dataclasses
import math
import typing

CALIBRATED, PREDICTED = "calibrated", "predicted"


@dataclasses.dataclass(frozen=True)
class Tolerance:
    """How far the model may be off. A result that is further off makes the run fail."""
    text: str
    percent: typing.Optional[float] = None
    units: typing.Optional[float] = None  # in units of the case: cycles, cycles per hop
    low: typing.Optional[float] = None    # a published range
    high: typing.Optional[float] = None

    def holds(self, ours, published):
        if self.low is not None:
            return self.low <= ours <= self.high
        allowed = self.units if self.units is not None else abs(published) * self.percent / 100
        return abs(ours - published) <= allowed + 1e-9


def percent(limit):
    return Tolerance(f"{limit} %", percent=limit)


def cycles(limit):
    return Tolerance(f"{limit} cycle" + "s" * (limit != 1), units=limit)


def exact():
    """To three digits after the point."""
    return Tolerance("exact", units=0.0005)


def between(low, high):
    return Tolerance(f"{low} to {high}", low=low, high=high)


@dataclasses.dataclass(frozen=True)
class Case:
    """`measure(bench)` gives the model's number. `calibrated`: a parameter of the preset was set by this number."""
    source: str  # "A2, S": section of wse_timing.md, S the vendor's simulator, H silicon, M a published model
    name: str
    published: float
    measure: typing.Callable
    unit: str = "cycles"
    calibrated: bool = False
    tolerance: typing.Optional[Tolerance] = None  # None: shown, not held
    note: str = ""
    quick: bool = True  # part of the short run that the tests make
    long: bool = False  # takes minutes: only with --long and for the page
    beside: typing.Optional[typing.Callable] = None  # of numbers of silicon: the same with the preset that follows the simulator

    @property
    def role(self):
        return CALIBRATED if self.calibrated else PREDICTED


@dataclasses.dataclass(frozen=True)
class Result:
    family: str
    case: Case
    ours: typing.Optional[float]  # None: its run failed
    simulator: typing.Optional[float] = None  # what case.beside gives

    @property
    def error_percent(self):
        """Infinite where nothing was published but 0, or no run came to an end."""
        if self.ours is None:
            return float("inf")
        if self.case.published == 0:
            return 0.0 if self.ours == 0 else float("inf")
        return 100 * (self.ours - self.case.published) / self.case.published

    @property
    def holds(self):
        if self.ours is None:
            return False
        return self.case.tolerance is None or self.case.tolerance.holds(self.ours, self.case.published)

    def as_json(self):
        finite = math.isfinite(self.error_percent)  # JSON has no infinity
        return {"source": self.case.source, "case": f"{self.family}: {self.case.name}", "unit": self.case.unit,
                "published": round(self.case.published, 6), "ours": None if self.ours is None else round(self.ours, 6),
                "error_percent": round(self.error_percent, 3) if finite else None, "role": self.case.role,
                "tolerance": self.case.tolerance.text if self.case.tolerance else None, "holds": self.holds}


@dataclasses.dataclass(frozen=True)
class Family:
    """What a file of families/ calls FAMILY: cases that share a workload."""
    name: str
    title: str
    text: str  # Markdown for docs/validation.md: the workload, what was calibrated, what contradicts what
    cases: typing.Sequence[Case]
    # charts(bench) gives chart.Chart objects; None: no picture.
    charts: typing.Optional[typing.Callable] = None
    median: typing.Optional[float] = None  # the median of all errors is at most so many percent
    group: typing.Optional[typing.Callable] = None  # group(case) names its group; the page has median and worst of each
    group_median: typing.Optional[float] = None  # the median of the errors of each group is at most so many percent
    platform: str = "wse"  # or "ascend", "csl": docs/sensitivity.md is about wse
