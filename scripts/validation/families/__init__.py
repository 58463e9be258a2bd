"""The families, one a file: each defines FAMILY (case.Family) and, to stand elsewhere than at the end, ORDER."""
import importlib
import pkgutil


def all_families():
    modules = [importlib.import_module(f"{__name__}.{found.name}") for found in pkgutil.iter_modules(__path__)]
    modules.sort(key=lambda module: (getattr(module, "ORDER", 100), module.FAMILY.name))
    return [module.FAMILY for module in modules]
