import numpy as np
from host import Machine, arch, expect


with Machine(3, 1) as machine:
    for start in (100, 200):
        words = np.arange(start, start + 31, dtype=np.uint32)
        for x in (0, 2):
            machine.put("words", words, at=(x, 0, 1, 1))
        machine.launch("run")
        got = machine.get("words", 31, np.uint32, at=(1, 0, 1, 1)).ravel()
        expect(got[:30], words[:30])
        if arch() == "wse2":
            expect(got[30:], words[30:])
