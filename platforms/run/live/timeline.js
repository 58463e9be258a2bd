// The timeline of a place: its threads around the cycle that is shown; and its source with what lines waited.
"use strict";

const TIMELINE_LEFT = 74;

const threadLabel = name => name.replace("microthread ", "ut").replace(/input queue (\d+) \(color (\d+)\)/, "q$1 color $2");
const isQueue = thread => thread.name.startsWith("input queue");

/** A canvas with a row for each thread. Tasks of the main thread are pale, its operations lie in them. */
function timelineOf(cell) {
  const threads = ui.run.kind === "cores" ? [ui.run.threadOf(cell)].filter(Boolean) : ui.run.threadsOf(cell), canvas = el("canvas", { tabIndex: 0 });
  const heights = threads.map(thread => thread.name === "main" ? 38 : 26), height = 22 + sum(heights);
  const now = threads.flatMap(thread => {
    const slice = sliceAt(thread.rows, ui.cycle);
    return slice ? [`${slice.name} on ${thread.name}`] : [];
  });
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", `Timeline around cycle ${count(ui.cycle)}: ${now.join(", ") || "nothing is under way"}`);
  canvas.style.height = height + "px";
  let middle = ui.cycle;
  const paint = () => paintTimeline(canvas, threads, heights, middle);
  requestAnimationFrame(paint);
  moveTimeline(canvas, paint, () => middle, to => { middle = to; });
  return el("div", { className: "tl" }, canvas);
}

function moveTimeline(canvas, paint, middle, moveTo) {
  let from = null;
  canvas.addEventListener("pointerdown", event => {
    from = event.clientX;
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", event => {
    if (from === null || Math.abs(event.clientX - from) <= 2) return;
    moveTo(middle() - (event.clientX - from) / Math.max(1, canvas.clientWidth - TIMELINE_LEFT - 4) * ui.around);
    from = event.clientX;
    paint();
  });
  canvas.addEventListener("pointerup", () => {
    from = null;
    if (Math.round(middle()) !== ui.cycle) seek(middle());
  });
  canvas.addEventListener("wheel", event => {
    event.preventDefault();
    ui.around = clamp(ui.around * Math.exp(event.deltaY * 0.002), 16, Math.max(64, ui.run.total * 2));
    paint();
  }, { passive: false });
}

function paintTimeline(canvas, threads, heights, middle) {
  if (!canvas.isConnected || canvas.clientWidth < 120) return;
  const { g, width, height } = draw2d(canvas), w = width - TIMELINE_LEFT - 4;
  const from = middle - ui.around / 2, to = middle + ui.around / 2, x = cycle => TIMELINE_LEFT + (cycle - from) / (to - from) * w;
  g.font = font(10.5);
  for (const tick of ticks(from, to, w, 64)) {
    g.strokeStyle = color("hair");
    line(g, x(tick), 16, x(tick), height);
    textAt(g, count(tick), x(tick), 7, "center");
  }
  let y = 18;
  threads.forEach((thread, i) => {
    const high = heights[i];
    g.font = font(10.5);
    textAt(g, threadLabel(thread.name), TIMELINE_LEFT - 8, y + high / 2, "right", "soft");
    g.fillStyle = color("sunk");
    g.fillRect(TIMELINE_LEFT, y + 2, w, high - 4);
    clipped(g, TIMELINE_LEFT, y, w, high, () => {
      for (const slice of slicesIn(thread.rows, from, to)) {
        const left = x(slice.begin), wide = Math.max(1.2, x(slice.end) - left);
        paintSlice(g, thread, slice, left, y, wide, high);
      }
    });
    y += high;
  });
  g.strokeStyle = color("ink");
  g.lineWidth = 1.4;
  line(g, x(ui.cycle), 12, x(ui.cycle), height);
}

