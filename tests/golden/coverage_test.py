"""Every layout of examples/ has a golden, every kernel of examples/ascend and examples/validation and every program of examples/csl
has one, and so has every layout of tests/golden/programs.

coverage_test.py EXECUTABLE SOURCES"""
import json
import pathlib
import sys

sys.dont_write_bytecode = True
root = pathlib.Path(sys.argv[2])
sys.path.insert(0, str(root / "scripts"))
import golden  # noqa: E402

held = {(one.path.parent / one.settings["layout"]).resolve() for one in golden.read_goldens(golden.SHIPPED)}
layouts = []
for folder in ("examples", "tests/golden/programs"):
    for path in sorted((root / folder).rglob("*.json")):
        values = json.loads(path.read_text())
        if isinstance(values, dict) and values.get("schema") == "tessera-wse-layout-1":
            layouts.append(path)
layouts += [path for folder in ("ascend", "validation") for path in sorted((root / "examples" / folder).rglob("*.pto"))]
layouts += sorted((root / "examples" / "csl").glob("*/layout.csl"))
assert len(layouts) > 10, f"{len(layouts)} layouts"
missing = [str(path.relative_to(root)) for path in layouts if path.resolve() not in held]
assert not missing, "no golden; make one with scripts/golden.sh add LAYOUT:\n" + "\n".join(missing)
print(f"{len(layouts)} layouts, kernels and CSL programs, all with a golden")
