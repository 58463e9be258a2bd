# SPDX-License-Identifier: Apache-2.0
"""Schedules of the kind prefix_suffix_v1: the order of stages, the slots that values lie in, and what waits for what."""
from .wire import MOST_INSTANCES, MOST_TRIPS, SCHEDULE, Refused, Written, digest_of, fingerprint, need, part_of, text_of

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
        self.orders, self.places = {}, {}  # of candidates, which share most: by preload; by buffer, preload and count
        self.made, self.edges = {}, []  # events by their slots; dependencies
        self.cycles = {}  # {preload: whether the order of a core waits for itself}
        self.indented = {}  # {long piece of a text: its bytes in a request}
        self.texts = {}  # of parts of schedules, by what tells them apart: candidates of a package share most
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

    def order(self, package, preload):
        """([(stage, iteration)], {core: its operations in order}, {operation: its place in the order of its core}) with a preload."""
        if preload not in self.orders:
            tasks = {task["id"]: task for task in package.program["tasks"]}
            order, cores = stage_order(package.trips, preload), {"cube": [], "vector": []}
            for stage, iteration in order:
                cores[tasks[stage]["core"]] += [f"{op}@{iteration}" for op in tasks[stage]["operation_ids"]]
            self.orders[preload] = order, cores, {event: n for core in cores.values() for n, event in enumerate(core)}
        return self.orders[preload]

    def slots(self, buffer, preload, places, count):
        """(the least slots of a buffer, {version: its slot of `count`})"""
        key = (buffer, preload, count)
        if key not in self.places:
            spans = self.lifetimes(buffer, places)
            least = _needed(spans)
            need(count >= least, "INSUFFICIENT_SLOTS", f"buffer '{buffer}' needs {least} slots")
            self.places[key] = least, _slots(spans, self, count)
        return self.places[key]

    def event(self, event, slots):
        """(the event with its slots, its canonical text)"""
        key = (event["id"], *[slots.get(row["version"]) for part in ("reads", "writes") for row in event[part]])
        if key not in self.made:
            placed = {**event, **{part: [{**row, "slot": slots.get(row["version"])} for row in event[part]] for part in ("reads", "writes")}}
            self.made[key] = placed, _event_text(self, placed)
        return self.made[key]

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


def _slots(spans, values, count):
    """Slots go round, but what updates a value in place stays where it is."""
    ends, slots, start, versions = [-1] * count, {}, 0, values.versions
    for first, last, version in spans:
        writer = versions[version]["writer"]
        free = [n for n in range(count) if ends[n] <= first]
        need(free, "INSUFFICIENT_SLOTS", f"buffer '{versions[version]['buffer_id']}' has no free slot for {writer}")
        updated = next((slots[row["version"]] for row in values.events[writer]["reads"] if row["version"] in slots), None)
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
    shared = _built(package, configuration)[0]
    events = [{**event, **{part: [dict(row) for row in event[part]] for part in ("reads", "writes")}} for event in shared["events"]]
    return {**shared, "events": events, "dependencies": [dict(edge) for edge in shared["dependencies"]],
            "core_order": {core: list(order) for core, order in shared["core_order"].items()},
            "buffer_requirements": dict(shared["buffer_requirements"])}


def _built(package, configuration):
    """(schedule, pieces of its canonical text without the fingerprint). Parts belong to all schedules that have them."""
    values = values_of(package)
    ahead = min(configuration["preload_count"], package.trips)
    order, cores, places = values.order(package, ahead)
    slots, least = {}, {}
    for row in sorted(configuration["buffers"], key=lambda row: row["buffer_id"]):
        buffer, count = row["buffer_id"], row["count"]
        least[buffer], found = values.slots(buffer, ahead, places, count)
        slots.update(found)
    events = [values.event(event, slots) for event in values.events.values()]
    schedule = {"semantics_version": SCHEDULE, "requested_preload": configuration["preload_count"],
                "effective_preload": ahead,
                "stage_instances": [{"stage": stage, "iteration": i} for stage, i in order], "core_order": cores,
                "events": [event for event, _ in events], "dependencies": _edges(package, values),
                "buffer_requirements": least, "buffer_versions": list(values.versions.values())}
    pieces = list(_pieces(values, schedule, [text for _, text in events]))
    return {**schedule, "fingerprint": digest_of([*pieces, "\n"])}, pieces


