import numpy as np
from host import Machine, arch, expect


WIDTH, HEIGHT, MESSAGES = 4, 3, 3
COUNT = WIDTH * HEIGHT


def message(sender, number):
    length = 1 + (7 * sender + 11 * number) % 31
    return [(sender << 16) | (number << 8) | i for i in range(length)]


with Machine(WIDTH, HEIGHT) as machine:
    machine.launch("run")
    machine.launch("pass_on")
    if arch() == "wse3":
        inbox = machine.get("inbox", 32 * MESSAGES, np.uint32).reshape(COUNT, MESSAGES, 32)
        halves = machine.get("halves", 5, np.uint16).reshape(COUNT, 5)
        for receiver in range(COUNT):
            wanted = sorted(message(sender, number) for sender in range(COUNT) for number in range(MESSAGES)
                            if (5 * sender + 3 + number) % COUNT == receiver)
            found = sorted(list(map(int, slot[1:1 + slot[0]])) for slot in inbox[receiver])
            assert found == wanted, (receiver, found, wanted)
            expect(halves[receiver], 100 * ((receiver - 1) % COUNT) + np.arange(5, dtype=np.uint16))
