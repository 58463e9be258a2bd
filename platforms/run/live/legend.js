// The scale under the map: what colors mean, how many places have which value, and what the scale ends at.
"use strict";

/** What the scale ends at: a round number above the largest value, or all. */
function topOfScale() {
  if (ui.scale === "full") return 1;
  const run = ui.run, f = interval();
  let high = 0;
  if (ui.scale === "interval" || ui.span === "all")
    high = run.highOf(ui.scale === "run" ? run.last : f, ui.span, ui.quantity, ui.reason);
  else
    for (let k = 0; k <= run.last; k++) high = Math.max(high, run.highOf(k, "interval", ui.quantity, ui.reason));
  return [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1].find(top => top >= high * 0.999) ?? 1;
}

function whatIsShown() {
  const run = ui.run, cells = run.kind === "mesh" ? "node" : "tile";
  const what = {
    busy: run.kind === "mesh" ? "cycles in which the processor worked" : "cycles in which the issue slot was used",
    waits: ui.reason === "all" ? `cycles in which the ${cells} waited` : "cycles of waiting for " + wordsOf(ui.reason),
    links: `load of the busiest link of a ${cells}, wavelets a cycle`,
  }[ui.quantity];
  return `${what}, ${cyclesShown(interval())}` + (run.block > 1 ? `; mean of ${run.block} \u00d7 ${run.block} tiles` : "");
}

/** Words with their colors, where colors are no scale. */
function keysOf(items) {
  return items.map(([name, of]) => {
    const dot = el("i");
    dot.style.background = of;
    return el("span", { className: "key" }, dot, name);
  });
}

function drawLegend() {
  const scale = $("legendscale");
  scale.hidden = $("scale").hidden = !isHeat();
  if (!isHeat()) {
    const keys = ui.run.kind === "mesh" ? phaseNames().map((name, i) => [name, phaseColor(i)])
      : [["operation", color("busy")], ...ui.run.seen.map(reason => [wordsOf(reason), color(reason)])];
    $("legendtext").replaceChildren(...keysOf(keys));
    return;
  }
  $("legendtext").textContent = whatIsShown();
  const { g, width } = draw2d(scale), colors = rampOf(ui.quantity), top = shown.top;
  const bins = new Array(24).fill(0);
  for (let i = 0; i < ui.run.squares; i++)
    if (ui.run.inside[i]) bins[Math.min(23, Math.floor(shown.values[i] / top * 24))]++;
  const most = Math.max(...bins);
  g.fillStyle = color("faint");
  g.globalAlpha = 0.55;
  bins.forEach((tiles, b) => {
    const height = 1 + 10 * tiles / most;
    if (tiles > 0) g.fillRect(b * width / 24 + 0.5, 11 - height, width / 24 - 1, height);
  });
  g.globalAlpha = 1;
  const ramp = g.createLinearGradient(0, 0, width, 0);
  for (let step = 0; step <= 16; step++) ramp.addColorStop(step / 16, rgb(colors[level(step / 16)]));
  g.fillStyle = ramp;
  g.fillRect(0, 12, width, 8);
  g.font = font(10.5);
  const label = value => ui.quantity === "links" ? String(+value.toFixed(3)) : `${+(100 * value).toFixed(1)} %`;
  textAt(g, label(0), 0, 28);
  textAt(g, label(top / 2), width / 2, 28, "center");
  textAt(g, label(top), width, 28, "right");
}

/** What stands under the pointer or the cursor, in words: the live region says it. */
function drawReading() {
  const cell = ui.hover ?? ui.cursor;
  let text = "";
  if (isHeat()) {
    if (cell === null) text = "point at a place, or use the arrow keys";
    else if (!hasProgram(cell)) text = `${nameOf(cell)}: no program`;
    else text = `${nameOf(cell)}: ${textOf(ui.quantity, valueOf(cell, ui.quantity))}${unitOf(ui.quantity)}`;
  } else if (cell !== null) {
    text = `${nameOf(cell)}: ${stateInWords(cell)}`;
  }
  if ($("read").textContent !== text) $("read").textContent = text;
}
const valueOf = (cell, quantity, span = ui.span) =>
  ui.run.value(ui.run.squareOf(cell), interval(), span, quantity, quantity === "waits" ? ui.reason : "all");