def _edges(package, values):
    if not values.edges:
        values.edges = _edges_of(package, values)
    return values.edges


def _edges_of(package, values):
    return [{"source": v["writer"], "target": reader, "kind": "RAW"} for v in values.versions.values() for reader in v["readers"]
            if reader != v["writer"]] + list(_pipe_edges(package))


NO_SLOT = '"slot": null'


def _pieces(values, schedule, events):
    """text_of() of a schedule without its fingerprint and without the last newline, in pieces that are short where candidates differ."""
    for n, key in enumerate(sorted(schedule)):
        yield f',\n  "{key}": ' if n > 0 else f'{{\n  "{key}": '
        if key == "events":
            for m, text in enumerate(events):
                yield (",\n    " if m > 0 else "[\n    ") + text
            yield "\n  ]"
        elif key in ("dependencies", "buffer_versions"):  # the same of all candidates
            if key not in values.texts:
                values.texts[key] = part_of(schedule[key], 1)
            yield values.texts[key]
        else:
            yield part_of(schedule[key], 1)
    yield "\n}"


def _event_text(values, event):
    """Candidates differ only in the slots of an event."""
    if event["id"] not in values.texts:
        bare = {**event, **{part: [{**row, "slot": None} for row in event[part]] for part in ("reads", "writes")}}
        values.texts[event["id"]] = part_of(bare, 2).split(NO_SLOT)
    pieces = values.texts[event["id"]]
    text = [pieces[0]]
    for row, piece in zip(event["reads"] + event["writes"], pieces[1:]):
        text += [NO_SLOT if row["slot"] is None else f'"slot": {row["slot"]}', piece]
    return "".join(text)


def _numbers(schedule):
    """Those that 1.0 and true would equal."""
    yield from (schedule["requested_preload"], schedule["effective_preload"], *schedule["buffer_requirements"].values())
    yield from (instance["iteration"] for instance in schedule["stage_instances"])
    for event in schedule["events"]:
        yield event["iteration"]
        for row in event["reads"]:
            yield row["slot"]
        for row in event["writes"]:
            yield row["slot"]


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


AFTER_FINGERPRINT = ',\n  "requested_preload": '  # the next key in the order of their names
LONG = 4096  # characters of a piece that several candidates have


def _is_written(package, expected, pieces, given):
    """Whether `given` is the canonical text of a schedule where a request has it."""
    at, known = 0, values_of(package).indented
    for piece in pieces:
        data = known.get(piece)
        if data is None:
            whole = f',\n  "fingerprint": "{expected["fingerprint"]}"{piece}' if piece == AFTER_FINGERPRINT else piece
            data = whole.replace("\n", "\n" + "  " * Written.DEPTH).encode()
            if len(piece) > LONG:
                known[piece] = data
        if not given.data.startswith(data, at):
            return False
        at += len(data)
    return at == len(given.data)


def check(package, configuration, given):
    """Whether `given` is the schedule of the configuration. Raises Refused."""
    expected, pieces = _built(package, configuration)
    if isinstance(given, Written):
        is_written = _is_written(package, expected, pieces, given)
        given.update(expected if is_written else given.value())
    else:
        is_written = False
    if not is_written:
        _compare(expected, given)
    need(not _waits_for_itself(package, expected), "SCHEDULE", "the order of the cores waits for itself")


def _compare(expected, given):
    if given != expected or any(type(n) is not int and n is not None for n in _numbers(given)):
        without = {key: value for key, value in given.items() if key != "fingerprint"}
        need(given.get("fingerprint") == fingerprint(without), "SCHEDULE", "a schedule does not have the fingerprint that it says")
        different = [key for key in expected if key not in given or text_of(given[key]) != text_of(expected[key])]
        different += sorted(set(given) - set(expected))
        raise Refused("SCHEDULE", f"'{different[0]}' of a schedule is not that of its configuration")


def _waits_for_itself(package, schedule):
    """has_cycle() of a schedule of the package: the preload alone decides."""
    known, preload = values_of(package).cycles, schedule["effective_preload"]
    if preload not in known:
        known[preload] = has_cycle(schedule)
    return known[preload]
