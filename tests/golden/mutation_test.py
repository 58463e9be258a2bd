"""Every number of a machine is held by a golden: with one cycle (or wavelet, element, other choice) more, some golden of
its preset no longer agrees. So a change of the model that does the same cannot pass `ctest -L timing` either.

mutation_test.py EXECUTABLE SOURCES"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path[:0] = [str(pathlib.Path(sys.argv[2]) / "scripts"), str(pathlib.Path(sys.argv[2]) / "tests/support")]
import golden  # noqa: E402
import share  # noqa: E402

# What no golden can hold, because the shipped presets decide with it only whether a run is accepted, or name things.
NOT_TIMING = {
    "generation": "names the machine",
    "clock.period_ps": "turns cycles into time",
    "wafer.max_width": "bounds layouts",
    "wafer.max_height": "bounds layouts",
    "fabric.filters": "bounds layouts",
    "fabric.coincidence": "decides whether a run stops",
    "pe.queue_colors": "decides whether a run stops",
    "pe.memory_errors": "decides whether a run stops",
    "pe.control_task_31": "decides whether a program is accepted",
    "memcpy.command_cycles": "of hosts of CSL programs, which no layout has",
    "memcpy.copy_cycles": "of hosts of CSL programs, which no layout has",
    "memcpy.out_word_cycles": "of hosts of CSL programs, which no layout has",
    "memcpy.start_cycles": "of hosts of CSL programs, which no layout has",
    "memcpy.words_per_cycle": "of hosts of CSL programs, which no layout has",
    "memcpy.hop_cycles": "of hosts of CSL programs, which no layout has",
    **dict.fromkeys(("memcpy.profile", "memcpy.silicon.launch_cycles", "memcpy.silicon.copy_cycles", "memcpy.silicon.channels",
                     "memcpy.silicon.percent_in", "memcpy.silicon.percent_out"), "of hosts of CSL programs, which no layout has"),
    "memcpy.reserved_bytes": "of hosts of CSL programs, which no layout has",
}
WITHOUT_EFFECT = {
    ("wse3", "fabric.color_swap"),    # it has no color swap
    ("wse2", "fabric.link_storage"),  # its links of one cycle have no register
}
CHOICES = {
    "fabric.link_storage": ("registers", "none"),
    "fabric.arbitration": ("round_robin", "fixed"),
    "fabric.color_swap": ("both", "partner"),
    "fabric.switch_positions": ("cumulative", "from_zero"),
    "pe.bank_conflicts": ("true", "false"),
    "pe.bank_rule": ("modulo_4", "same_bank"),
    "pe.vector_overlap": ("true", "false"),
    "pe.stride_rule": ("table", "span"),
    "pe.groups_cross_rows": ("true", "false"),
    "pe.fabric_extent": ("elements", "wavelets"),
    "pe.picker": ("lowest_id", "round_robin"),
    "pe.issue": ("rotation", "lowest_thread"),
    "pe.microthread_priority": ("low", "high"),
}
KEY = re.compile(r"^([a-z][\w.]*) = (\S+)", re.MULTILINE)


def mutations(executable, preset):
    """KEY=VALUE, one step away from the preset, for each key."""
    result = subprocess.run([executable, "--preset", preset, "--print-config"], capture_output=True, text=True, check=True)
    for key, value in KEY.findall(result.stdout):
        if key in NOT_TIMING or (preset, key) in WITHOUT_EFFECT:
            continue
        if key in CHOICES:
            yield f"{key}={CHOICES[key][value == CHOICES[key][0]]}"
            continue
        numbers = [int(number) for number in value.split(",")]
        yield f"{key}={','.join(str(number + 1) for number in numbers)}"


def noticed_by(mutation, goldens, executable):
    """The golden that notices it, or None."""
    for candidate in goldens:
        try:
            if candidate.differences(candidate.run(executable, f"--set={mutation}")):
                return candidate
        except golden.Problem:  # the run fails where it did not
            return candidate
    return None


def main():
    executable = sys.argv[1]
    every = golden.read_goldens(golden.SHIPPED)
    unnoticed = []
    for preset in ("wse2", "wse3"):
        # Those first that are quick to ask and execute the most kinds of operations. One with a config of its own says nothing.
        goldens = [one for one in every if one.settings.get("preset") == preset and "set" not in one.settings]
        goldens.sort(key=lambda one: (one.metrics.get("tasks_started", 0), -one.metrics.get("dsd_operations", 0)))
        tried = list(mutations(executable, preset))
        assert len(tried) > 100, f"{preset}: only {len(tried)} keys"
        tried = share.part(tried, 4)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            found = list(pool.map(lambda mutation: noticed_by(mutation, goldens, executable), tried))
        for mutation, witness in zip(tried, found):
            if "-v" in sys.argv:
                print(f"{preset} {mutation}: {witness.name if witness else 'NOT NOTICED'}")
        unnoticed += [f"{preset} {mutation}" for mutation, witness in zip(tried, found) if not witness]
        print(f"{preset}: {len(tried)} changes, {len(tried) - sum(not witness for witness in found)} noticed")
    assert not unnoticed, "no golden notices:\n" + "\n".join(unnoticed)


main()
