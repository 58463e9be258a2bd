"""Perfetto traces of all machines follow the rules of the Trace Event Format that viewers rely on. The reader knows the
format only, not the writers.

perfetto_test.py BIN EXAMPLES"""
import collections
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile

RUNS = [
    ("wse", "gemv_stream/layout.json", []),
    ("wse", "gemv_stream/layout.json", ["--trace-from", "40", "--trace-to", "90", "--trace-rect", "0,1,3,3"]),
    ("wse", "reduce_chain/layout.json", ["--structure", "dense"]),
    ("wse", "exchange/layout.json", ["--max-cycles", "100"]),
    ("ascend", "ascend/c2v_a2a3.pto", ["--param", "TILES=6"]),
    ("ascend", "ascend/c2v_a2a3.pto", ["--param", "TILES=6", "--trace-from", "1000", "--trace-to", "3000"]),
    ("numesh", "numesh/tour.json", []),
    ("numesh", "numesh/continuing.json", ["--trace-from", "20", "--trace-to", "90"]),
    *[("numesh", "numesh/online.json", ["--max-cycles", str(cycles)]) for cycles in (37, 56, 57)],
]


class Broken(Exception):
    pass


def require(holds, *what):
    if not holds:
        raise Broken(" ".join(map(str, what)))


def check_numbers(record):
    """Processes and threads count from 1 (0 is the idle process), times are whole cycles."""
    for key in ("pid", "tid", "id"):
        require(key not in record or (type(record[key]) is int and record[key] > 0), key, "is not positive:", record)
    require("pid" in record, "no process:", record)
    require("tid" in record or record["ph"] == "C" or record["name"].startswith("process_"), "no thread:", record)
    for key in ("ts", "dur"):
        require(key not in record or (type(record[key]) is int and record[key] >= 0), key, "is no cycle:", record)


def check_nesting(slices):
    """Slices of a thread contain each other or have nothing in common."""
    for track, spans in slices.items():
        open_until = []
        for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
            while open_until and open_until[-1] <= start:
                open_until.pop()
            require(not open_until or end <= open_until[-1], "slices overlap on", track, "at", start)
            open_until.append(end)


def check_flows(flows, slices):
    """An arrow has one begin and one end, not before it; both lie in slices."""
    for number, ends in flows.items():
        require(sorted(end["ph"] for end in ends) == ["f", "s"], "flow", number, "has the ends", ends)
        begin, end = sorted(ends, key=lambda record: record["ph"], reverse=True)
        require(begin["ts"] <= end["ts"], "flow", number, "goes back in time:", begin, end)
        require((begin["name"], begin["cat"]) == (end["name"], end["cat"]), "flow", number, "has two names")
        for record in ends:
            spans = slices[record["pid"], record["tid"]]
            require(any(s <= record["ts"] < e for s, e in spans), "no slice at the end of a flow:", record)


def check(trace):
    """Raises Broken for a rule that the trace does not follow. Returns the number of records by phase."""
    names, slices, flows, counters = {}, collections.defaultdict(list), collections.defaultdict(list), {}
    phases = collections.Counter()
    for record in trace["traceEvents"]:
        phases[record["ph"]] += 1
        check_numbers(record)
        track = record["pid"], record.get("tid")
        if record["ph"] == "M":
            if record["name"] in ("process_name", "thread_name"):
                key = track[:1] if record["name"] == "process_name" else track
                require(key not in names, "named twice:", record)
                names[key] = record["args"]["name"]
                require(names[key], "empty name:", record)
        elif record["ph"] == "X":
            require(record["dur"] > 0 and record["name"], "slice without length or name:", record)
            slices[track].append((record["ts"], record["ts"] + record["dur"]))
        elif record["ph"] == "C":
            key = record["pid"], record["name"]
            require(counters.get(key, -1) < record["ts"], "counter goes back in time:", record)
            counters[key] = record["ts"]
            require(all(type(v) in (int, float) for v in record["args"].values()), "counter without number:", record)
        elif record["ph"] in "sf":
            flows[record["id"]].append(record)
            require(record["ph"] == "s" or record.get("bp") == "e", "end of a flow that does not bind to a slice:", record)
        else:
            require(record["ph"] == "i" and record["s"] == "t", "unknown record:", record)
        if record["ph"] != "M":
            require(track[:1] in names, "process without a name:", record)
            require(track[1] is None or track in names, "thread without a name:", record)
    check_nesting(slices)
    check_flows(flows, slices)
    return phases


