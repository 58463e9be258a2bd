# SPDX-License-Identifier: Apache-2.0
"""Schedules of the kind prefix_suffix_v1: the order of stages, the slots that values lie in, and what waits for what."""
from .wire import MOST_INSTANCES, MOST_TRIPS, SCHEDULE, fingerprint, need

PREFIX, SUFFIX = ("C_QK", "V_P"), ("C_PV", "V_O")


def stage_order(trips, preload):
    """[(stage, iteration), ..]: before the suffix of an iteration runs the prefix of the one `preload` later."""
    ahead = min(preload, trips)
    return [(stage, iteration) for step in range(trips + ahead)
            for stages, iteration in ((PREFIX, step), (SUFFIX, step - ahead)) if 0 <= iteration < trips for stage in stages]


class Values:
    """Which value each read of a buffer sees: that of the serial program, whatever the order is afterwards."""

    def __init__(self, package):
        program = package.program
        accesses, operations = {}, {task["id"]: task["operation_ids"] for task in program["tasks"]}
        for row in program["memory_accesses"]:
            accesses.setdefault(row["op_id"], []).append(row)
        self.events, self.versions, now = {}, {}, {}
        for stage, iteration in stage_order(package.trips, 0):
            for op in operations[stage]:
                event = {"id": f"{op}@{iteration}", "op_id": op, "iteration": iteration, "stage": stage, "reads": [], "writes": []}
                for row in accesses.get(op, ()):
                    self._access(event, row["buffer_id"], row["access"], now)
                self.events[event["id"]] = event

    def _access(self, event, buffer, access, now):
        if access != "write":
            need(buffer in now, "UNSUPPORTED", f"buffer '{buffer}' is read before it is written")
            event["reads"].append({"buffer_id": buffer, "version": now[buffer]})
            self.versions[now[buffer]]["readers"].append(event["id"])
        if access != "read":
            now[buffer] = f"{buffer}/{event['id']}"
            event["writes"].append({"buffer_id": buffer, "version": now[buffer]})
            self.versions[now[buffer]] = {"id": now[buffer], "buffer_id": buffer, "writer": event["id"], "readers": []}

    def lifetimes(self, buffer, places):
        """[(first place, last place, version)] in the order of the core."""
        spans = []
        for version in self.versions.values():
            if version["buffer_id"] != buffer:
                continue
            first = places[version["writer"]]
            readers = [places[reader] for reader in version["readers"]]
            need(all(reader >= first for reader in readers), "SCHEDULE", f"buffer '{buffer}' would be read before it is written")
            spans.append((first, max([first, *readers]), version["id"]))
        return sorted(spans)


def _needed(spans):
    """The least slots: an operation may write the slot that it reads last."""
    ends = []
    for first, last, _ in spans:
        free = next((n for n, end in enumerate(ends) if end <= first), None)
        if free is None:
            ends.append(last)
        else:
            ends[free] = last
    return max(1, len(ends))


def _slots(spans, versions, count):
    """Slots go round, but what updates a value in place stays where it is."""
    ends, slots, start = [-1] * count, {}, 0
    for first, last, version in spans:
        writer = versions[version]["writer"]
        free = [n for n in range(count) if ends[n] <= first]
        need(free, "INSUFFICIENT_SLOTS", f"buffer '{versions[version]['buffer_id']}' has no free slot for {writer}")
        updated = next((slots[old] for old in slots if writer in versions[old]["readers"]), None)
        slot = updated if updated in free else min(free, key=lambda n: (n - start) % count)
        slots[version], ends[slot], start = slot, last, (slot + 1) % count
    return slots


def _pipe_edges(package):
    for pipe in package.program["pipes"]:
        of = {row["action"]: row["op_id"] for row in package.program["transactions"] if row["pipe_id"] == pipe["id"]}
        need(set(of) == {"tpush", "tpop", "tfree"}, "SCHEMA", f"program.json: pipe '{pipe['id']}' lacks one of tpush, tpop and tfree")
        capacity = pipe["effective_slot_num"]
        for i in range(package.trips):
            yield {"source": f"{of['tpush']}@{i}", "target": f"{of['tpop']}@{i}", "kind": "pipe"}
            if i >= capacity:
                yield {"source": f"{of['tfree']}@{i - capacity}", "target": f"{of['tpush']}@{i}", "kind": "fifo_capacity"}


