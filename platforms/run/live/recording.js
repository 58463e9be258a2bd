// The recording of a run: what every square of the machine counted in each interval, and what can be said of it.
"use strict";

const DIRECTIONS = ["east", "west", "north", "south"];
const KEPT_SUMS = 16;  // intervals between sums that are kept

/** Reads the form TSR1: "TSR1", length of a head, the head in JSON, values of all layers and intervals as u16. */
function readFrames(buffer) {
  const view = new DataView(buffer);
  if (view.getUint32(0) !== 0x54535231) throw new Error("no recording of this version of Tessera");
  const length = view.getUint32(4, true), begin = 8 + length;
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length)));
  const squares = head.columns * head.rows, values = begin % 2 === 0 ? new Uint16Array(buffer, begin) : new Uint16Array(buffer.slice(begin));
  return { head, layer: (l, f) => values.subarray((l * head.cycles.length + f) * squares, (l * head.cycles.length + f + 1) * squares) };
}

class Recording {
  constructor(about) {
    this.about = about;
    this.kind = about.kind;
    [this.gridColumns, this.gridRows] = about.grid;
    this.reasons = about.layers.map(layer => layer.key).filter(key => key.startsWith("wait:")).map(key => key.slice(5));
    this.words = Object.fromEntries(about.layers.map(layer => [layer.key.replace("wait:", ""), layer.name]));
    this.words.busy = "busy";
    this.words.idle = "idle";
    this.commands = [];
    this.tracks = new Map();
    this.generation = -1;
    this.clear();
  }

  clear() {
    this.ends = [];
    this.layers = new Map();  // key -> for each interval {raw, scale} or undefined: all 0
    this.totals = [];
    this.high = new Map();
    this.sums = new Map();
    this.closed = 0;
  }

  /** Takes intervals that readFrames() has read, in the place of those from their begin on. */
  add({ head, layer }) {
    if (head.generation !== this.generation) this.clear();
    Object.assign(this, { generation: head.generation, block: head.block, columns: head.columns, rows: head.rows, closed: head.closed });
    this.squares = this.columns * this.rows;
    const kept = this.ends.filter(end => end <= head.begin).length;
    this.cut(kept);
    this.ends.push(...head.cycles);
    for (const [l, key] of head.layers.entries()) {
      if (!this.layers.has(key)) this.layers.set(key, []);
      head.cycles.forEach((_, f) => { this.layers.get(key)[kept + f] = { raw: layer(l, f), scale: head.scale[l] }; });
    }
    this.cells = Float32Array.from({ length: this.squares }, (_, i) => this.cellsIn(i));
    this.programs = this.about.programs_in ? Float32Array.from(this.about.programs_in) : this.cells;
    this.inside = Uint8Array.from({ length: this.squares }, (_, i) => this.isUsed(i) ? 1 : 0);
    this.seen = this.reasons.filter(reason => this.layers.has("wait:" + reason));
  }
  cut(kept) {
    this.ends.length = kept;
    for (const layer of this.layers.values()) layer.length = Math.min(layer.length, kept);
    this.totals.length = Math.min(this.totals.length, kept);
    for (const high of this.high.values()) high.length = Math.min(high.length, kept);
    for (const sums of this.sums.values()) sums.length = Math.min(sums.length, Math.floor(kept / KEPT_SUMS));
  }

