import os

import numpy as np
from host import Machine, expect, expect_failure

KINDS = 4  # broadcast, scatter, gather, reduce_fadds


def result(kind, root, n, send, receive):
    """What a line of PEs has received; the first dimension is the PE."""
    if kind == 0:
        receive[np.arange(len(send)) != root, :n] = send[root, :n]
    elif kind == 1:
        receive[:, :n] = send[root, : n * len(send)].reshape(len(send), n)
    elif kind == 2:
        receive[root, : n * len(send)] = send[:, :n].ravel()
    else:
        receive[root, :n] = send[:, :n].sum(axis=0)


def check(machine, random):
    width, height = machine.size
    room, slots = (int(machine.params[name]) for name in ("room", "slots"))
    for lines, axis, name in ((width, 0, "x"), (height, 1, "y")):
        send = random.integers(-99, 99, (height, width, room)).astype(np.float32)
        plan = np.stack([random.integers(0, limit, slots) for limit in (KINDS, lines, room // lines + 1)], axis=1)
        wanted = np.zeros((height, width, slots, room), np.float32)
        for slot, (kind, root, n) in enumerate(plan):
            for line in range(width if axis else height):
                at = np.s_[:, line] if axis else np.s_[line, :]
                result(kind, root, n, send[at], wanted[:, :, slot][at])
        machine.put("send_" + name, send)
        machine.put("receive_" + name, np.zeros_like(wanted))
        machine.put("plan_" + name, np.broadcast_to(plan.ravel().astype(np.uint16), (height, width, 3 * slots)))
        yield "receive_" + name, wanted


def run_beyond(kind):
    """An operation whose root is after the last PE of the line."""
    with Machine(5, 4) as machine:
        slots = int(machine.params["slots"])
        machine.put("plan_x", np.tile(np.array([kind, 5, 1], np.uint16), (4, 5, slots)))
        machine.put("plan_y", np.tile(np.array([0, 0, 1], np.uint16), (4, 5, slots)))
        machine.launch("run")


for beyond in (1, 2, 3):
    expect_failure(lambda kind=beyond: run_beyond(kind), "collectives_2d", "an assertion of the program failed")

for seed, options in enumerate(("", "--shuffle-step-order --seed 5", "--check-epochs")):
    os.environ["TESSERA_OPTIONS"] = options
    with Machine(5, 4) as machine:
        for turn in range(3):
            wanted = list(check(machine, np.random.default_rng(10 * seed + turn)))
            machine.launch("run")
            for name, values in wanted:
                expect(machine.get(name, values[0, 0].size, np.float32), values.reshape(4, 5, -1))
