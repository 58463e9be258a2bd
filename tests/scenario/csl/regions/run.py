import numpy as np
from host import Machine, expect


words = np.arange(18, dtype=np.uint32).reshape(2, 3, 3)
halves = np.arange(-9, 9, dtype=np.int16).reshape(2, 3, 3)
with Machine(3, 2) as machine:
    machine.put("words", words, by_columns=True)
    machine.put("halves", halves)
    machine.launch("run", np.uint32(7), nonblock=True)
    machine.launch("run", np.uint32(8), nonblock=True)
    machine.launch("run", np.uint32(9))
    words = words * 1000 + 789
    expect(machine.get("words", 3, np.uint32), words)
    expect(machine.get("words", 3, np.uint32, by_columns=True), words)
    expect(machine.get("halves", 3, np.int16), -halves)
    expect(machine.get("words", 2, np.uint32, at=(1, 1, 2, 1)), words[1:, 1:, :2])
    machine.put("words", np.array([5], np.uint32), at=(2, 0, 1, 1))
    words[0, 2, 0] = 5
    expect(machine.get("words", 3, np.uint32), words)
