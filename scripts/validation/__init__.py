"""Published measurements and models of them, run through wse_platform (docs/validation.md).

case.py         what a case is, and what it may be off
bench.py        runs programs, every one once
families/       the cases; a file more is a family more
chart.py        pictures of a family
document.py     docs/validation.md and docs/validation/
sensitivity.py  what the values that nobody has measured do: docs/sensitivity.md
"""
