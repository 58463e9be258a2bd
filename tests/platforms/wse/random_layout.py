"""Random layouts with their programs: trees of every color between PEs and host streams, and now and then what a
programmer would not write. Nothing says that a run ends well; it must only be the same run however it is built."""
import json
import random

STEP = {"WEST": (-1, 0), "EAST": (1, 0), "NORTH": (0, -1), "SOUTH": (0, 1)}
OPPOSITE = {"WEST": "EAST", "EAST": "WEST", "NORTH": "SOUTH", "SOUTH": "NORTH"}
SWITCHED_ON_WSE3 = set(range(10)) | {12, 13, 16, 17, 20, 21}
NO_TASK = 31 << 16
CONFIG = {
    "fabric.hop_latency": (1, 2, 3, 5, 63),
    "fabric.credit_latency": (1, 2, 5, 63),
    "fabric.buffer_depth": (1, 2, 3, 4, 5, 6),
    "fabric.on_ramp_latency": (1, 2, 3, 5),
    "fabric.off_ramp_latency": (1, 2, 5, 40),
    "fabric.arbitration": ("fixed", "round_robin"),
    "fabric.coincidence": ("merge", "illegal"),
    "fabric.color_swap": ("both", "partner"),
    "queues.write_latency": (1, 2, 7),
}