  get total() { return this.ends.at(-1) ?? 1; }
  get last() { return this.ends.length - 1; }
  begin(f) { return f > 0 ? this.ends[f - 1] : 0; }
  length(f) { return this.ends[f] - this.begin(f); }
  /** The interval with a cycle. */
  intervalOf(cycle) {
    let low = 0, high = Math.max(0, this.last);
    while (low < high) {
      const middle = low + high >> 1;
      if (this.ends[middle] > cycle) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  // --- squares of cells
  squareOf(cell) {
    return Math.floor(Math.floor(cell / this.gridColumns) / this.block) * this.columns + Math.floor(cell % this.gridColumns / this.block);
  }
  /** The cell in the middle of a square. */
  cellOf(square) {
    const middle = (from, most) => Math.min(from * this.block + (this.block >> 1), most - 1);
    return middle(Math.floor(square / this.columns), this.gridRows) * this.gridColumns + middle(square % this.columns, this.gridColumns);
  }
  cellsIn(square) {
    const size = (from, most) => Math.min(this.block, most - from * this.block);
    return size(square % this.columns, this.gridColumns) * size(Math.floor(square / this.columns), this.gridRows);
  }
  isUsed(square) {
    const [x, y, width, height] = this.about.used, b = this.block;
    const left = square % this.columns * b, top = Math.floor(square / this.columns) * b;
    return left < x + width && left + b > x && top < y + height && top + b > y;
  }

  // --- values
  has(key) { return this.layers.has(key); }
  /** What a cell of a square has counted in an interval, in the mean: cycles of those with a program, wavelets of all. */
  at(key, f, square) {
    const values = this.layers.get(key)?.[f];
    return values ? values.raw[square] / values.scale : 0;
  }
  /** The same of several layers and intervals `from` to `to`. */
  added(keys, from, to, square) {
    let value = 0;
    for (const key of keys) for (let f = from; f <= to; f++) value += this.at(key, f, square);
    return value;
  }
  /** The same of all squares. */
  addedOfAll(keys, from, to) {
    return from === 0 && to > 0 ? this.addedUpTo(keys, to) : this.addInto(new Float64Array(this.squares), keys, from, to);
  }
  addInto(values, keys, from, to) {
    for (const key of keys) {
      const layer = this.layers.get(key);
      for (let f = from; layer && f <= to; f++) {
        if (!layer[f]) continue;
        const { raw, scale } = layer[f], factor = 1 / scale;
        for (let i = 0; i < raw.length; i++) values[i] += raw[i] * factor;
      }
    }
    return values;
  }
  /** From the first interval on. Sums are kept at every sixteenth interval, so that a scrub to and fro adds few; one far ahead keeps them on its way. */
  addedUpTo(keys, to) {
    const name = keys.join();
    if (!this.sums.has(name)) this.sums.set(name, []);
    const kept = this.sums.get(name), nearest = Math.min(kept.length, Math.floor((to + 1) / KEPT_SUMS));
    let values = nearest > 0 ? kept[nearest - 1].slice() : new Float64Array(this.squares), from = nearest * KEPT_SUMS;
    for (; from + KEPT_SUMS - 1 <= to; from += KEPT_SUMS) {
      kept.push(this.addInto(values, keys, from, from + KEPT_SUMS - 1));
      values = values.slice();
    }
    return this.addInto(values, keys, from, to);
  }

  /** The layers that a quantity adds up; links are the busiest of four. */
  keysOf(quantity, reason = "all") {
    if (quantity === "waits") return (reason === "all" ? this.reasons : [reason]).map(name => "wait:" + name);
    return [quantity];
  }
  range(f, span) { return span === "all" ? [0, f] : [f, f]; }
  cyclesOf(f, span) { return span === "all" ? this.ends[f] : this.length(f); }

  /** A quantity of a square, a cycle: a share of the cycles, or wavelets. */
  value(square, f, span, quantity, reason) {
    const [from, to] = this.range(f, span), cycles = this.cyclesOf(f, span);
    if (quantity === "links") return Math.max(...DIRECTIONS.map(key => this.added([key], from, to, square))) / cycles;
    return this.added(this.keysOf(quantity, reason), from, to, square) / cycles;
  }
  /** The same of all squares. */
  values(f, span, quantity, reason) {
    const [from, to] = this.range(f, span), cycles = this.cyclesOf(f, span), out = new Float32Array(this.squares);
    const parts = quantity === "links" ? DIRECTIONS.map(key => this.addedOfAll([key], from, to))
      : [this.addedOfAll(this.keysOf(quantity, reason), from, to)];
    for (const part of parts) {
      for (let i = 0; i < out.length; i++) {
        const value = part[i] / cycles;
        if (value > out[i]) out[i] = value;
      }
    }
    return out;
  }
  /** 99.5 % of the squares have no more, in an interval or in all up to it. */
  highOf(f, span, quantity, reason) {
    const name = [span, quantity, reason].join();
    if (!this.high.has(name)) this.high.set(name, []);
    return this.high.get(name)[f] ??= this.highest(this.values(f, span, quantity, reason));
  }
  highest(values) {
    const bins = new Uint32Array(1001);
    let used = 0;
    for (let i = 0; i < values.length; i++) {
      if (!this.inside[i]) continue;
      used++;
      bins[clamp(Math.ceil(values[i] * 1000), 0, 1000)]++;
    }
    let above = used * 0.005;
    for (let bin = 1000; bin > 0; bin--) {
      above -= bins[bin];
      if (above < 0) return bin / 1000;
    }
    return 0;
  }

  /** Cells that have a program; of pipes those that did something. */
  usedCells() {
    const [, , width, height] = this.about.used;
    if (this.kind !== "cores" || this.tracks.size === 0) return Math.max(1, this.about.programs ?? width * height);
    return Math.max(1, sum([...this.tracks.values()].map(threads => threads.size)));
  }

  /** Of the whole machine in an interval: busy and each reason as a share of the cycles of its cells, wavelets on links a cycle. */
  total_of(f) {
    if (this.totals[f]) return this.totals[f];
    const of = key => {
      const values = this.layers.get(key)?.[f];
      let all = 0;
      const cells = DIRECTIONS.includes(key) ? this.cells : this.programs;
      if (values) for (let i = 0; i < this.squares; i++) all += values.raw[i] * cells[i];
      return values ? all / values.scale : 0;
    };
    const all = this.usedCells() * this.length(f);
    const total = { busy: of("busy") / all, links: sum(DIRECTIONS.map(of)) / this.length(f) };
    for (const reason of this.seen) total[reason] = of("wait:" + reason) / all;
    return this.totals[f] = total;
  }
  /** The same of an interval, or of all up to it. */
  sharesOf(f, span) {
    const [from, to] = this.range(f, span), shares = {};
    for (let k = from; k <= to; k++) {
      const total = this.total_of(k), weight = this.length(k) / this.cyclesOf(f, span);
      for (const key of ["busy", ...this.seen]) shares[key] = (shares[key] || 0) + total[key] * weight;
    }
    return shares;
  }

  // --- what places did when
  /** Takes the answer of /slices. */
  addSlices(slices) {
    if (!slices) return;
    for (const track of slices.tracks) {
      const rows = [];
      for (let i = 0; i < track.rows.length; i += 6) {
        const [begin, length, name, where, what, number] = track.rows.slice(i, i + 6);
        const words = slices.words, isWait = words[name].startsWith("wait");
        rows.push({ begin, end: begin + length, name: words[name], line: words[where], what: words[what], count: number,
          reason: isWait ? words[name].replace(/^wait:?\s*/, "") : null });
      }
      rows.sort((a, b) => a.begin - b.begin);
      if (!this.tracks.has(track.process)) this.tracks.set(track.process, new Map());
      this.tracks.get(track.process).set(track.thread, { name: track.name, thread: track.thread, from: track.from, rows });
    }
    this.longest = undefined;
  }
  /** The threads of a cell in their order; empty: none was recorded. */
  threadsOf(cell) {
    const threads = this.tracks.get(this.kind === "cores" ? this.about.tracks[cell][0] : cell);
    return threads ? [...threads.values()].sort((a, b) => a.thread - b.thread) : [];
  }
  /** The thread that a cell is, where a cell is one. */
  threadOf(cell) {
    const [process, thread] = this.about.tracks[cell];
    return this.tracks.get(process)?.get(thread);
  }
  isWatched(cell) { return this.about.watched.includes(this.kind === "cores" ? cell - cell % this.gridColumns : cell); }

  commandAt(cycle) {
    return this.commands.find(([, begin, end]) => cycle >= begin && cycle < (end ?? Infinity));
  }
}

/** Pipes count an operation when it begins and a wait when it ends. Their slices say in which interval each cycle was. */
function countBySlices(recording) {
  if (recording.kind !== "cores" || recording.tracks.size === 0) return;
  const { ends, squares } = recording, layers = new Map();
  const put = (key, f, square, cycles) => {
    if (!layers.has(key)) layers.set(key, ends.map(() => ({ raw: new Float64Array(squares), scale: 1 })));
    layers.get(key)[f].raw[square] += cycles;
  };
  for (let cell = 0; cell < squares; cell++) {
    for (const row of recording.threadOf(cell)?.rows ?? []) {
      const key = row.reason ? "wait:" + row.reason : "busy";
      for (let f = recording.intervalOf(row.begin); f < ends.length && recording.begin(f) < row.end; f++)
        put(key, f, cell, Math.min(row.end, ends[f]) - Math.max(row.begin, recording.begin(f)));
    }
  }
  recording.layers = layers;
  recording.totals = [];
  recording.sums.clear();
  recording.high.clear();
  recording.seen = recording.reasons.filter(reason => layers.has("wait:" + reason));
}
