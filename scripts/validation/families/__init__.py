# SPDX-License-Identifier: Apache-2.0
"""The families, one a file. A file that is put here is found; it defines FAMILY, and ORDER to stand elsewhere than at the end:

    def time(bench, n):
        run = bench.run("my_example/layout.json", "wse2", ["stamps"], W=n)    # each set of parameters is run once
        return run.stamp("stamps", 1) - run.stamp("stamps", 0)

    FAMILY = Family("mine", "What it is", "Text for the page.", [
        Case("A1, M", f"{n} PEs", 10 * n, lambda bench, n=n: time(bench, n), tolerance=percent(4), quick=n < 100)
        for n in (8, 64, 512)])
"""
import importlib
import pkgutil


def all_families():
    modules = [importlib.import_module(f"{__name__}.{found.name}") for found in pkgutil.iter_modules(__path__)]
    modules.sort(key=lambda module: (getattr(module, "ORDER", 100), module.FAMILY.name))
    return [module.FAMILY for module in modules]
