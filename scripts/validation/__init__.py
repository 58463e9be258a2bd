# SPDX-License-Identifier: Apache-2.0
"""Published measurements and models of them, run through wse_platform (docs/validation.md).

case.py         a case: a published number, how to measure it, and its bound
bench.py        runs programs, each of them once
families/       the cases; each file is a family
chart.py        pictures of a family
document.py     docs/validation.md and docs/validation/
sensitivity.py  effects of the assumed values: docs/sensitivity.md
"""