def check_waits(trace):
    """Every wait says what it is for, and on AI cores in which line."""
    waits = [record for record in trace["traceEvents"] if record["ph"] == "X" and record["name"].startswith("wait: ")]
    require(waits, "no waits")
    for record in waits:
        require(record["args"].get("reason") and record["args"].get("for"), "a wait without a reason:", record)
    return waits


def self_test():
    """The checker finds what is wrong."""
    row = [{"ph": "M", "pid": 1, "name": "process_name", "args": {"name": "p"}},
           {"ph": "M", "pid": 1, "tid": 1, "name": "thread_name", "args": {"name": "t"}},
           {"ph": "X", "pid": 1, "tid": 1, "ts": 10, "dur": 10, "name": "a", "args": {}}]
    slice_ = row[2]
    flow = {"ph": "s", "pid": 1, "tid": 1, "ts": 12, "id": 1, "name": "w", "cat": "flow"}
    back = dict(flow, ph="f", bp="e")
    wrong = [[dict(slice_, pid=0)], [dict(slice_, tid=2)], [dict(slice_, pid=2)], [dict(slice_, ts=15)],
             [dict(slice_, dur=0)], [flow], [flow, dict(back, ts=11)], [flow, dict(back, ts=20)],
             [flow, back, back], [dict(row[0], args={"name": "q"})],
             [dict(slice_, ph="C", args={"n": 1}), dict(slice_, ph="C", ts=9, args={"n": 1})]]
    check({"traceEvents": row + [flow, dict(back, ts=14), dict(slice_, ts=12, dur=8)]})
    for records in wrong:
        try:
            check({"traceEvents": row + records})
        except Broken:
            continue
        raise AssertionError(f"accepted: {records}")


def check_report(report, trace):
    """Nothing is drawn after the end of the run, and the cycles of a mesh are those of its nodes, each once."""
    ends = [record["ts"] + record["dur"] for record in trace["traceEvents"] if record["ph"] == "X"]
    require(max(ends) <= report["cycles"], "a slice ends in cycle", max(ends), "of", report["cycles"])
    waits = report.get("waits")
    if waits is not None and waits["unit"] == "node":
        counted = waits["busy"] + waits["idle"] + sum(waits["reasons"].values())
        require(counted == waits["units"] * report["cycles"], counted, "cycles of", waits["units"], "nodes and", report["cycles"], "cycles")


def trace_of(bin_folder, machine, program, options, folder):
    file, report = folder / "trace.json.gz", folder / "report.json"
    command = [bin_folder / f"{machine}_platform", program, "--quiet", "--trace-perfetto", file, "--report", report, *options]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode in (0, 4), (command, done.stderr)
    trace = json.loads(gzip.decompress(file.read_bytes()))
    check_report(json.loads(report.read_text()), trace)
    return trace


def main():
    self_test()
    bin_folder, examples = map(pathlib.Path, sys.argv[1:])
    with tempfile.TemporaryDirectory() as name:
        for machine, program, options in RUNS:
            try:
                trace = trace_of(bin_folder, machine, examples / program, options, pathlib.Path(name))
                phases = check(trace)
                if machine == "ascend":
                    require(all(".pto:" in record["args"]["line"] for record in check_waits(trace)), "a wait without a line")
                elif machine == "wse" and "exchange" not in program:
                    check_waits(trace)
            except Broken as broken:
                sys.exit(f"{machine} {program} {' '.join(options)}: {broken}")
            print(machine, program, *options, dict(phases))
            arrows = phases["s"] + phases["i"] > 0 or "--max-cycles" in options
            assert phases["X"] > 5 and arrows, "nothing is shown"


if __name__ == "__main__":
    main()
