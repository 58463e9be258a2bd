"""JSON Schemas against the readers: schemas_test.py FOLDER_OF_EXECUTABLES SOURCE_TREE

What a reader takes its schema must take: every example, preset and report. What a schema refuses its reader must refuse:
files with one fault, drawn with a fixed seed. A schema may take more: names that nobody declared, numbers out of range.
"""
import copy
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import unittest

try:
    import jsonschema
except ImportError:
    print("skipped: python3-jsonschema is not installed")
    sys.exit(77)

BIN, SOURCE = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
READERS = {"tessera-wse-layout-1": "wse_platform", "tessera-numesh-program-1": "numesh_platform"}
MACHINES = {"wse": "wse_platform", "ascend": "ascend_platform", "numesh": "numesh_platform"}
UNKNOWN_OR_MISSING = re.compile(r"unknown key|is missing")


def validator(schema):
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def shipped(name):
    return validator(json.loads((SOURCE / f"docs/schemas/{name}.schema.json").read_text()))


def run(executable, *arguments):
    return subprocess.run([BIN / executable, *map(str, arguments)], capture_output=True, text=True, timeout=600, check=False)


def programs():
    """Every layout and communication program of the examples."""
    for path in sorted((SOURCE / "examples").rglob("*.json")):
        document = json.loads(path.read_text())
        if isinstance(document, dict) and document.get("schema") in READERS:
            yield path, document


def containers(node):
    """All objects and lists of a document that have something in them."""
    if isinstance(node, (dict, list)) and node:
        yield node
        for child in node.values() if isinstance(node, dict) else node:
            yield from containers(child)


def with_a_fault(document, random_):
    """A copy of `document` with one fault of its form; what was done to it."""
    faulty = copy.deepcopy(document)
    place = random_.choice(list(containers(faulty)))
    key = random_.choice(list(place)) if isinstance(place, dict) else random_.randrange(len(place))
    fault = random_.choice(["remove", "rename", "object", "number", "list"])
    if fault == "rename" and isinstance(place, dict):
        place[key + "_"] = place.pop(key)
    elif fault in ("remove", "rename"):
        del place[key]
    else:
        place[key] = {"object": {"odd": 1}, "number": 1.5, "list": [[]]}[fault]
    return faulty, f"{fault} {key}"


class Schemas(unittest.TestCase):
    def compare(self, document, schema, executable, path, said, *options):
        """Whether both agree on a faulty file; a key that the reader does not know the schema must not know either."""
        path.write_text(json.dumps(document))
        done = run(executable, path, *options) if not options else run(executable, *options)
        refused = next(iter(schema.iter_errors(document)), None)
        if refused is not None:
            self.assertEqual(done.returncode, 2, f"{said}: the schema refuses {refused.json_path}, the reader takes it")
        elif done.returncode == 2:
            self.assertNotRegex(done.stderr, UNKNOWN_OR_MISSING, said)
        return refused is not None

    def test_examples_fit(self):
        count = 0
        for path, document in programs():
            for error in shipped(document["schema"]).iter_errors(document):
                self.fail(f"{path}: {error.json_path}: {error.message}")
            count += 1
        self.assertGreater(count, 30)

    def test_readers_refuse_what_schemas_of_programs_refuse(self):
        random_ = random.Random(1)
        found = list(programs())
        refused = 0
        for _ in range(150):
            path, document = random_.choice(found)
            faulty, fault = with_a_fault(document, random_)
            with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".json") as file:
                target = pathlib.Path(file.name)
                refused += self.compare(faulty, shipped(document["schema"]), READERS[document["schema"]], target,
                                        f"{path}: {fault}", "--validate", "--program", target)
        self.assertGreater(refused, 60)

    def test_config_files(self):
        random_ = random.Random(2)
        with tempfile.TemporaryDirectory() as folder:
            target = pathlib.Path(folder) / "config.json"
            for machine, executable in MACHINES.items():
                preset_files = sorted((SOURCE / "platforms" / machine / "presets").glob("*.json"))
                printed = run(executable, "--print-schema", "--preset", preset_files[0].stem)
                schema = validator(json.loads(printed.stdout))
                for file in preset_files:
                    preset = json.loads(file.read_text())
                    self.assertEqual([e.message for e in schema.iter_errors(preset)], [], file)
                    for _ in range(15):
                        faulty, fault = with_a_fault(preset, random_)
                        if isinstance(faulty, dict) and faulty.get("schema"):
                            faulty.setdefault("base", file.stem)
                        self.compare(faulty, schema, executable, target, f"{file.name}: {fault}", "--print-config",
                                     "--config", target)

    def test_reports(self):
        schema = shipped("tessera-report-1")
        runs = {"wse_platform": "gemv_stream/layout.json", "numesh_platform": "numesh/tour.json",
                "ascend_platform": "ascend/vector_add.pto", "vp_platform": "vp/gemv.vps"}
        params = {"ascend_platform": ["--param", "TILES=4"]}
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder) / "report.json"
            for executable, program in runs.items():
                for more in ([], ["--report-detail"], ["--max-cycles", "20"]):
                    run(executable, SOURCE / "examples" / program, "--quiet", "--report", report, *params.get(executable, []), *more)
                    errors = [f"{e.json_path}: {e.message}" for e in schema.iter_errors(json.loads(report.read_text()))]
                    self.assertEqual(errors, [], program)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
