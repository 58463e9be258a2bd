import numpy as np
from host import Machine, expect

table = np.array([1, 2, 3, 4, 5, 6, 250], np.uint8)
signed = np.array([-1, 2, -128], np.int8)
b, d, alone = 2, -4, 9
with Machine() as machine:
    for i, v in ((0, 17), (5, 300), (2, 255), (7, 1)):
        words = np.frombuffer(np.random.default_rng(i).bytes(12), np.uint8).copy()
        machine.put("words", words.view(np.uint32))
        machine.launch("run", np.uint16(i), np.uint16(v))
        wanted = np.zeros(13, np.uint32)
        wanted[0] = words[i]
        words[i] = v & 255
        words[3] = 0x5A
        words[i + 1] = (int(words[i + 1]) + 3) & 255
        wanted[1] = table[i % 7]
        table[6] = (int(table[6]) + v) & 255
        wanted[2] = int(table[6]) | int(table[5]) << 16
        wanted[3] = int(signed[i % 3]) & 0xFFFFFFFF
        signed[1] = -5
        wanted[4] = (-5 & 0xFFFF) | (-128 << 16) & 0xFFFFFFFF
        b, d, alone = b + 1, d - 1, (alone + 250) & 255
        wanted[5] = 1 | b << 8 | 3 << 16
        wanted[6] = (d + 5) & 0xFFFFFFFF
        wanted[7] = alone
        total = int(table.sum(dtype=np.uint32))
        wanted[8:10] = total - 1 + 77, total
        wanted[10] = i
        wanted[11] = 201 | b << 16
        wanted[12] = 0x0201 | 0x0605 << 16
        expect(machine.get("words", 3, np.uint32).ravel().view(np.uint8), words)
        expect(machine.get("got", 13, np.uint32).ravel(), wanted)