class RandomLayout:
    """`write(folder)` writes it; `options` are those of wse_platform."""

    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.preset = self.draw.choice(["wse2", "wse3"])
        self.width = self.draw.randint(1, 5)
        self.height = self.draw.randint(1, 4)
        self.features = self.chance(0.5)  # switches, filters and what else makes a router more than slots
        self.colors = sorted(self.draw.sample(range(24), self.draw.randint(1, 9)))
        self.routes = {}   # (x, y, color): keys of the layout
        self.sources = []  # x, y, direction, color
        self.sinks = []
        self.sent = {}     # by color: wavelets, about
        self.files = {}
        for color in self.colors:
            for _ in range(self.draw.randint(1, 3)):
                self.grow_tree(color)
        if self.chance(0.25):
            self.add_chaos()
        if self.features:
            for (x, y, color), route in self.routes.items():
                if self.chance(0.3):
                    self.add_feature(x, y, color, route)
        tiles = [self.tile(x, y) for y in range(self.height) for x in range(self.width)]
        self.tiles = [tile for tile in tiles if tile]
        self.arrays = {}
        self.host = self.host_steps()
        self.options = self.draw_options()

    def chance(self, part):
        return self.draw.random() < part

    def inside(self, x, y):
        return 0 <= x < self.width and 0 <= y < self.height

    def neighbours(self, x, y):
        return {d: (x + dx, y + dy) for d, (dx, dy) in STEP.items() if self.inside(x + dx, y + dy)}

    def rims(self, x, y):
        return [d for d, (dx, dy) in STEP.items() if not self.inside(x + dx, y + dy)]

    # --- routes ---

    def grow_tree(self, color):
        x, y = self.draw.randrange(self.width), self.draw.randrange(self.height)
        if (x, y, color) in self.routes:
            return
        rims = self.rims(x, y)
        source = self.draw.choice(rims) if rims and self.chance(0.4) else "RAMP"
        self.sources.append((x, y, source, color))
        leaves, reserved, size = [(x, y, source)], {(x, y)}, self.draw.randint(1, 12)
        while leaves:
            x, y, rx = leaves.pop(self.draw.randrange(len(leaves)))
            ways = [(d, at) for d, at in self.neighbours(x, y).items()
                    if d != rx and at not in reserved and (*at, color) not in self.routes]
            self.draw.shuffle(ways)
            count = 0 if size <= 0 else 1 if self.chance(0.7) else self.draw.randint(0, 3)
            tx = set()
            for direction, at in ways[:count]:
                tx.add(direction)
                size -= 1
                reserved.add(at)
                leaves.append((*at, OPPOSITE[direction]))
            if not tx or self.chance(0.2):
                rims = [d for d in self.rims(x, y) if d != rx]
                if rims and self.chance(0.35):
                    tx.add(self.draw.choice(rims))
                    self.sinks += [(x, y, d, color) for d in rims if d in tx]
                else:
                    tx.add("RAMP")
            self.routes[x, y, color] = {"rx": [rx], "tx": sorted(tx)}

    def add_chaos(self):
        for _ in range(self.draw.randint(1, 3)):
            x, y = self.draw.randrange(self.width), self.draw.randrange(self.height)
            ways = [*self.neighbours(x, y), "RAMP"]
            self.routes[x, y, self.draw.choice(self.colors)] = {
                "rx": [self.draw.choice([*STEP, "RAMP"])],
                "tx": self.draw.sample(ways, self.draw.randint(1, len(ways)))}

    def add_feature(self, x, y, color, route):
        ways = [*self.neighbours(x, y), "RAMP"]
        wse2 = self.preset == "wse2"
        kind = self.draw.choice(["switch", "filter", "swap", "inject", "teardown", "inputs"])
        if kind == "switch" and (wse2 or color in SWITCHED_ON_WSE3):
            route["switches"] = {
                "ring_mode": self.chance(0.6),
                "pop_mode": self.draw.choice(["no_pop", "always_pop", "pop_on_advance", "pop_on_advance_nop"])}
            for position in ("pos1", "pos2", "pos3")[:self.draw.randint(1, 3)]:
                route["switches"][position] = {self.draw.choice(["rx", "tx"]): self.draw.choice(ways)}
        elif kind == "filter" and "RAMP" in route["tx"]:
            limit = self.draw.randint(1, 9)
            route["filter"] = {"kind": self.draw.choice(["counter", "sparse_counter"]), "count_data": True,
                               "count_control": self.chance(0.5), "limit1": limit,
                               "max_counter": self.draw.randint(0, limit), "init_counter": self.draw.randint(0, limit)}
        elif kind == "swap" and wse2:
            route["color_swap_x"], route["color_swap_y"] = self.chance(0.7), self.chance(0.7)
        elif kind == "inject" and wse2 and "RAMP" not in route["rx"]:
            route["ce_inject"], route["switches"] = self.draw.choice(["low", "high"]), {"pos1": {"rx": "RAMP"}}
        elif kind == "teardown" and self.chance(0.3):
            route["teardown"] = True
        elif kind == "inputs" and wse2:
            route["rx"] = sorted({*route["rx"], self.draw.choice(ways)})

    # --- programs ---

    def payload(self, control):
        if not control:
            return self.draw.getrandbits(32)
        task = NO_TASK if self.chance(0.97) else self.draw.getrandbits(6) << 16
        command = self.draw.choices([0, 1, 2, 3], [4, 3, 2, 0.3])[0]
        return task | command << 22 | self.chance(0.4) << 24 | self.draw.getrandbits(7) << 25

    def delay(self):
        return ["fdivs d8, d8, 2.0", "fadds d8, d8, 1.0"] if self.chance(0.2) else []

    def tile(self, x, y):
        sends = [c for c in self.colors if "RAMP" in self.routes.get((x, y, c), {"rx": ()})["rx"]]
        reads = [c for c in self.colors if "RAMP" in self.routes.get((x, y, c), {"tx": ()})["tx"]]
        if self.chance(0.04) or (not sends and not reads and self.chance(0.8)):
            return None
        if self.chance(0.1):
            sends.append(self.draw.choice(self.colors))  # perhaps one that is not routed here
        if self.chance(0.1):
            reads.append(self.draw.randrange(24))
        if self.chance(0.08):
            reads = reads[1:]
        queues = self.draw.sample(range(6), 6)
        outputs = [(queues.pop(), c) for c in dict.fromkeys(sends[:3])]
        inputs = [(q, c) for q, c in zip([*queues, 6, 7], dict.fromkeys(reads[:4]))]
        declarations, tasks, readers, senders, forwarded = [], [], [], [], set()
        numbers = iter(range(16))
        for queue, color in inputs:
            declarations.append(f"queue i{queue} input {queue} color={color}")
            self.add_reader(queue, outputs, forwarded, numbers, declarations, tasks, readers)
        for queue, color in outputs:
            declarations.append(f"queue o{queue} output {queue} color={color}")
            for _ in range(0 if queue in forwarded else self.draw.randint(1, 3)):
                self.add_sender(queue, color, numbers, declarations, senders)
        self.draw.shuffle(senders)
        lines = [*declarations, *tasks, "fn main", *self.delay()]
        for block in [*readers, *senders]:
            lines += [*block, *self.delay()]
        lines += ["ret", "fn again", *[line for block in senders[:2] for line in block], "ret"]
        if self.features and self.chance(0.4):
            lines += self.teardown_task(x, y)
        name = f"tile_{x}_{y}.tasm"
        self.files[name] = "\n".join(lines) + "\n"
        return {"rect": [x, y, 1, 1], "code": name}

    def add_reader(self, queue, outputs, forwarded, numbers, declarations, tasks, readers):
        kind = self.draw.choices(["endless", "task", "some", "nothing", "forward"], [4, 4, 2, 0.3, 2])[0]
        if kind == "task":
            tasks.append(f"task t{queue} data i{queue}")
            for _ in range(self.draw.randint(0, 4)):
                tasks.append(self.draw.choice(["add32 d2, d2, d0", "fdivs d6, d6, 3.0", "fadds d6, d6, 1.0"]))
            tasks.append("end")
        elif kind in ("endless", "some"):
            extent = 0x7FFF if kind == "endless" else self.draw.randint(1, 30)
            number = next(numbers)
            declarations += [f"dsd in{queue} fabin i{queue} extent={extent}", f"data got{queue}: u32[64]",
                             f"dsd mem{queue} mem1d got{queue} stride={int(kind == 'some')}"]
            readers.append([f"lddsr s1ds{number}, in{queue}", f"lddsr dds{number}, mem{queue}",
                            f"mov32 dds{number}, s1ds{number} async"])
        elif kind == "forward" and outputs:
            output = self.draw.choice(outputs)[0]
            if output in forwarded:
                return
            forwarded.add(output)
            extent = self.draw.choice([0x7FFF, self.draw.randint(1, 40)])
            number = next(numbers)
            declarations += [f"dsd in{queue} fabin i{queue} extent={extent}",
                             f"dsd on{queue} fabout o{output} extent={extent}"]
            readers.append([f"lddsr s1ds{number}, in{queue}", f"lddsr dds{number}, on{queue}",
                            f"mov32 dds{number}, s1ds{number} async"])

    def add_sender(self, queue, color, numbers, declarations, senders):
        number = next(numbers)
        control = self.chance(0.25)
        count = self.draw.randint(1, 3) if control else self.draw.choice([1, 2, self.draw.randint(3, 25)])
        self.sent[color] = self.sent.get(color, 0) + count
        words = ", ".join(str(self.payload(control)) for _ in range(count))
        declarations += [f"data words{number}: u32[{count}] = {words}", f"dsd from{number} mem1d words{number}",
                         f"dsd out{number} fabout o{queue} extent={count}" + " control" * control +
                         " advance_switch" * self.chance(0.2)]
        senders.append([f"lddsr dds{number}, out{number}", f"lddsr s1ds{number}, from{number}",
                        f"mov32 dds{number}, s1ds{number}"])

    def teardown_task(self, x, y):
        lines = ["task torn_down local 29", "ldcfg r0, 0x7f60", "ldcfg r1, 0x7f61"]
        for color in self.colors:
            if (x, y, color) in self.routes:
                register = 0x7F20 + color
                lines += [f"ldcfg r2, {register}", "and16 r2, r2, 0xbfff", f"stcfg {register}, r2"]
        return [*lines, "end"]

    # --- host ---

    def host_steps(self):
        steps = []
        for number, (x, y, side, color) in enumerate(self.sources):
            if side == "RAMP" or side not in self.routes[x, y, color]["rx"]:
                continue
            count = self.draw.choice([1, 3, self.draw.randint(4, 40)])
            self.sent[color] = self.sent.get(color, 0) + count
            self.arrays[f"in{number}"] = {"dtype": "u32", "shape": [count], "init": "iota() * 3"}
            steps.append({"stream_in": {"color": color, "rect": [x, y, 1, 1], "name": f"in{number}", "edge": side}})
        for number, (x, y, side, color) in enumerate(self.sinks):
            if side not in self.routes[x, y, color]["tx"]:
                continue
            count = max(1, self.sent.get(color, 1)) if self.chance(0.8) else self.draw.randint(1, 20)
            self.arrays[f"out{number}"] = {"dtype": "u32", "shape": [count]}
            steps.append({"stream_out": {"color": color, "rect": [x, y, 1, 1], "name": f"out{number}", "edge": side}})
        self.draw.shuffle(steps)
        if self.tiles:
            steps.insert(self.draw.randint(0, len(steps)), {"launch": "main"})
        if self.arrays and self.chance(0.5):
            steps.append({"wait": self.draw.choice(sorted(self.arrays))})
        steps.append({"wait": "idle"})
        if self.tiles and self.chance(0.4):
            steps += [{"launch": "again", "rect": self.draw.choice(self.tiles)["rect"]}, {"wait": "idle"}]
        return steps

    def draw_options(self):
        bound = 5000 if self.chance(0.75) else self.draw.randint(1, 400)
        options = ["--preset", self.preset, "--max-cycles", str(bound)]
        if self.chance(0.6):
            for key, values in CONFIG.items():
                if self.chance(0.4):
                    options += ["--set", f"{key}={self.draw.choice(values)}"]
        return options

    def write(self, folder):
        layout = {"schema": "tessera-wse-layout-1", "grid": [self.width, self.height], "arrays": self.arrays,
                  "tiles": self.tiles, "host": self.host,
                  "routes": [{"rect": [x, y, 1, 1], "color": color, **route}
                             for (x, y, color), route in self.routes.items()]}
        for name, text in self.files.items():
            (folder / name).write_text(text)
        (folder / "layout.json").write_text(json.dumps(layout, indent=1))
        return folder / "layout.json"
