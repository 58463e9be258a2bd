// The selected place: what it does and waits for, its timeline, source, links, memory, and where its cycles went.
"use strict";

function section(title, note, ...children) {
  const head = el("div", { className: "h" }, el("h3", { textContent: title }), el("span", { textContent: note }));
  return el("section", { className: "s" }, head, ...children);
}
const note = text => el("div", { className: "note", textContent: text });
const spanWords = () => ui.span === "all" ? "since start" : "this interval";

function drawPlace() {
  const cell = ui.selected;
  $("right").replaceChildren(headOf(cell), ...sectionsOf(cell));
}

// --- what it does and waits for
function headOf(cell) {
  const title = el("div", { className: "t" }, el("h2", { textContent: nameOf(cell, true) }),
    el("span", { className: "soft", textContent: hasProgram(cell) ? peOf(cell) : "no program" }),
    el("span", { className: "grow" }), el("span", { className: "faint num", textContent: "cycle " + count(ui.cycle) }));
  return el("div", { className: "hd" }, title, el("ul", { className: "say" }, ...sentencesOf(cell)));
}
/** Of files only their names, as everywhere on the page. */
const withoutFolders = text => text.replace(/[^\s(),']*\/(?=[^\s/:]+:\d)/g, "");
function sentence(kind, text, to) {
  const short = withoutFolders(text), words = el("span", short === text ? {} : { title: text }, short);
  if (to !== undefined && to !== null && to !== ui.selected)
    words.append(" ", el("button", { className: "follow", textContent: "follow to " + nameOf(to, true), onclick: () => select(to) }));
  return el("li", { className: kind }, words);
}
const kindOf = text => /waits? for|has waited/.test(text) ? "wait" : /^(the|nothing)/.test(text) ? "" : "run";

/** What the program said, or says; else what the events and counts tell. */
function sentencesOf(cell) {
  const run = ui.run;
  if (!hasProgram(cell)) return [sentence("", "It has no program; its router may pass wavelets on.")];
  if (isLiveNow() && ui.place?.cell === cell)
    return ui.place.lines.length > 0 ? ui.place.lines.map(([text, to]) => sentence(kindOf(text), text, to)) : [sentence("", "nothing waits here")];
  const said = saidAt(cell), doing = run.isWatched(cell) || run.kind !== "fabric" ? doingNow(cell) : [];
  if (said && said.cycle === ui.cycle) return said.lines.length > 0 ? said.lines : doing;
  if (doing.length > 0) {
    const later = said && said.lines.length > 0 ? [sentence("when", `in cycle ${count(said.cycle)}, the end of this interval`), ...said.lines] : [];
    return [...doing, ...later];
  }
  const f = interval(), square = run.squareOf(cell), share = quantity => percent(run.value(square, f, "interval", quantity, "all"));
  const mean = run.block > 1 ? `${nameOf(cell)}: in the mean ` : "";
  return [sentence("", `${mean}busy ${share("busy")}, waiting ${share("waits")} of the ${cyclesShown(f, "interval")}`), ...stuckAt(cell)];
}
/** What was recorded at the end of this interval. */
function saidAt(cell) {
  const { cells = [], words = [], said = [] } = ui.sentences ?? {}, watched = ui.run.kind === "cores" ? cell - cell % ui.run.gridColumns : cell;
  const index = cells.indexOf(watched), entry = said.find(([end]) => end > ui.cycle);
  if (index < 0 || !entry) return null;
  const lines = (entry[1][index] ?? []).map(([number, to]) => sentence(kindOf(words[number]), words[number], to < 0 ? null : to));
  return { cycle: entry[0] - 1, lines };
}
/** The waits of a run that ended stuck, in its last cycle. */
function stuckAt(cell) {
  if (ui.cycle < ui.run.total - 1) return [];
  const key = { fabric: "tile", mesh: "node", cores: "core" }[ui.run.kind];
  const at = entry => entry[key] ?? entry.at ?? [];
  return (ui.report?.stuck ?? []).filter(entry => at(entry)[0] === xOf(cell) && at(entry)[1] === yOf(cell))
    .slice(0, 8).map(entry => sentence("wait", `${entry.who} waits for ${entry.what}`));
}
/** The slices that are under way, in words. */
function doingNow(cell) {
  const run = ui.run;
  if (run.kind === "cores") {
    const core = run.threadOf(cell)?.name.split(" ")[0];
    const others = lanesOf().filter(lane => lane.cluster === run.about.tracks[cell][0] && lane.core === core && lane.cell !== cell);
    const state = of => sliceAt(of, ui.cycle);
    const kind = slice => !slice ? "" : slice.reason ? "wait" : "run";
    const own = state(run.threadOf(cell)?.rows ?? []);
    return [sentence(kind(own), own ? sliceInWords(own) : "idle"), ...others.map(lane => {
      const slice = state(lane.rows);
      return sentence(kind(slice), `${lane.name.split(" ")[1]}: ` + (!slice ? "idle" : slice.reason ? "waits for " + (slice.what || wordsOf(slice.reason)) : slice.name));
    })];
  }
  if (run.kind === "mesh") {
    const phase = phaseOf(cell), task = taskOf(cell);
    return [sentence(phase ? "run" : "wait", phase ? stateInWords(cell) : "between phases"), ...(task ? [sentence("run", "task: " + task.name)] : [])];
  }
  return run.threadsOf(cell).filter(thread => !isQueue(thread)).flatMap(thread => {
    const found = [...slicesIn(thread.rows, ui.cycle, ui.cycle)].filter(slice => slice.begin <= ui.cycle && slice.end > ui.cycle);
    return found.map(slice => {
      const on = thread.name === "main" ? "the main thread" : thread.name, where = slice.line ? ` at ${shortPlace(slice.line)}` : "";
      if (slice.reason) return sentence("wait", `${on} waits for ${slice.what || wordsOf(slice.reason)}`);
      const isOperation = slice.count > 0 || thread.name !== "main";
      return sentence("run", isOperation ? `${slice.name} on ${on}${where}, ${count(slice.count)} elements, since cycle ${count(slice.begin)}`
        : `runs ${slice.name}${where}, since cycle ${count(slice.begin)}`);
    });
  });
}

// --- sections
function sectionsOf(cell) {
  const run = ui.run, f = interval(), square = run.squareOf(cell), sections = [];
  const mean = run.block > 1 ? `mean of ${nameOf(cell)}, ` : "";
  if (hasProgram(cell)) {
    sections.push(timelineSection(cell));
    sections.push(...[sourceSection(cell), queueSection(cell)].filter(Boolean));
  }
  if (run.kind === "cores") sections.push(section("Operations around this cycle", "", operationsOf(cell)));
  if (run.kind === "mesh" && run.tracks.size > 0) sections.push(section("Phases of all nodes", "a row for each node, in cycles", phasesOfAll()));
  if (run.kind === "fabric") sections.push(section("Links", `${mean}${spanWords()}, wavelets a cycle`, linksOf(square, f)));
  if (hasProgram(cell) && run.kind === "fabric") sections.push(memorySection(cell));
  if (hasProgram(cell)) {
    sections.push(section("Over the run", "busy and waits of this place in each interval", sparkOf(square, f)));
    sections.push(section("Cycles", `${mean}${spanWords()}`, cyclesOf(square, f)));
  }
  return sections;
}

function timelineSection(cell) {
  const threads = ui.run.threadsOf(cell), touch = matchMedia("(pointer: coarse)").matches;
  if (threads.length > 0) return section("Timeline", touch ? "drag: pan" : "drag: pan, wheel: zoom", timelineOf(cell));
  if (ui.run.isWatched(cell)) return section("Timeline", "", note("Nothing has happened here yet."));
  return section("Timeline", "", note(`Not recorded for this tile. Run again with --trace-rect ${xOf(cell)},${yOf(cell)},1,1 to record what it does.`));
}

/** The line that was asked for, or that is under way. */
function sourceSection(cell) {
  const threads = ui.run.kind === "cores" ? [ui.run.threadOf(cell)].filter(Boolean) : ui.run.threadsOf(cell);
  const lines = threads.flatMap(thread => [...slicesIn(thread.rows, ui.cycle, ui.cycle)]
    .filter(slice => slice.begin <= ui.cycle && slice.end > ui.cycle && slice.line)).reverse();
  const place = [ui.source, ...lines.map(slice => slice.line)].map(placeInSource).find(Boolean);
  return place ? section("Source", shortPlace(place.join(":")), sourceOf(...place)) : null;
}

function operationsOf(cell) {
  const rows = ui.run.threadOf(cell)?.rows ?? [], now = sliceAt(rows, ui.cycle), around = rows.findIndex(slice => slice.end > ui.cycle);
  const first = Math.max(0, (around < 0 ? rows.length : around) - 6), head = ["operation or wait", "line", "from", "cycles"];
  return el("table", { className: "wrap" }, el("tr", {}, ...head.map(text => el("th", { textContent: text, scope: "col" }))),
    ...rows.slice(first, first + 14).map(slice => el("tr", { className: slice === now ? "now" : "" },
      el("td", { textContent: slice.reason ? "waits: " + (slice.what || wordsOf(slice.reason)) : slice.name }),
      el("td", { textContent: shortPlace(slice.line).replace(/^[^:]*/, "") }),
      el("td", { textContent: count(slice.begin) }), el("td", { textContent: count(slice.end - slice.begin) }))));
}

function phasesOfAll() {
  const run = ui.run, nodes = run.squares, canvas = el("canvas", { role: "img", "aria-label": `Phases of ${nodes} nodes over ${count(run.total)} cycles` });
  const high = clamp(Math.round(280 / nodes), 2, 9);
  canvas.style.cssText = `width:100%;display:block;height:${nodes * high + 18}px`;
  requestAnimationFrame(() => {
    if (!canvas.isConnected || canvas.clientWidth < 60) return;
    const { g, width } = draw2d(canvas), names = phaseNames(), x = cycle => cycle / run.total * width;
    for (let cell = 0; cell < nodes; cell++) {
      g.globalAlpha = cell === ui.selected ? 1 : 0.6;
      for (const slice of run.tracks.get(cell)?.get(0)?.rows ?? []) {
        g.fillStyle = phaseColor(names.indexOf(slice.name));
        g.fillRect(x(slice.begin), cell * high, Math.max(1, x(slice.end) - x(slice.begin) - 0.5), high - Math.min(1.4, high / 4));
      }
    }
    g.globalAlpha = 1;
    g.strokeStyle = color("ink");
    line(g, x(ui.cycle), 0, x(ui.cycle), nodes * high);
    textAt(g, "0", 0, nodes * high + 10);
    textAt(g, count(run.total), width, nodes * high + 10, "right");
  });
  return canvas;
}

// --- input queues
/** What lay in the queues, and at the end of which cycle; null: it was not recorded. */
function queuesOf(cell) {
  if (isLiveNow() && ui.place?.cell === cell) return { cycle: ui.cycle, queues: ui.place.queues };
  const { cells = [], words = [], said = [], queues = [] } = ui.sentences ?? {}, index = cells.indexOf(cell);
  const [end, , found] = said.find(entry => entry[0] > ui.cycle) ?? [];
  if (index < 0 || !found?.[index]) return null;
  const filled = found[index].map(([wavelets, first], i) => ({ ...queues[index][i], filled: wavelets, first: words[first] }));
  return { cycle: end - 1, queues: filled };
}
function queueSection(cell) {
  const found = queuesOf(cell);
  if (!found || found.queues.length === 0) return null;
  const box = el("div", { className: "q" });
  for (const queue of found.queues) {
    const label = [`q${queue.number}`, ...(queue.color === null ? [] : [`color ${queue.color}`])].join(" ");
    box.append(el("div", {}, (queue.name || "queue") + " ", el("span", { className: "faint", textContent: label })), slotsOf(queue));
  }
  const later = found.cycle === ui.cycle ? "" : ", the end of this interval";
  return section("Input queues", `oldest first, in cycle ${count(found.cycle)}${later}`, box);
}
const MOST_SLOTS = 16;
function slotsOf(queue) {
  const words = `${queue.name}: ${queue.filled} of ${queue.places} places taken` + (queue.filled > 0 ? `, the oldest ${queue.first}` : "");
  const slots = el("div", { className: "slots", role: "img", "aria-label": words, title: words });
  const short = Number.isNaN(Number(queue.first)) ? queue.first : String(Number(Number(queue.first).toPrecision(3)));
  for (let i = 0; i < Math.min(MOST_SLOTS, queue.places); i++)
    slots.append(el("span", { className: i >= queue.filled ? "" : i === 0 ? "full out" : "full", textContent: i === 0 && queue.filled > 0 ? short : "" }));
  return slots;
}

// --- links
function linksOf(square, f) {
  const run = ui.run, cycles = run.cyclesOf(f, ui.span), [from, to] = run.range(f, ui.span);
  const load = (key, of) => of === null ? 0 : run.added([key], from, to, of) / cycles, column = square % run.columns;
  const beside = { east: column + 1 < run.columns ? square + 1 : null, west: column > 0 ? square - 1 : null,
    north: square >= run.columns ? square - run.columns : null, south: square + run.columns < run.squares ? square + run.columns : null };
  const opposite = { east: "west", west: "east", north: "south", south: "north" };
  const rows = DIRECTIONS.map(key => [key, load(key, square), load(opposite[key], beside[key])]);
  const cell = value => el("td", { textContent: value > 0 ? value.toFixed(2) : "" });
  const table = el("table", {}, el("tr", {}, ...["link", "out", "in"].map(text => el("th", { textContent: text, scope: "col" }))),
    ...rows.map(([key, out, into]) => el("tr", {}, el("td", { textContent: key }), cell(out), cell(into))),
    el("tr", {}, el("td", { textContent: "to the PE" }), cell(load("ramp", square)), el("td")));
  return el("div", { className: "two" }, routerPicture(rows), table);
}
function routerPicture(rows) {
  const picture = svg("svg", { viewBox: "0 0 130 104", role: "img",
    "aria-label": rows.map(([key, out, into]) => `${key}: out ${out.toFixed(2)}, in ${into.toFixed(2)}`).join("; ") });
  picture.append(svg("rect", { x: 45, y: 32, width: 40, height: 40, rx: 6, fill: "var(--sunk)", stroke: "var(--line)" }));
  const ends = { east: [87, 46, 124, 46, 0, 12], west: [43, 58, 6, 58, 0, -12], north: [59, 30, 59, 6, 12, 0], south: [71, 74, 71, 98, -12, 0] };
  for (const [key, out, into] of rows) {
    const [x1, y1, x2, y2, dx, dy] = ends[key];
    addLink(picture, out, x1, y1, x2, y2);
    addLink(picture, into, x2 + dx, y2 + dy, x1 + dx, y1 + dy);
  }
  const label = svg("text", { x: 65, y: 55, "text-anchor": "middle", "font-size": 10, fill: "var(--faint)" });
  label.textContent = "router";
  picture.append(label);
  return picture;
}
function addLink(picture, load, x1, y1, x2, y2) {
  const isUsed = load > 0.003, stroke = isUsed ? rgb(rampOf("links")[level(0.25 + 0.75 * Math.sqrt(clamp(load, 0, 1)))]) : "var(--line)";
  picture.append(svg("line", { x1, y1, x2, y2, stroke, "stroke-width": isUsed ? 1.5 + 5 * Math.sqrt(load) : 1, "stroke-linecap": "round",
    "stroke-dasharray": isUsed ? "none" : "1 4" }));
  if (!isUsed) return;
  const dx = Math.sign(x2 - x1), dy = Math.sign(y2 - y1), s = 4.5;
  picture.append(svg("path", { d: `M${x2 + dx * 5} ${y2 + dy * 5}L${x2 - dy * s} ${y2 + dx * s}L${x2 + dy * s} ${y2 - dx * s}Z`, fill: stroke }));
}

// --- memory
function memorySection(cell) {
  const isNow = isLiveNow() && ui.place?.cell === cell, symbols = isNow ? ui.place.memory : ui.memory[cell];
  const when = isNow ? `values in cycle ${count(ui.cycle)}` : "values at the end of the run";
  if (!symbols || symbols.length === 0)
    return section("Memory", "", note(symbols || isNow ? "The program declares no arrays." : "Not recorded for this tile in this cycle."));
  return section("Memory", `48 KB; ${when}`, ...memoryOf([...symbols].sort((a, b) => a.address - b.address)));
}
const MEMORY_COLORS = ["busy", "interval", "latency", "start", "task_start", "bank_conflict"];
function memoryOf(symbols) {
  const first = symbols[0].address, last = Math.max(...symbols.map(symbol => symbol.address + symbol.bytes)), shownBytes = Math.max(1024, last * 1.2);
  const part = (bytes, name, title) => {
    const piece = el("i", { title });
    piece.style.width = 100 * bytes / shownBytes + "%";
    piece.style.background = name ? color(name) : "transparent";
    return piece;
  };
  const bar = el("div", { className: "mem", role: "img", "aria-label": symbols.map(symbol => `${symbol.name} ${symbol.bytes} bytes`).join(", ") });
  bar.append(part(first, "host", `before the arrays: ${first} bytes`));
  let end = first;
  symbols.forEach((symbol, k) => {
    if (symbol.address > end) bar.append(part(symbol.address - end, null, ""));
    bar.append(part(symbol.address + symbol.bytes - Math.max(end, symbol.address), MEMORY_COLORS[k % MEMORY_COLORS.length], `${symbol.name}: ${symbol.bytes} bytes`));
    end = Math.max(end, symbol.address + symbol.bytes);
  });
  const rows = symbols.map((symbol, k) => {
    const dot = el("i", { className: "colr" });
    dot.style.background = color(MEMORY_COLORS[k % MEMORY_COLORS.length]);
    const values = symbol.values.slice(0, 8).join("  ") + (symbol.count > 8 ? " \u2026" : "");
    return el("tr", {}, el("td", {}, dot, symbol.name), el("td", { textContent: `${symbol.type}[${symbol.count}]` }),
      el("td", { textContent: symbol.address }), el("td", { className: "vals", textContent: values, title: symbol.values.join(" ") }));
  });
  const head = el("tr", {}, ...["name", "type", "at", "value"].map(text => el("th", { textContent: text, scope: "col" })));
  head.lastChild.style.textAlign = "left";
  const words = `first ${count(shownBytes)} bytes: ${count(first)} task table and code, ${count(last - first)} data; ${count(49152 - last)} free`;
  return [bar, el("p", { className: "faint small", textContent: words }), el("table", { className: "memt" }, head, ...rows)];
}

// --- its cycles
function sparkOf(square, f) {
  const share = quantity => percent(ui.run.value(square, f, "all", quantity, "all"));
  const canvas = el("canvas", { className: "spark", role: "img", "aria-label": `busy ${share("busy")}, waiting ${share("waits")} of all cycles so far` });
  canvas.dataset.square = square;
  requestAnimationFrame(() => paintSpark(canvas));
  return canvas;
}
function paintSpark(canvas) {
  if (!canvas?.isConnected || canvas.clientWidth < 60) return;
  const run = ui.run, square = Number(canvas.dataset.square), { g, width, height } = draw2d(canvas), [from, to] = ui.range;
  const x = cycle => (cycle - from) / (to - from) * width;
  g.fillStyle = color("sunk");
  g.fillRect(0, 0, width, height);
  for (let f = 0; f <= run.last; f++) {
    const left = x(run.begin(f)), w = x(run.ends[f]) - left;
    let y = height;
    for (const key of ["busy", ...run.seen]) {
      const part = run.at(key === "busy" ? key : "wait:" + key, f, square) / run.length(f) * height;
      if (!(part > 0)) continue;
      g.globalAlpha = key === "busy" ? 1 : 0.75;
      g.fillStyle = colorOf(key);
      g.fillRect(left, y - part, w + 0.3, part);
      y -= part;
    }
  }
  g.globalAlpha = 1;
  g.strokeStyle = color("ink");
  g.lineWidth = 1.4;
  line(g, x(ui.cycle), 0, x(ui.cycle), height);
}
const drawPlaceOverTime = () => paintSpark(document.querySelector(".spark"));

function cyclesOf(square, f) {
  const run = ui.run, [from, to] = run.range(f, ui.span), all = run.cyclesOf(f, ui.span);
  const rows = ["busy", ...run.seen].map(key => [key, run.added([key === "busy" ? key : "wait:" + key], from, to, square)])
    .filter(([, cycles]) => cycles > 0).sort((a, b) => b[1] - a[1]);
  rows.push(["idle", Math.max(0, all - sum(rows.map(([, cycles]) => cycles)))]);
  const text = cycles => (run.block > 1 ? cycles.toFixed(1) : count(cycles)) + " cycles";
  return el("div", { className: "bars" }, ...rows.map(([key, cycles]) => barRow(key, wordsOf(key), cycles / all, text(cycles))));
}
