# SPDX-License-Identifier: Apache-2.0
"""A package of the compiler, and what a request may ask about it."""
from pathlib import Path

from . import schedule
from .wire import FILES, MOST_CANDIDATES, PROGRAM, SCHEDULE, SEMANTICS, check, check_document, digest, fingerprint, need, read, read_text

STAGES = {"C_QK": "cube", "V_P": "vector", "C_PV": "cube", "V_O": "vector"}
IDENTITY = ("program_fingerprint", "bindings_fingerprint", "target_fingerprint", "checkpoint_version", "semantics_version")


class Package:
    """What a folder holds, after its digests have been compared. Raises Refused."""

    def __init__(self, folder):
        folder = Path(folder)
        self.manifest = read(folder / "manifest.json")
        check_document(self.manifest, "package")
        need(self.manifest["semantics_version"] == SEMANTICS, "VERSION", f"semantics '{self.manifest['semantics_version']}' are not known")
        for name in FILES:
            need(digest(read_text(folder / name)) == self.manifest["files"][name], "PACKAGE_INTEGRITY",
                 f"{name}: its digest is not that of the manifest")
        self.text = read_text(folder / "canonical.pto")
        self.program, self.bindings, self.target = (read(folder / f"{name}.json") for name in ("program", "runtime_bindings", "target_profile"))
        for name, content in (("program", self.program), ("bindings", self.bindings), ("target", self.target)):
            need(fingerprint(content) == self.manifest[f"{name}_fingerprint"], "PACKAGE_INTEGRITY",
                 f"the fingerprint of {name} is not that of the manifest")
        self.identity = {key: self.manifest[key] for key in IDENTITY}
        need(isinstance(self.bindings, dict) and isinstance(self.target, dict), "SCHEMA", "bindings and target are objects")
        self._check_program()

    def _check_program(self):
        program = self.program
        check(program, PROGRAM, "program.json")
        trips = {loop["trip_count"] for loop in program["loops"]}
        need(len(trips) == 1, "UNSUPPORTED", "program.json: the loops of the cores have several trip counts")
        need({task["id"]: task["core"] for task in program["tasks"]} == STAGES and len(program["tasks"]) == len(STAGES), "UNSUPPORTED",
             "program.json: the stages are not C_QK, V_P, C_PV and V_O")
        ids, pipes = [b["id"] for b in program["buffers"]], {p["id"] for p in program["pipes"]}
        operations = [op for task in program["tasks"] for op in task["operation_ids"]]
        need(len(set(ids)) == len(ids), "DUPLICATE_ID", "program.json: two buffers with one id")
        need(len(set(operations)) == len(operations), "DUPLICATE_ID", "program.json: an operation belongs to two tasks")
        for access in program["memory_accesses"]:
            need(access["buffer_id"] in ids, "UNKNOWN_ID", f"program.json: no buffer '{access['buffer_id']}'")
        for row in program["transactions"]:
            need(row["pipe_id"] in pipes, "UNKNOWN_ID", f"program.json: no pipe '{row['pipe_id']}'")
            need(row["op_id"] in operations, "UNKNOWN_ID", f"program.json: no operation '{row['op_id']}' in a stage")

    @property
    def trips(self):
        return self.program["loops"][0]["trip_count"]

    def local_buffers(self):
        return [b for b in self.program["buffers"] if b["multi_buffer_eligible"]]

    def configuration(self, preload, counts):
        return {"pipeline_id": self.program["pipeline_id"], "schedule_kind": SCHEDULE, "preload_semantics": "iteration_distance",
                "preload_count": preload, "local_schedule": "off",
                "buffers": [{"buffer_id": b["id"], "count": counts.get(b["id"], 1)} for b in self.local_buffers()]}

    def candidate_id(self, configuration):
        ordered = {**configuration, "buffers": sorted(configuration["buffers"], key=lambda row: row["buffer_id"])}
        return fingerprint({"identity": self.identity, "configuration": ordered})

    def check_configuration(self, configuration):
        need(configuration["pipeline_id"] == self.program["pipeline_id"], "UNKNOWN_ID", f"no pipeline '{configuration['pipeline_id']}'")
        need(configuration["schedule_kind"] == SCHEDULE and configuration["preload_semantics"] == "iteration_distance" and
             configuration["local_schedule"] == "off", "SCHEDULE", "this kind of schedule is not known")
        local, known = {b["id"] for b in self.local_buffers()}, {b["id"] for b in self.program["buffers"]}
        seen = set()
        for row in configuration["buffers"]:
            name = row["buffer_id"]
            need(name in known, "UNKNOWN_ID" if name not in known else "OWNERSHIP", f"no buffer '{name}'")
            need(name in local, "OWNERSHIP", f"buffer '{name}' belongs to a pipe")
            need(name not in seen, "DUPLICATE_ID", f"buffer '{name}' appears twice")
            seen.add(name)
        need(seen == local, "MISSING_BUFFER", f"no count for {', '.join(sorted(local - seen))}")

    def check_request(self, request):
        for _ in self.checked(request):
            pass

    def checked(self, request):
        """The candidates, one after the other as they have been compared with what they should be. Raises Refused if the request does not
        belong to this package, or a candidate is not what it says."""
        check_document(request, "request")
        need(request["identity"] == self.identity, "UNKNOWN_ID", "the request belongs to another package")
        need((request["objective"], request["memory_constraint"], request["execution_mode"]) == ("latency", "hard", "recommendation"),
             "UNSUPPORTED", "only recommendations for latency under hard limits are known")
        candidates = request["candidates"]
        need(1 <= len(candidates) <= MOST_CANDIDATES, "RANGE", f"{len(candidates)} candidates; allowed: 1 to {MOST_CANDIDATES}")
        first = candidates[0]
        need(request["baseline_candidate_id"] == first["candidate_id"] and first["configuration"]["preload_count"] == 0, "BASELINE",
             "the first candidate must be the baseline, with a preload of 0")
        seen = set()
        for candidate in candidates:
            need(candidate["candidate_id"] not in seen, "DUPLICATE_ID", f"candidate '{candidate['candidate_id']}' appears twice")
            seen.add(candidate["candidate_id"])
            need(candidate["identity"] == self.identity, "UNKNOWN_ID", "a candidate belongs to another package")
            self.check_configuration(candidate["configuration"])
            need(candidate["candidate_id"] == self.candidate_id(candidate["configuration"]), "UNKNOWN_ID",
                 f"'{candidate['candidate_id']}' is not the id of its configuration")
            schedule.check(self, candidate["configuration"], candidate["schedule"])
            yield candidate
        need(len(candidates) <= request["search_budget"]["max_candidates"] <= MOST_CANDIDATES, "RANGE", "more candidates than the budget allows")
