# SPDX-License-Identifier: Apache-2.0
"""What calls raise."""

from typing import Any


class Error(Exception):
    """A call that the library refused; `status` is a tessera_status."""

    report: dict[str, Any] | None = None  # the report of a run of a kernel in C++, if there is one

    def __init__(self, status: int, text: str):
        super().__init__(text)
        self.status = status


class FailedError(Error):
    """The program did what the machine does not allow. Machine.reset() makes it usable again."""
