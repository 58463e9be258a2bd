# SPDX-License-Identifier: Apache-2.0
"""Predictions of ascend_platform: a pool of runs without values, one for each kernel that differs."""
import concurrent.futures
import contextlib
import hashlib
import json
import os
import re
import subprocess
import tempfile
from pathlib import Path

from . import schedule
from .kernel_text import Kernel
from .wire import SCHEDULE, SEMANTICS, MOST_CANDIDATES, MOST_TRIPS, Refused, check_document, digest, header, need

ADAPTER_VERSION = "2.0"
LEAST_GAIN, TIE = 0.02, 0.005
RUN_SECONDS = 100
MOST_TEXT = 300
# A run is so short that most of it would be page faults of memory that malloc gives back to the system and takes again.
SHORT_RUNS = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1", "MALLOC_TOP_PAD_": str(64 << 20), "MALLOC_MMAP_THRESHOLD_": str(1 << 30),
              "MALLOC_TRIM_THRESHOLD_": str(1 << 30)}


class Machine:
    """The executable and its preset."""

    def __init__(self, executable, preset, sets=(), jobs=None):
        self.executable, self.preset, self.sets = str(executable), preset, list(sets)
        self.jobs = jobs or len(os.sched_getaffinity(0))
        need(os.access(self.executable, os.X_OK), "ADAPTER_CONFIG", f"no executable {self.executable}")
        config, version = (self._ask("--print-config", *self._options()), self._ask("--version"))
        self.model = {"name": "tessera", "revision": version.splitlines()[0], "adapter_version": ADAPTER_VERSION,
                      "config_fingerprint": digest(config)}

    def _options(self):
        return ["--preset", self.preset, *(word for text in self.sets for word in ("--set", text))]

    def _ask(self, *words):
        done = subprocess.run([self.executable, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=RUN_SECONDS)
        need(done.returncode == 0, "ADAPTER_CONFIG", (done.stderr.strip().splitlines() or ["no answer of the executable"])[0])
        return done.stdout

    def run(self, text, folder, name):
        """The report of a kernel, or the sentence that says why there is none."""
        program, report = Path(folder) / f"{name}.pto", Path(folder) / f"{name}.json"
        program.write_text(text)
        command = [self.executable, str(program), *self._options(), "--set", "launch.clusters=1", "--set", "launch.ratio=1:2", "--no-data",
                   "--hazards", "off", "--no-waits", "--quiet", "--report", str(report)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=RUN_SECONDS,
                                  env={**os.environ, **SHORT_RUNS})
        except subprocess.TimeoutExpired:
            return f"the run takes longer than {RUN_SECONDS} s"
        if done.returncode != 0:
            said = re.sub(r"^ascend_platform: ", "", (done.stderr.strip().splitlines() or ["no message"])[0])
            return said.replace(str(folder) + os.sep, "")[:MOST_TEXT]
        return json.loads(report.read_text())

    @contextlib.contextmanager
    def runs(self):
        """start(text) -> future of a report or sentence, one for equal texts. What has not begun ends with the block."""
        with tempfile.TemporaryDirectory(prefix="tessera-costmodel-") as folder:
            pool, started = concurrent.futures.ThreadPoolExecutor(self.jobs), {}

            def start(text):
                name = hashlib.sha256(text.encode()).hexdigest()[:16]
                if name not in started:
                    started[name] = pool.submit(self.run, text, folder, name)
                return started[name]

            try:
                yield start
            finally:
                pool.shutdown(cancel_futures=True)


def capabilities(machine):
    result = {**header("capabilities"), "adapter": "tessera", "targets": ["a5"], "semantics_versions": [SEMANTICS], "schedule_kinds": [SCHEDULE],
              "limits": {"max_trip_count": MOST_TRIPS, "max_candidates": MOST_CANDIDATES}, "apply_modes": ["annotation_only", "compile"],
              "automatic_application": False, "model": machine.model}
    check_document(result, "capabilities")
    return result


def _coverage(problem):
    if problem:
        return {"status": "unsupported", "operations": "partial", "communication": "partial", "approximations": [],
                "unsupported": [{"what": problem}]}
    return {"status": "complete", "operations": "complete", "communication": "complete", "unsupported": [],
            "approximations": [{"what": "the order of storage and the synchronisation are those of this model, not of the compiler"},
                               {"what": "buffers and scalar code stand where the package has them before memory planning"}]}


def _evidence(report):
    if not isinstance(report, dict):
        return {}
    bound = {kind: {key: row[key] for key in ("kind", "name", "share") if key in row} for kind, row in report.get("bound_by", {}).items()}
    return {"cycles": report["cycles"], "core_time_us": report["time_ns"] / 1000, "bound_by": bound}


def latency_of(report):
    """Time of the task, as a profiler says it: with the launch."""
    return round(report["profile"]["task_time_us"], 6)


class Predictions:
    """What the machine says of candidates of one package."""

    def __init__(self, package, machine):
        self.package, self.machine = package, machine
        self.kernel, self.problem = None, ""
        try:
            self.kernel = Kernel(package)
        except Refused as refused:
            if refused.code != "UNSUPPORTED":
                raise
            self.problem = str(refused)

    def of(self, candidates):
        """[(configuration, schedule)] -> [(latency or None, coverage, evidence)]. `candidates` may be a generator: what it has given runs meanwhile."""
        rows = []
        with self.machine.runs() as start:
            started = [self._start(configuration, plan, start) for configuration, plan in candidates]
            for report, problem in started:
                report = report.result() if report else None
                problem = report if isinstance(report, str) else problem
                rows.append((None if problem else latency_of(report), _coverage(problem), {} if problem else _evidence(report)))
        return rows

    def _start(self, configuration, plan, start):
        """(future report or None, why there is none)"""
        if self.problem:
            return None, self.problem
        try:
            return start(self.kernel.arranged(configuration, plan)), ""
        except Refused as refused:
            return None, str(refused)


def evaluate(package, request, machine, propose=False):
    predictions = Predictions(package, machine)
    predicted = predictions.of((c["configuration"], c["schedule"]) for c in package.checked(request))
    candidates = request["candidates"]
    rows = [{"candidate_id": candidate["candidate_id"], "schedule_fingerprint": candidate["schedule"]["fingerprint"],
             "configuration": candidate["configuration"], "latency": {"value": value, "unit": "us"}, "coverage": coverage,
             "resources": {"unit": "bytes", **candidate["resources"]}, "evidence": evidence}
            for candidate, (value, coverage, evidence) in
            zip(candidates, predicted)]
    result = {**header("result"), "identity": package.identity, "model": machine.model, "candidates": rows}
    if propose:
        extensions = {"tessera.search.v1": search(package, predictions, candidates)}
        selection = select(request, rows)
        if selection:
            extensions["tilesim.selection.v1"] = selection
        result["extensions"] = extensions
    check_document(result, "result")
    return result


def _bytes(row):
    """Bytes of all cores that the compiler has counted for a candidate."""
    cores = row["resources"].get("per_core")
    spaces = [value for value in cores.values() if isinstance(value, dict)] if isinstance(cores, dict) else []
    return sum(n for space in spaces for n in space.values() if type(n) is int)


def select(request, rows):
    """The ranking that the compiler reads; nothing if the baseline has no latency."""
    plans = {c["candidate_id"]: c["schedule"] for c in request["candidates"]}
    baseline = next(row for row in rows if row["candidate_id"] == request["baseline_candidate_id"])
    known = [row for row in rows if row["latency"]["value"] is not None]
    if baseline["latency"]["value"] is None:
        return None
    fastest = min(row["latency"]["value"] for row in known)

    def key(row):
        tied = row["latency"]["value"] <= fastest * (1 + TIE)
        order = (_bytes(row), plans[row["candidate_id"]]["effective_preload"], row["candidate_id"])
        return (0, *order) if tied else (1, row["latency"]["value"], *order)

    ranking = sorted(known, key=key)
    gain = 1 - ranking[0]["latency"]["value"] / baseline["latency"]["value"] if baseline["latency"]["value"] > 0 else 0.0
    chosen = ranking[0] if gain >= LEAST_GAIN else baseline
    return {"schema_version": "tilesim.selection.v1", "recommended_candidate_id": chosen["candidate_id"],
            "action": "optimize" if chosen is not baseline else "baseline", "baseline_candidate_id": baseline["candidate_id"],
            "predicted_gain": gain if chosen is not baseline else 0.0, "recommendation_threshold": LEAST_GAIN, "tie_threshold": TIE,
            "tie_break": ["total_memory_bytes", "effective_preload", "candidate_id"],
            "ranking": [{"rank": n, "candidate_id": row["candidate_id"], "predicted_latency_us": row["latency"]["value"],
                         "total_memory_bytes": _bytes(row), "preload_count": row["configuration"]["preload_count"],
                         "effective_preload": plans[row["candidate_id"]]["effective_preload"]} for n, row in enumerate(ranking, 1)],
            "rejected": [{"candidate_id": row["candidate_id"], "reason": row["coverage"]["unsupported"][0]["what"]}
                         for row in rows if row["latency"]["value"] is None]}


def search(package, predictions, candidates):
    """Preloads that the request does not have, each with the fewest slots and with one more where slots bind."""
    asked = {c["candidate_id"] for c in candidates}
    capacity = min((pipe["effective_slot_num"] for pipe in package.program["pipes"]), default=0)
    found = []
    for preload in range(min(package.trips, capacity) + 1):
        try:
            least = schedule.least_slots(package, preload)
        except Refused:
            continue
        for counts in (least, {name: n + 1 for name, n in least.items()}):
            configuration = package.configuration(preload, counts)
            name = package.candidate_id(configuration)
            if name in asked or len(found) == MOST_CANDIDATES:
                continue
            try:
                plan = schedule.build(package, configuration)
            except Refused:
                continue
            if not schedule.has_cycle(plan) and _fits(package, counts):
                found.append((configuration, plan))
                asked.add(name)
    rows = [{"configuration": configuration, "schedule_fingerprint": plan["fingerprint"], "predicted_latency_us": value}
            for (configuration, plan), (value, _, _) in zip(found, predictions.of(found)) if value is not None]
    return {"evaluated": len(found), "best": sorted(rows, key=lambda row: row["predicted_latency_us"])[:5]}


def _fits(package, counts):
    """Whether local slots fit into their spaces; what the package does not say is not limited here."""
    budget = package.target.get("compiler_budget", package.target)
    capacity, used = budget.get("capacity_bytes") if isinstance(budget, dict) else None, {}
    if not isinstance(capacity, dict):
        return True
    for buffer in package.program["buffers"]:
        if buffer.get("owner") == "borrowed_entry" or "memory_space" not in buffer:
            continue
        for core in buffer.get("physical_instances", ("",)):
            at = (core, buffer["memory_space"])
            used[at] = used.get(at, 0) + buffer.get("allocation_bytes", 0) * counts.get(buffer["id"], 1)
    return all(type(capacity.get(space)) is not int or n <= capacity[space] for (_, space), n in used.items())
