"""Wave forms of AI cores and meshes agree with the reports of their runs. The reader knows the format only.

vcd_test.py BIN EXAMPLES"""
import collections
import json
import pathlib
import subprocess
import sys
import tempfile


class WaveForm:
    """The values of each signal as [(time, value)], by the path of its scopes."""

    def __init__(self, path):
        self.values, names, scopes, now = collections.defaultdict(list), {}, [], None
        for line in path.read_text().splitlines():
            words = line.split()
            if words[0] == "$scope":
                scopes.append(words[2])
            elif words[0] == "$upscope":
                scopes.pop()
            elif words[0] == "$var":
                assert words[3] not in names, line
                names[words[3]] = ".".join([*scopes, words[4]])
            elif line[0] == "#":
                assert now is None or int(line[1:]) > now, f"time goes back: {line}"
                now = int(line[1:])
            elif line[0] in "01":
                self._add(names[line[1:]], now, line[0])
            elif line[0] in "bs":
                self._add(names[words[1]], now, words[0][1:])
        assert not scopes and now is not None
        self.end = now

    def _add(self, name, now, value):
        values = self.values[name]
        assert not values or values[-1][1] != value, f"{name} does not change at {now}"
        values.append((now, value))

    def spans(self, name, value):
        """Picoseconds in which the signal has the value."""
        ends = [time for time, _ in self.values[name][1:]] + [self.end]
        return [end - start for (start, what), end in zip(self.values[name], ends) if what == value]


def run(binary, program, folder, *options):
    report, wave = folder / "r.json", folder / "w.vcd"
    subprocess.run([binary, program, "--quiet", "--report", report, "--report-detail", "--vcd", wave, *options], check=True)
    return json.loads(report.read_text()), WaveForm(wave)


def check_ai_cores(bin_folder, examples, folder):
    for structure in ("dense", "modules"):
        report, wave = run(bin_folder / "ascend_platform", examples / "ascend/c2v_a2a3.pto", folder, "--param", "TILES=6", "--structure", structure)
        period = report["time_ns"] * 1000 / report["cycles"]
        for core in report["cores"]:
            cluster, unit = core["core"]
            for pipe in ("v", "mte1", "mte2", "mte3", "m", "fix"):
                scope = f"ascend.cluster_{cluster}.{('AIC', 'AIV0', 'AIV1')[unit]}.{pipe.upper()}"
                busy = round(sum(wave.spans(f"{scope}.busy", "1")) / period)
                assert abs(busy - core[f"{pipe}_busy"]) <= 1, (scope, busy, core[f"{pipe}_busy"])
                # An operation whose result is under way does not keep the pipe from waiting.
                for reason in ("flag", "cross_core"):
                    waited = round(sum(wave.spans(f"{scope}.wait", reason.replace("_", "-"))) / period)
                    assert waited <= core[f"{pipe}_wait_{reason}"] + 1, (scope, reason, waited)
        assert any(values for name, values in wave.values.items() if name.endswith(".wait") and len(values) > 1)
    part = run(bin_folder / "ascend_platform", examples / "ascend/c2v_a2a3.pto", folder, "--param", "TILES=6", "--trace-from", "1000",
               "--trace-to", "3000")[1]
    first = min(values[0][0] for values in part.values.values())
    assert round(first / period) == 1000 and round(part.end / period) == 3000, (first, part.end)


def check_mesh(bin_folder, examples, folder):
    report, wave = run(bin_folder / "numesh_platform", examples / "numesh/continuing.json", folder)
    period = round(report["time_ns"] * 1000 / report["cycles"])
    for signal, counter in (("out", "words_written"), ("in", "words_read")):
        cycles = sum(sum(wave.spans(name, "1")) for name in list(wave.values) if name.endswith(f".{signal}")) // period
        assert cycles == report["counters"][counter]["value"], (signal, cycles)
    phases = {value for name, values in wave.values.items() if name.endswith(".phase") for _, value in values}
    assert {name.split("'")[1] for name in report["phases"]} <= phases, phases


def main():
    bin_folder, examples = (pathlib.Path(word) for word in sys.argv[1:])
    with tempfile.TemporaryDirectory() as name:
        check_ai_cores(bin_folder, examples, pathlib.Path(name))
        check_mesh(bin_folder, examples, pathlib.Path(name))


if __name__ == "__main__":
    main()
