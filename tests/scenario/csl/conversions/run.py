import numpy as np
from host import Machine, expect


with Machine() as machine:
    for x, n in ((12.75, 70001), (-3.99, -2), (0.25, 0), (1000.5, 1 << 30)):
        machine.put("x", np.array([x], np.float32))
        machine.put("n", np.array([n], np.int32))
        machine.launch("run")
        f, i = np.float32(x), np.int32(n)
        narrow, word = i.astype(np.int16), i.astype(np.uint16)
        wanted = [int(x), narrow, x > 1, n != 0, np.float16(f).view(np.int16), int(x), word >> 1, narrow >> 1]
        expect(machine.get("i", 8, np.int16), np.array(wanted, np.int16))
        wanted = [f.view(np.uint32), narrow.astype(np.uint32), word, i.view(np.uint32), i.view(np.uint32) >> 28, word,
                  np.int32(int(x)).view(np.uint32), 300000]
        expect(machine.get("w", 8, np.uint32), np.array(wanted, np.uint32))
        wanted = [i, narrow, word, np.float16(f), i.view(np.float32), x > 1, 7, narrow.astype(np.uint32)]
        expect(machine.get("f", 8, np.float32), np.array(wanted, np.float32))
