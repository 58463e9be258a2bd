# SPDX-License-Identifier: Apache-2.0
"""How much of its table a long test runs. The default run takes a part that is the same every time; soak.NAME is the same test
with TESSERA_TEST_WHOLE=1, and runs all of it (tessera_part_test in tests/CMakeLists.txt)."""
import os

WHOLE = os.environ.get("TESSERA_TEST_WHOLE") == "1"


def part(rows, one_in):
    """All rows, or one in `one_in` of them."""
    rows = list(rows)
    return rows if WHOLE else rows[::one_in]


def count(whole, otherwise):
    return whole if WHOLE else otherwise
