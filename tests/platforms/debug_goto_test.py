"""`goto` into the past comes to the state that was: registers, variables, descriptors, queues, tasks, waits and memory of PEs at random
cycles, first on the way to the end of the run, then by running again, in random order and in the other structure.

    debug_goto_test.py WSE_PLATFORM ROOT [COUNT [SEED]]
"""
import hashlib
import random
import subprocess
import sys
import unittest

from debug_session import ROOT, command_of, dap, report_of
from commands.prompt import Prompt  # debug_session adds the folder

PROGRAMS = {
    "gemv.csl": ["examples/csl/gemv/layout.csl", "--params", "width:2,height:2,M:8,N:8", "--launch", "compute"],
    "exchange": ["examples/exchange/layout.json", "--param", "ITER=1"],
}
PLACES = ("0,0", "1,1")
BYTES = 49152
COUNT = int(sys.argv[3]) if len(sys.argv) > 3 else 12
SEED = sys.argv[4] if len(sys.argv) > 4 else "1"


def prompt_of(program, structure):
    return Prompt(lambda: dap.Client.start(command_of(program, "--debug=stdio", "--structure", structure), cwd=ROOT, stderr=subprocess.DEVNULL),
                  shows=lambda text: None)


def state(prompt):
    """All that the debugger shows of the present cycle."""
    seen = [str(prompt.present_cycle()), prompt.ask("why")]
    for place in PLACES:
        seen.append(prompt.choose(place))
        seen += [prompt.ask("info " + what) for what in ("regs", "globals", "dsr", "queues", "tasks", "waits")]
        memory = prompt.client.request("readMemory", memoryReference=place + ":0", count=BYTES)
        assert memory["unreadableBytes"] == 0
        seen.append(hashlib.sha256(memory["data"].encode()).hexdigest())
    return seen


class Goto(unittest.TestCase):
    def test_the_state_is_the_one_that_was(self):
        for name, program in PROGRAMS.items():
            choice = random.Random(f"{name} {SEED}")
            last = report_of(program)["cycles"] - 2
            cycles = sorted(choice.sample(range(1, last), min(COUNT, last - 1)))
            first, second = choice.sample(["modules", "dense"], 2)
            prompt, states = prompt_of(program, first), {}
            for cycle in cycles:
                if prompt.present_cycle() is None or prompt.present_cycle() < cycle:
                    prompt.onecmd(f"goto {cycle}")
                states[cycle] = state(prompt)
            prompt.onecmd("quit")
            self.assertGreater(len({tuple(seen) for seen in states.values()}), min(len(cycles) // 4, 20), "the states differ")
            choice.shuffle(cycles)
            prompt = prompt_of(program, second)
            for cycle in cycles:
                with self.subTest(name, cycle=cycle):
                    prompt.onecmd(f"goto {cycle}")
                    self.assertFalse(prompt.failed)
                    self.assertEqual(state(prompt), states[cycle])
            prompt.onecmd("quit")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
