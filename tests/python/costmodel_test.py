# SPDX-License-Identifier: Apache-2.0
"""`tessera ptoas-costmodel` (docs/ptoas-costmodel.md). costmodel_test.py ASCEND_PLATFORM"""
import copy
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import costmodel_package as given  # noqa: E402
from costmodel import kernel_text, model, schedule  # noqa: E402
from costmodel.package import Package  # noqa: E402
from costmodel.wire import Refused, Written, check_document, digest, fingerprint, parsed, read, read_request, text_of  # noqa: E402

BIN = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else "build/bin/ascend_platform").resolve().parent
TESSERA = [sys.executable, "-B", str(given.ROOT / "scripts/tessera.py"), "ptoas-costmodel", "--bin", str(BIN)]


class WithFolder(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def ask(self, request, *options, action="evaluate", status=0):
        (self.folder / "request.json").write_text(request if isinstance(request, str) else text_of(request))
        done = subprocess.run([*TESSERA, *options, action, "--package", str(self.folder / "p"), "--request", str(self.folder / "request.json")],
                              capture_output=True, text=True, check=False, timeout=500)
        self.assertEqual(done.returncode, status, done.stderr)
        if status != 0:
            self.assertEqual(done.stdout, "")
            return done.stderr
        self.assertEqual(done.stdout, text_of(json.loads(done.stdout)))  # one document in its canonical form
        return done.stdout

    def refused(self, code, call, *arguments):
        with self.assertRaises(Refused) as caught:
            call(*arguments)
        self.assertEqual(caught.exception.code, code, str(caught.exception))


class Answers(WithFolder):
    def test_capabilities_say_what_is_understood(self):
        done = subprocess.run([*TESSERA, "capabilities"], capture_output=True, text=True, check=False, timeout=300)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        answer = json.loads(done.stdout)
        check_document(answer, "capabilities")
        self.assertEqual((answer["targets"], answer["schedule_kinds"], answer["automatic_application"]), (["a5"], ["prefix_suffix_v1"], False))

    def test_a_preload_overlaps_the_cores_and_slots_alone_do_not(self):
        package = given.write(self.folder / "p", trips=4, chain=41)
        serial, slots, ahead = given.candidate(package, 0), given.candidate(package, 0, {"consumer.p": 2}), given.candidate(package, 1)
        text = self.ask(given.request(package, [serial, slots, ahead]))
        rows = json.loads(text)["candidates"]
        times = [row["latency"]["value"] for row in rows]
        self.assertEqual([row["coverage"]["status"] for row in rows], ["complete"] * 3)
        self.assertEqual([row["schedule_fingerprint"] for row in rows], [c["schedule"]["fingerprint"] for c in (serial, slots, ahead)])
        self.assertLess(times[2], 0.98 * times[0])
        self.assertLess(abs(times[1] - times[0]), 0.02 * times[0])
        self.assertEqual(text, self.ask(given.request(package, [serial, slots, ahead])))  # the same bytes again

    def test_proposals_rank_and_search(self):
        package = given.write(self.folder / "p", trips=4, chain=41)
        candidates = [given.candidate(package, 0), given.candidate(package, 1)]
        extensions = json.loads(self.ask(given.request(package, candidates), action="propose"))["extensions"]
        selection = extensions["tilesim.selection.v1"]
        self.assertEqual((selection["action"], selection["recommended_candidate_id"]), ("optimize", candidates[1]["candidate_id"]))
        self.assertEqual([row["rank"] for row in selection["ranking"]], [1, 2])
        found = extensions["tessera.search.v1"]["best"]
        self.assertTrue(found)
        for row in found:  # the compiler may ask for them as they are
            self.assertEqual(schedule.build(package, row["configuration"])["fingerprint"], row["schedule_fingerprint"])

    def test_an_operation_without_a_model_has_no_latency(self):
        package = given.write(self.folder / "p", trips=2, chain=1, operation="pto.tunheardof")
        answer = json.loads(self.ask(given.request(package, [given.candidate(package, 0)]), action="propose"))
        row = answer["candidates"][0]
        self.assertEqual((row["latency"]["value"], row["coverage"]["status"]), (None, "unsupported"))
        self.assertIn("tunheardof", row["coverage"]["unsupported"][0]["what"])
        self.assertNotIn("tilesim.selection.v1", answer["extensions"])

    def test_refusals_leave_nothing_on_standard_output(self):
        package = given.write(self.folder / "p", trips=2)
        self.assertIn("SCHEMA", self.ask("{", status=2))
        self.assertIn("ADAPTER_CONFIG", self.ask(given.request(package, [given.candidate(package, 0)]), "--preset", "a6", status=2))


class Refusals(WithFolder):
    def setUp(self):
        super().setUp()
        self.package = given.write(self.folder / "p", trips=4)
        self.request = given.request(self.package, [given.candidate(self.package, 0), given.candidate(self.package, 2)])

    def changed(self, change):
        request = copy.deepcopy(self.request)
        change(request)
        return request

    def test_the_request_itself_is_right(self):
        self.package.check_request(self.request)

    def test_a_changed_file(self):
        for name in ("canonical.pto", "program.json", "runtime_bindings.json", "target_profile.json"):
            path = self.folder / "p" / name
            text = path.read_text()
            path.write_text(text + "\n")
            self.refused("PACKAGE_INTEGRITY", Package, self.folder / "p")
            path.write_text(text)
        (self.folder / "p/program.json").unlink()
        self.refused("PACKAGE_INTEGRITY", Package, self.folder / "p")

    def test_what_a_request_may_not_say(self):
        first = self.request["candidates"][0]
        for code, change in (
                ("UNSUPPORTED_FEATURE", lambda r: r["required_features"].append("time_travel")),
                ("VERSION", lambda r: r.update(protocol_version="3.0")),
                ("SCHEMA", lambda r: r.update(kind="plan")),
                ("SCHEMA", lambda r: r.update(hint=1)),
                ("SCHEMA", lambda r: r.update(extensions={"hint": 1})),
                ("UNKNOWN_ID", lambda r: r["candidates"][1].update(candidate_id="0" * 64)),
                ("UNKNOWN_ID", lambda r: r["identity"].update(program_fingerprint="0" * 64)),
                ("DUPLICATE_ID", lambda r: r["candidates"].append(first)),
                ("BASELINE", lambda r: r.update(baseline_candidate_id=r["candidates"][1]["candidate_id"])),
                ("RANGE", lambda r: r["search_budget"].update(max_candidates=1)),
                ("OWNERSHIP", lambda r: r["candidates"][0]["configuration"]["buffers"][0].update(buffer_id="producer.w")),
                ("UNKNOWN_ID", lambda r: r["candidates"][0]["configuration"]["buffers"][0].update(buffer_id="nobody")),
                ("MISSING_BUFFER", lambda r: r["candidates"][0]["configuration"]["buffers"].pop()),
                ("SCHEDULE", lambda r: r["candidates"][1]["schedule"]["core_order"]["cube"].reverse()),
                ("UNSUPPORTED", lambda r: r.update(objective="energy"))):
            self.refused(code, self.package.check_request, self.changed(change))

    def outcome(self, read, text):
        (self.folder / "request.json").write_text(text)
        try:
            self.package.check_request(read(self.folder / "request.json"))
        except Refused as refused:
            return refused.code
        return "right"

    def test_schedules_that_are_compared_as_text_are_judged_as_those_that_are_read(self):
        text = text_of(self.request)
        requested = text.rindex('"requested_preload": 2')
        deep = '"x": ' + "[" * 70 + "]" * 70 + ", "
        for name, changed, code in (
                ("canonical", text, "right"), ("compact", json.dumps(self.request), "right"),
                ("a slot", text.replace('"slot": 0', '"slot": 1', 1), "SCHEDULE"),
                ("a fraction", text.replace('"slot": 0', '"slot": 0.0', 1), "SCHEDULE"),
                ("a truth value", text.replace('"slot": 0', '"slot": false', 1), "SCHEDULE"),
                ("a number", text.replace('"slot": 0', '"slot": 2147483648', 1), "RANGE"),
                ("no number", text.replace('"slot": 0', '"slot": NaN', 1), "SCHEMA"),
                ("no value", text.replace('"slot": 0', '"slot": ', 1), "SCHEMA"),
                ("a key twice", text.replace('"slot": 0', '"slot": 0, "slot": 0', 1), "SCHEMA"),
                ("a key more", text[:requested] + '"x": 1, ' + text[requested:], "SCHEDULE"),
                ("depth", text[:requested] + deep + text[requested:], "SCHEMA"),
                ("two schedules", text.replace('"schedule": {', '"schedule": {}, "schedule": {', 1), "SCHEMA"),
                ("no schedule", text.replace('      "schedule": {', '      "plan": {', 1), "SCHEMA"),
                ("the end", text[:-20], "SCHEMA")):
            self.assertEqual((name, self.outcome(read, changed)), (name, code))
            self.assertEqual((name, self.outcome(read_request, changed)), (name, code))
        self.assertTrue(all(isinstance(c["schedule"], Written) for c in self.read_again(text)["candidates"]))

    def read_again(self, text):
        (self.folder / "request.json").write_text(text)
        return read_request(self.folder / "request.json")

    def test_a_schedule_with_a_fingerprint_of_its_own_is_still_compared(self):
        def change(request):
            plan = request["candidates"][1]["schedule"]
            plan["dependencies"].pop()
            plan["fingerprint"] = fingerprint({key: value for key, value in plan.items() if key != "fingerprint"})
        self.refused("SCHEDULE", self.package.check_request, self.changed(change))

    def test_numbers_of_a_schedule_are_whole_numbers(self):
        for value in (2.0, 2.5):
            self.refused("SCHEDULE", self.package.check_request, self.changed(
                lambda r, value=value: r["candidates"][1]["schedule"].update(requested_preload=value)))
        self.refused("SCHEDULE", self.package.check_request, self.changed(
            lambda r: next(e for e in r["candidates"][1]["schedule"]["events"] if e["iteration"] == 1).update(iteration=True)))
        self.refused("SCHEDULE", self.package.check_request, self.changed(lambda r: r["candidates"][1]["schedule"].update(hint=1)))

    def test_the_fingerprint_is_that_of_the_canonical_text(self):
        package = given.write(self.folder / "q", trips=5, chain=7)
        for preload in range(4):
            least = schedule.least_slots(package, preload)
            for more in (0, 1, 3):
                plan = schedule.build(package, package.configuration(preload, {name: n + more for name, n in least.items()}))
                said = plan.pop("fingerprint")
                self.assertEqual(said, fingerprint(plan))

    def test_too_few_slots(self):
        configuration = self.package.configuration(2, {})
        self.refused("INSUFFICIENT_SLOTS", schedule.build, self.package, configuration)

    def test_documents_of_random_changes_are_refused_or_right(self):
        choice = random.Random(7)
        texts = {path.name: path.read_text() for path in (self.folder / "p").iterdir()}
        for _ in range(150):
            request = copy.deepcopy(self.request)
            for _ in range(choice.randint(1, 3)):
                mutate(choice, request)
            try:
                self.package.check_request(request)
            except Refused:
                pass
        for _ in range(60):  # a program with digests that hold
            program = json.loads(texts["program.json"])
            mutate(choice, program)
            manifest = json.loads(texts["manifest.json"])
            manifest["program_fingerprint"], manifest["files"]["program.json"] = fingerprint(program), digest(text_of(program))
            (self.folder / "p/program.json").write_text(text_of(program))
            (self.folder / "p/manifest.json").write_text(text_of(manifest))
            try:
                package = Package(self.folder / "p")
                kernel_text.Kernel(package).arranged(package.configuration(1, schedule.least_slots(package, 1)),
                                                       given.candidate(package, 1)["schedule"])
            except Refused:
                pass


class Texts(unittest.TestCase):
    """Large documents are read without a look at each object, and refused for the same reasons."""

    def test_keys_that_appear_twice(self):
        for text in ('{"a": 1, "a": 2}', '{"a" : 1, "a": 2}', '{"a"\n:1,"a":2}', '[{"b": {"a": 1, "c": 3, "a": 2}}]', '{"a\\":": 1, "x": {"b": 1, "b": 1}}'):
            with self.assertRaises(Refused, msg=text) as caught:
                parsed(text)
            self.assertEqual(caught.exception.code, "SCHEMA")

    def test_what_looks_like_it(self):
        for text in ('{"a" : 1, "b": 2}', '{"a\\":": "\\":"}', '{"a": {"a": "\\" :"}}', '[]', '"a"', '{"a": 2147483647}', '{"a": [1.5e3, -2147483647, true]}'):
            self.assertEqual(parsed(text), json.loads(text))

    def test_numbers_and_depth(self):
        for code, text in (("RANGE", "2147483648"), ("RANGE", '{"a": [-2147483648]}'), ("SCHEMA", "[1e999]"), ("SCHEMA", "[NaN]"),
                           ("SCHEMA", "[" * 70 + "]" * 70)):
            with self.assertRaises(Refused, msg=text) as caught:
                parsed(text)
            self.assertEqual(caught.exception.code, code)


def mutate(choice, value):
    """Changes one place of a document."""
    places = []

    def visit(item):
        if isinstance(item, (dict, list)):
            for key in item if isinstance(item, dict) else range(len(item)):
                places.append((item, key))
                visit(item[key])
    visit(value)
    parent, key = choice.choice(places)
    new = choice.choice([None, -1, 0, 2**40, 1.5, "", "x", [], {}, True, [[]], {"a": 1}])
    if isinstance(parent, dict) and choice.random() < 0.3:
        del parent[key]
    else:
        parent[key] = new


class Schedules(WithFolder):
    def test_the_order_of_stages(self):
        self.assertEqual(schedule.stage_order(2, 0), [("C_QK", 0), ("V_P", 0), ("C_PV", 0), ("V_O", 0), ("C_QK", 1), ("V_P", 1), ("C_PV", 1), ("V_O", 1)])
        self.assertEqual(schedule.stage_order(2, 1), [("C_QK", 0), ("V_P", 0), ("C_QK", 1), ("V_P", 1), ("C_PV", 0), ("V_O", 0), ("C_PV", 1), ("V_O", 1)])
        self.assertEqual(schedule.stage_order(2, 9), schedule.stage_order(2, 2))

    def test_preloads_beyond_the_iterations_are_those_of_all(self):
        package = given.write(self.folder / "p", trips=3)
        plans = [schedule.build(package, package.configuration(p, schedule.least_slots(package, 3))) for p in (3, 4, 200)]
        self.assertEqual([plan["effective_preload"] for plan in plans], [3, 3, 3])
        self.assertEqual(plans[0]["core_order"], plans[2]["core_order"])
        self.assertEqual(len({plan["fingerprint"] for plan in plans}), 3)

    def test_a_value_that_crosses_stages_needs_a_slot_for_each_that_is_ahead(self):
        package = given.write(self.folder / "p", trips=6)
        for preload in (0, 1, 2, 5):
            self.assertEqual(schedule.least_slots(package, preload)["consumer.p"], preload + 1)
        apart = given.write(self.folder / "q", trips=6, crossing=False)
        self.assertEqual(schedule.least_slots(apart, 5)["consumer.p"], 1)

    def test_slots_of_a_buffer_are_tiles_that_take_turns(self):
        package = given.write(self.folder / "p", trips=4, chain=1)
        candidate = given.candidate(package, 1)
        text = kernel_text.Kernel(package).arranged(candidate["configuration"], candidate["schedule"])
        self.assertIn("%p__slot1 = pto.alloc_tile", text)
        self.assertEqual(text.count("outs(%p__slot1"), 2)
        self.assertNotIn("scf.for", text)

    def test_identical_texts_run_once(self):
        package = given.write(self.folder / "p", trips=2, chain=1, crossing=False)
        texts = []

        class Counting(model.Machine):
            def __init__(self):
                self.jobs, self.model = 1, dict.fromkeys(("name", "revision", "adapter_version", "config_fingerprint"), "x")

            def run(self, text, folder, name):
                texts.append(text)
                return "no"
        candidates = [given.candidate(package, 2), given.candidate(package, 3), given.candidate(package, 200)]
        model.evaluate(package, given.request(package, [given.candidate(package, 0), *candidates]), Counting())
        self.assertEqual(len(texts), 2)


if __name__ == "__main__":
    unittest.main()