def check_size(package):
    need(package.trips <= MOST_TRIPS, "UNSUPPORTED", f"{package.trips} iterations; allowed: {MOST_TRIPS}")
    operations = sum(len(task["operation_ids"]) for task in package.program["tasks"])
    need(operations * package.trips <= MOST_INSTANCES, "RANGE", f"{operations * package.trips} operations; allowed: {MOST_INSTANCES}")
    need(not any(b.get("aliases") for b in package.program["buffers"]), "UNSUPPORTED", "parts of tiles that are tiles themselves")


def values_of(package):
    if not hasattr(package, "_values"):
        check_size(package)
        package._values = Values(package)
    return package._values


def build(package, configuration):
    """The schedule of a configuration, with its fingerprint. Raises Refused."""
    values = values_of(package)
    tasks = {task["id"]: task for task in package.program["tasks"]}
    order = stage_order(package.trips, configuration["preload_count"])
    cores = {"cube": [], "vector": []}
    for stage, iteration in order:
        cores[tasks[stage]["core"]] += [f"{op}@{iteration}" for op in tasks[stage]["operation_ids"]]
    places = {event: n for core in cores.values() for n, event in enumerate(core)}
    counts = {row["buffer_id"]: row["count"] for row in configuration["buffers"]}
    slots, least = {}, {}
    for buffer in sorted(counts):
        spans = values.lifetimes(buffer, places)
        least[buffer] = _needed(spans)
        need(counts[buffer] >= least[buffer], "INSUFFICIENT_SLOTS", f"buffer '{buffer}' needs {least[buffer]} slots")
        slots.update(_slots(spans, values.versions, counts[buffer]))
    events = [{**event, **{part: [{**row, "slot": slots.get(row["version"])} for row in event[part]] for part in ("reads", "writes")}}
              for event in values.events.values()]
    edges = [{"source": v["writer"], "target": reader, "kind": "RAW"} for v in values.versions.values() for reader in v["readers"]
             if reader != v["writer"]]
    schedule = {"semantics_version": SCHEDULE, "requested_preload": configuration["preload_count"],
                "effective_preload": min(configuration["preload_count"], package.trips),
                "stage_instances": [{"stage": stage, "iteration": i} for stage, i in order], "core_order": cores, "events": events,
                "dependencies": edges + list(_pipe_edges(package)), "buffer_requirements": least,
                "buffer_versions": list(values.versions.values())}
    return {**schedule, "fingerprint": fingerprint(schedule)}


def least_slots(package, preload):
    """The smallest counts with which a preload works."""
    most = dict.fromkeys((b["id"] for b in package.local_buffers()), MOST_TRIPS)
    return build(package, package.configuration(preload, most))["buffer_requirements"]


def has_cycle(schedule):
    """Whether the order of a core waits for itself."""
    after = {event["id"]: set() for event in schedule["events"]}
    pairs = {(e["source"], e["target"]) for e in schedule["dependencies"]}
    for order in schedule["core_order"].values():
        pairs.update(zip(order, order[1:]))
    waits = dict.fromkeys(after, 0)
    for before, behind in pairs:
        after[before].add(behind)
        waits[behind] += 1
    ready = [event for event, n in waits.items() if n == 0]
    for event in ready:
        for behind in after[event]:
            waits[behind] -= 1
            if waits[behind] == 0:
                ready.append(behind)
    return len(ready) != len(after)


def check(package, configuration, given):
    """Whether `given` is the schedule of the configuration. Raises Refused."""
    without = {key: value for key, value in given.items() if key != "fingerprint"}
    need(given.get("fingerprint") == fingerprint(without), "SCHEDULE", "a schedule does not have the fingerprint that it says")
    expected = build(package, configuration)
    different = [key for key in expected if key != "fingerprint" and given.get(key) != expected[key]]
    need(not different, "SCHEDULE", f"'{different[0] if different else ''}' of a schedule is not that of its configuration")
    need(not has_cycle(expected), "SCHEDULE", "the order of the cores waits for itself")
