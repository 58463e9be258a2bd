// A scheduled mesh on the map: the phase of a node as its color, pale when its tasks are done.
"use strict";

const PHASE_COLORS = ["busy", "wavelet", "latency", "start", "bank_conflict", "task_start", "interval", "room"];
const phaseColor = number => color(PHASE_COLORS[number % PHASE_COLORS.length]);

function phaseNames() {
  const names = new Set();
  for (const threads of ui.run.tracks.values()) for (const row of threads.get(0)?.rows ?? []) names.add(row.name);
  return [...names];
}
const phaseOf = cell => sliceAt(ui.run.tracks.get(cell)?.get(0)?.rows ?? [], ui.cycle);
/** A task of the node that is under way; undefined: all are done. */
function taskOf(cell) {
  for (const thread of ui.run.threadsOf(cell)) {
    const task = thread.thread > 0 && sliceAt(thread.rows, ui.cycle);
    if (task) return task;
  }
  return undefined;
}

function drawPhases(g) {
  const names = phaseNames(), { side } = shown, gap = Math.max(1, side * 0.16);
  for (let cell = 0; cell < ui.run.squares; cell++) {
    const [x, y] = cornerOf(cell), phase = phaseOf(cell), isAtWork = phase && taskOf(cell);
    if (isOutside(x, y)) continue;
    g.globalAlpha = phase && !isAtWork ? 0.45 : 1;
    g.fillStyle = phase ? phaseColor(names.indexOf(phase.name)) : color("idle");
    fillRound(g, x + gap / 2, y + gap / 2, side - gap, side - gap, Math.min(6, side * 0.12));
    g.globalAlpha = 1;
    if (side > 46) drawPhaseText(g, cell, phase, isAtWork, x + side / 2, y + side / 2, side - gap - 4);
  }
}
function drawPhaseText(g, cell, phase, isAtWork, x, y, width) {
  const style = !phase ? "faint" : theme() === "light" && isAtWork ? "card" : theme() === "dark" && isAtWork ? "bg" : "ink";
  const has = ui.run.threadsOf(cell).length > 0;
  const name = phase ? phase.name.replace("phase ", "").split("+")[0].replaceAll("_", " ") : has ? "switching" : "no phase";
  clipped(g, x - width / 2, y - 20, width, 40, () => {
    g.font = font(12, "600");
    textAt(g, name, x, y - 7, "center", style);
    g.font = font(11);
    const long = isAtWork ? "cycle " + count(ui.cycle - (phase?.begin ?? 0)) : "done, waits", short = isAtWork ? long.slice(6) : "done";
    if (phase) textAt(g, g.measureText(long).width <= width ? long : short, x, y + 9, "center", style);
  });
}
