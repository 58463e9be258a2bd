import numpy as np
from host import Machine, expect, options

with Machine() as machine:
    runtime, count = machine.runtime, int(machine.params["count"])
    how = {**options(streaming=True), "nonblock": True}
    into, out = int(machine.params["in_id"]), int(machine.params["out_id"])
    x = np.arange(3 * count, dtype=np.float32).reshape(3, count)
    got = np.zeros((3, count), np.float32)
    tasks = []
    for round_ in range(3):
        # More words than the queues of the PE hold, which it takes when the function runs.
        runtime.memcpy_h2d(into, x[round_], 0, 0, 1, 1, count, **how)
        tasks.append(runtime.memcpy_d2h(got[round_], out, 0, 0, 1, 1, count, **how))
        assert not runtime.is_task_done(tasks[-1])
        runtime.launch("negate", nonblock=False)
        if round_ == 0:
            runtime.task_wait(tasks[0])
            expect(got[0], -x[0])
    assert runtime.is_task_done(tasks[1])
# stop() waits for the last one.
expect(got, -x)
