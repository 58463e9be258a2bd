# SPDX-License-Identifier: Apache-2.0
"""Documents of the exchange: how they are read, written and checked. What is wrong with one has a code that the exchange fixes."""
import hashlib
import json
import math
import re
import secrets

MOST_BYTES = 16 << 20  # of an answer
MOST_READ = 256 << 20  # of a file: 32 schedules of the acceptance workload have 34 MiB
MOST_INTEGER = 2**31 - 1
FEATURES = ("static_cv", "typed_operations", "buffer_ownership", "schedule_binding")
VERSION, SEMANTICS, SCHEDULE = "2.0", "pto.static_cv.1", "prefix_suffix_v1"
MOST_TRIPS, MOST_CANDIDATES, MOST_INSTANCES = 256, 32, 65536
MOST_DEPTH = 64
SPACED_KEY = re.compile(r'"[ \t\r\n]+:')


class Refused(Exception):
    """A document that is not taken. `code` is one of the exchange."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


def need(holds, code, text):
    if not holds:
        raise Refused(code, text)


def is_integer(value, least=0, most=MOST_INTEGER):
    return type(value) is int and least <= value <= most


def _object(pairs):
    result = dict(pairs)
    need(len(result) == len(pairs), "SCHEMA", "a key appears twice in one object")
    return result


def _constant(text):
    raise Refused("SCHEMA", f"{text} is no number of JSON")


def _float(text):
    value = float(text)
    need(math.isfinite(value), "SCHEMA", "a number is too large")
    return value


def _items(groups):
    return [item for group in groups for item in (group.values() if group.__class__ is dict else group)]


def _size(value, depth):
    """How many keys all objects have; the depth and the numbers are those of the exchange. Level by level: requests have millions of values."""
    level, keys = [value], 0
    for _ in range(MOST_DEPTH + 1 - depth):
        keys += sum(len(group) for group in level if group.__class__ is dict)
        items = _items(level)
        large = [item for item in items if item.__class__ is int and not -MOST_INTEGER <= item <= MOST_INTEGER]
        need(not large, "RANGE", f"{large[0] if large else ''}: integers are at most {MOST_INTEGER}")
        level = [item for item in items if item.__class__ in (dict, list)]
        if not level:
            return keys
    raise Refused("SCHEMA", f"values are nested deeper than {MOST_DEPTH} levels")


def read_bytes(path):
    try:
        with open(path, "rb") as file:
            data = file.read(MOST_READ + 1)
    except OSError as error:
        raise Refused("PACKAGE_INTEGRITY", f"{path}: {error.strerror}") from error
    need(len(data) <= MOST_READ, "RANGE", f"{path}: larger than {MOST_READ >> 20} MiB")
    return data


def decoded(data, path):
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise Refused("SCHEMA", f"{path}: is not UTF-8") from error


def read_text(path):
    return decoded(read_bytes(path), path)


def read(path):
    return _read(read_text(path), path)


def _read(text, path, depth=0):
    try:
        return parsed(text, depth)
    except (json.JSONDecodeError, RecursionError, ValueError) as error:
        raise Refused("SCHEMA", f"{path}: is not JSON: {error}") from error


def parsed(text, depth=0):
    """The value of a JSON text, which lies `depth` levels inside a document. Raises Refused, or ValueError where it is none."""
    value = json.loads(text, parse_constant=_constant, parse_float=_float)
    # A key that appears twice is one less in the value. Only where the text may have one, each object is looked at.
    if _size([value], depth) != text.count('":') or SPACED_KEY.search(text):
        json.loads(text, object_pairs_hook=_object)
    return value


class Written(dict):
    """A schedule as it stands in the text of a request. Most are what they should be, and equal texts need not be read: it is empty until
    it is known to be one of them (schedule.check)."""
    DEPTH = 3  # of the list, the candidate and the schedule
    BEGIN, END = b'\n      "schedule": {\n', b"\n      }"  # no string of JSON has a newline

    def __init__(self, data, path):
        super().__init__()
        self.data, self.path = data, path

    def value(self):
        return _read(decoded(self.data, self.path), self.path, self.DEPTH)


def _parts(data, path):
    """(the request without its schedules, the schedules, the key that stands in the place of each), of the canonical form."""
    rest, schedules, at, mark = [], [], 0, secrets.token_hex(16)  # a key that the text does not have
    while True:
        begin = data.find(Written.BEGIN, at)
        end = data.find(Written.END, begin + len(Written.BEGIN)) if begin >= 0 else -1
        if end < 0:
            return b"".join([*rest, data[at:]]), schedules, mark
        first, behind = begin + len(Written.BEGIN) - 2, end + len(Written.END)
        rest += [data[at:first], f'{{"{mark}": {len(schedules)}}}'.encode()]
        schedules.append(Written(data[first:behind], path))
        at = behind


def read_request(path):
    """The request in a file. Schedules are Written where the text is in the canonical form of the exchange."""
    data = read_bytes(path)
    rest, schedules, mark = _parts(data, path)
    try:
        request = parsed(rest.decode())
    except ValueError:
        return _read(decoded(data, path), path)  # which says where
    candidates = request.get("candidates") if isinstance(request, dict) else None
    placed = [c for c in candidates if isinstance(c, dict) and "schedule" in c] if isinstance(candidates, list) else []
    if [c["schedule"] for c in placed] != [{mark: n} for n in range(len(schedules))]:
        return _read(decoded(data, path), path)
    for candidate, schedule in zip(placed, schedules):
        candidate["schedule"] = schedule
    return request


def text_of(value):
    """The canonical text of a value."""
    return json.dumps(value, sort_keys=True, indent=2, ensure_ascii=True, allow_nan=False) + "\n"


def digest(text):
    return digest_of([text])


def digest_of(pieces):
    found = hashlib.sha256()
    for piece in pieces:
        found.update(piece.encode())
    return found.hexdigest()


def fingerprint(value):
    return digest(text_of(value))


def part_of(value, depth):
    """The canonical text of a value `depth` levels inside a document."""
    return text_of(value)[:-1].replace("\n", "\n" + "  " * depth)


# Shapes of documents: a dict has these keys ("?name": may be missing; "...": others too), a list any number of elements of its only one; a
# function says whether a value is right, text is the only value allowed.
def text(value):
    return isinstance(value, str) and value != ""


def count(value):
    return is_integer(value, 1, MOST_TRIPS)


def whole(value):
    return is_integer(value)


def anything(_):
    return True


def mapping(value):
    return isinstance(value, dict)


def objects(value):
    return isinstance(value, list) and all(isinstance(v, dict) for v in value)


def latency(value):
    return value is None or (type(value) in (int, float) and math.isfinite(value) and value >= 0)


def features(value):
    return isinstance(value, list) and all(text(v) for v in value) and len(set(value)) == len(value)


def texts(value):
    return isinstance(value, list) and all(text(v) for v in value)


def named(value):
    return isinstance(value, dict) and all("." in key for key in value)


IDENTITY = {"program_fingerprint": text, "bindings_fingerprint": text, "target_fingerprint": text, "checkpoint_version": lambda v: v == 1 and type(v) is int,
            "semantics_version": text}
HEADER = {"protocol_version": text, "kind": text, "required_features": features, "?extensions": named}
CONFIGURATION = {"pipeline_id": text, "schedule_kind": text, "preload_semantics": text, "preload_count": whole, "local_schedule": text,
                 "buffers": [{"buffer_id": text, "count": count}]}
MODEL = {"name": text, "revision": text, "adapter_version": text, "config_fingerprint": text}
COVERAGE = {"status": lambda v: v in ("complete", "partial", "unsupported", "reference"), "operations": text, "communication": text,
            "approximations": objects, "unsupported": objects}
CANDIDATE = {"candidate_id": text, "identity": IDENTITY, "configuration": CONFIGURATION, "schedule": mapping, "resources": mapping}
ROW = {"candidate_id": text, "schedule_fingerprint": text, "configuration": CONFIGURATION, "latency": {"value": latency, "unit": "us"},
       "coverage": COVERAGE, "resources": mapping, "evidence": mapping}
FILES = ("program.json", "runtime_bindings.json", "target_profile.json", "canonical.pto")
OPEN = {"...": None}
PROGRAM = {
    "pipeline_id": text, **OPEN,
    "loops": [{"lower": lambda v: is_integer(v, -MOST_INTEGER), "step": lambda v: is_integer(v, 1), "trip_count": whole, **OPEN}],
    "tasks": [{"id": text, "core": lambda v: v in ("cube", "vector"), "operation_ids": texts, **OPEN}],
    "buffers": [{"id": text, "multi_buffer_eligible": lambda v: isinstance(v, bool), "?owner": text, "?source_scope": text, "?memory_space": text,
                 "?allocation_bytes": whole, "?physical_instances": texts, "?aliases": lambda v: isinstance(v, list), **OPEN}],
    "operations": [{"id": text, "name": text, **OPEN}],
    "memory_accesses": [{"op_id": text, "buffer_id": text, "access": lambda v: v in ("read", "write", "read_write"), **OPEN}],
    "pipes": [{"id": text, "effective_slot_num": lambda v: is_integer(v, 1), **OPEN}],
    "transactions": [{"pipe_id": text, "op_id": text, "action": lambda v: v in ("tpush", "tpop", "tfree"), **OPEN}],
}
SHAPES = {
    "package": {**HEADER, **IDENTITY, "producer": {"name": text, "version": text}, "files": dict.fromkeys(FILES, text)},
    "request": {**HEADER, "identity": IDENTITY, "candidates": [CANDIDATE], "objective": text, "memory_constraint": text,
                "execution_mode": text, "search_budget": {"max_candidates": whole}, "baseline_candidate_id": text},
    "result": {**HEADER, "identity": IDENTITY, "model": MODEL, "candidates": [ROW]},
    "capabilities": {**HEADER, "adapter": text, "targets": [text], "semantics_versions": [text], "schedule_kinds": [text],
                     "limits": {"max_trip_count": whole, "max_candidates": whole}, "apply_modes": [text],
                     "automatic_application": lambda v: v is False, "model": MODEL},
}


def check(value, shape, path="document"):
    if isinstance(shape, dict):
        need(isinstance(value, dict), "SCHEMA", f"{path}: expected an object")
        shape, is_open = {key: inner for key, inner in shape.items() if key != "..."}, "..." in shape
        known = {key.lstrip("?") for key in shape}
        unknown = [] if is_open else sorted(set(value) - known)
        missing = sorted(key for key in shape if key[0] != "?" and key not in value)
        need(not unknown, "SCHEMA", f"{path}: unknown key '{unknown[0] if unknown else ''}'")
        need(not missing, "SCHEMA", f"{path}: the key '{missing[0] if missing else ''}' is missing")
        for key, inner in shape.items():
            if key.lstrip("?") in value:
                check(value[key.lstrip("?")], inner, f"{path}.{key.lstrip('?')}")
    elif isinstance(shape, list):
        need(isinstance(value, list), "SCHEMA", f"{path}: expected a list")
        for n, item in enumerate(value):
            check(item, shape[0], f"{path}[{n}]")
    elif isinstance(shape, str):
        need(value == shape, "METRIC" if path.endswith(".unit") else "SCHEMA", f"{path}: expected '{shape}'")
    else:
        code = "METRIC" if shape is latency else "RANGE" if shape in (whole, count) and type(value) is int else "SCHEMA"
        if not shape(value):
            raise Refused(code, f"{path}: {json.dumps(value)[:60]} is not allowed here")


def check_document(value, kind):
    """The envelope first: it says whether the rest can be understood."""
    need(isinstance(value, dict), "SCHEMA", "the document is no object")
    version = value.get("protocol_version")
    parts = version.split(".") if isinstance(version, str) else []
    need(len(parts) == 2 and parts[0] == "2" and parts[1].isdecimal(), "VERSION", f"protocol version {version!r}; this adapter speaks 2.x")
    need(value.get("kind") == kind, "SCHEMA", f"expected a document of kind '{kind}'")
    required = value.get("required_features")
    need(features(required), "SCHEMA", "required_features: expected a list of names")
    unknown = sorted(set(required) - set(FEATURES))
    need(not unknown, "UNSUPPORTED_FEATURE", f"the feature '{unknown[0] if unknown else ''}' is not known")
    check(value, SHAPES[kind], kind)


def header(kind):
    return {"protocol_version": VERSION, "kind": kind, "required_features": list(FEATURES)}