function paintSlice(g, thread, slice, x, y, width, height) {
  const isMain = thread.name === "main", isMesh = ui.run.kind === "mesh";
  const label = (text, at, style) => {
    if (width <= 24) return;
    g.font = font(10);
    clipped(g, x, y, width - 3, height, () => textAt(g, text, x + 4, at, "left", style));
  };
  const box = (name, alpha, top, high) => {
    g.globalAlpha = alpha;
    g.fillStyle = name;
    fillRound(g, x, top, Math.max(1, width), high, 3);
    g.globalAlpha = 1;
  };
  if (slice.reason) {
    g.globalAlpha = 0.85;
    g.fillStyle = color(slice.reason);
    g.fillRect(x, y + height - 7, width, 4);
    g.globalAlpha = 1;
  } else if (isQueue(thread)) {
    box(color("latency"), 0.8, y + 8, height - 16);
    if (width > 16) label(String(slice.count), y + height / 2, "card");
  } else if (isMesh) {
    const number = phaseNames().indexOf(slice.name);
    box(number >= 0 ? phaseColor(number) : color("busy"), number >= 0 ? 0.85 : 0.3, y + 3, height - 6);
    label(slice.name.replace("phase ", ""), y + height / 2, number >= 0 ? "card" : "ink");
  } else if (slice.count > 0 || !isMain) {  // an operation
    box(color("busy"), 1, y + (isMain ? 17 : 4), height - (isMain ? 24 : 10));
    const where = width > 70 ? shortPlace(slice.line).replace(/^[^:]*/, "") : "";
    label(`${slice.name}  ${where}`, y + (isMain ? 24 : height / 2 - 0.5), "accent-ink");
  } else {  // a task
    box(color("busy"), 0.22, y + 3, height - 6);
    label(slice.name, y + 10, "ink");
  }
}

// --- source
const KEYWORDS = /\b(const|var|fn|task|param|if|else|for|while|return|comptime|layout|and|or|true|false|local|data|queue|dsd|dsr|async|end|ret)\b/;
const TOKENS = new RegExp(`(\\/\\/.*$|(?:^|\\s);.*$)|(@\\w+)|${KEYWORDS.source}`, "g");

/** A line of source, as elements: comments, builtins and keywords have colors. */
function colored(text) {
  const pre = el("pre");
  let at = 0;
  for (const match of text.matchAll(TOKENS)) {
    pre.append(text.slice(at, match.index));
    pre.append(el("span", { className: match[1] ? "c" : match[2] ? "st" : "k", textContent: match[0] }));
    at = match.index + match[0].length;
  }
  pre.append(text.slice(at) || (at === 0 ? " " : ""));
  return pre;
}

/** "gemv.tasm:31 (task reduce)" -> [key of ui.sources, 31]; null: no text of the program has the line. */
function placeInSource(place) {
  const found = /^([^:]+):(\d+)/.exec(place ?? "");
  if (!found) return null;
  const file = fileNamed(found[1]);
  return file !== null && Number(found[2]) > 0 ? [file, Number(found[2])] : null;
}

/** The file of the program that a place names: a path, or the last part of one. null: none, or several. */
function fileNamed(name) {
  if (name in ui.sources) return name;
  const found = Object.keys(ui.sources).filter(file => file.endsWith("/" + name) || name.endsWith("/" + file));
  return found.length === 1 ? found[0] : null;
}

/** Cycles of waits by line of a file and reason, over the whole run. */
function waitsByLine(file) {
  const lines = new Map();
  for (const entry of ui.report?.waits?.lines ?? []) {
    const found = placeInSource(entry.place);
    if (!found || found[0] !== file || entry.reason === "turn") continue;
    const of = lines.get(found[1]) ?? {};
    of[entry.reason] = (of[entry.reason] ?? 0) + entry.cycles;
    lines.set(found[1], of);
  }
  return lines;
}

function sourceOf(file, number) {
  const text = ui.sources[file].split("\n"), waits = waitsByLine(file);
  const most = Math.max(1, ...[...waits.values()].map(of => sum(Object.values(of))));
  const box = el("div", { className: "src", tabIndex: 0, role: "region", "aria-label": `Source ${shortPlace(file)}` });
  for (let n = Math.max(1, number - 3); n <= Math.min(text.length, number + 5); n++) {
    const of = waits.get(n), all = of ? sum(Object.values(of)) : 0, beside = el("span", { className: "w", textContent: all ? count(all) : "" });
    if (all) {
      const [reason] = Object.entries(of).sort((a, b) => b[1] - a[1])[0], bar = el("i");
      bar.style.background = color(reason);
      bar.style.opacity = 0.35 + 0.65 * all / most;
      beside.title = Object.entries(of).map(([key, cycles]) => `${wordsOf(key)}: ${count(cycles)} cycles`).join("\n");
      beside.append(bar);
    }
    box.append(el("div", { className: n === number ? "at" : "" }, beside, el("span", { className: "n", textContent: n }), colored(text[n - 1])));
  }
  return box;
}
