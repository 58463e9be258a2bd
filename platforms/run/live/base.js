// Small tools: elements, numbers, colors, and canvases that are sharp on every screen.
"use strict";

const $ = id => document.getElementById(id);

/** An element with properties and children; what is no property becomes an attribute. */
function el(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (key in element) element[key] = value;
    else element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

function svg(tag, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

const clamp = (value, least, most) => Math.min(most, Math.max(least, value));
const GROUPED = new Intl.NumberFormat("en-US");
const count = number => GROUPED.format(Math.round(number));
const percent = share => (100 * share).toFixed(share < 0.0995 ? 1 : 0) + " %";
const sum = numbers => numbers.reduce((a, b) => a + b, 0);

/** 1, 2 or 5 times a power of ten, at least `least`: the distance of ticks. Infinity where there is no room for any. */
function niceStep(least) {
  if (!(least > 0) || !Number.isFinite(least)) return Infinity;
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map(factor => factor * power).find(step => step >= least * 0.999);
}

/** Ticks from `from` to `to`, about `pixels` apart on `width`. */
function ticks(from, to, width, pixels) {
  const step = Math.max(1, niceStep((to - from) / (width / pixels)));
  const found = [];
  if (!(width > 0) || !Number.isFinite(step)) return found;
  for (let t = Math.ceil(Math.max(0, from) / step) * step; t <= to && found.length < 100; t += step) found.push(t);
  return found;
}

const FONT = "Inter, system-ui, sans-serif";
const font = (pixels, weight = "") => `${weight} ${pixels}px ${FONT}`.trim();

// Seven steps of rising contrast against the card, so that 0 is the background in both themes.
const RAMPS = {
  light: {
    busy: ["#eef3f5", "#d3e5ec", "#a9cfdc", "#74b2c8", "#3f8fae", "#1c6b8d", "#0a4766"],
    waits: ["#f6f2eb", "#f3e0c1", "#ecc48a", "#dea053", "#c47a2b", "#9a5717", "#6a380c"],
    links: ["#f3f1f7", "#e0d9ee", "#c4b5e0", "#a38bcd", "#8264b4", "#624392", "#432a6b"],
  },
  dark: {
    busy: ["#1a242b", "#1c3847", "#1e536c", "#287595", "#4597b9", "#7fbdd4", "#d0ecf4"],
    waits: ["#221f1b", "#3d2f1d", "#624520", "#8f6128", "#bd8439", "#e1af69", "#fbe6c4"],
    links: ["#1e1d26", "#302a47", "#4a3d72", "#69589e", "#8d7bc2", "#b7a8e0", "#e9e2f8"],
  },
};
const bytesOf = hex => [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16));

/** 256 colors between the steps of a ramp. */
function table(steps) {
  const colors = steps.map(bytesOf);
  return Array.from({ length: 256 }, (_, i) => {
    const position = i / 255 * (colors.length - 1), k = Math.min(Math.floor(position), colors.length - 2);
    return colors[k].map((from, j) => Math.round(from + (colors[k + 1][j] - from) * (position - k)));
  });
}
const TABLES = Object.fromEntries(Object.entries(RAMPS).map(([theme, ramps]) =>
  [theme, Object.fromEntries(Object.entries(ramps).map(([quantity, steps]) => [quantity, table(steps)]))]));

const theme = () => document.documentElement.dataset.theme;
/** The colors of a quantity in this theme; what has no hue of its own is shown as busy is. */
const rampOf = quantity => TABLES[theme()][quantity] || TABLES[theme()].busy;
/** The same as pixels of an ImageData, a number each. */
function pixelsOf(quantity) {
  const colors = rampOf(quantity);
  return colors.pixels ??= Uint32Array.from(colors, pixelOf);
}
const pixelOf = ([red, green, blue]) => new Uint32Array(Uint8ClampedArray.of(red, green, blue, 255).buffer)[0];
const level = share => Math.round(clamp(share, 0, 1) * 255);
const rgb = bytes => `rgb(${bytes})`;

let palette = {};
/** A color of style.css by its name; reasons have one each. */
function color(name) {
  palette[name] ??= getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim() || "#8a8f94";
  return palette[name];
}
const forgetColors = () => { palette = {}; };

let boxes = null;  // of canvases, while the page is drawn
/** Asks for the sizes of canvases before `draw` changes the page: later each question would lay the page out anew. */
function measured(canvases, draw) {
  boxes = new Map(canvases.map(canvas => [canvas, canvas.getBoundingClientRect()]));
  try {
    draw();
  } finally {
    boxes = null;
  }
}

/** Clears a canvas and answers what draws on it, in CSS pixels. */
function draw2d(canvas) {
  const box = boxes?.get(canvas) ?? canvas.getBoundingClientRect(), scale = devicePixelRatio || 1;
  const width = Math.max(1, Math.round(box.width * scale)), height = Math.max(1, Math.round(box.height * scale));
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  const g = canvas.getContext("2d");
  g.setTransform(scale, 0, 0, scale, 0, 0);
  g.clearRect(0, 0, box.width, box.height);
  g.font = font(11);
  g.textBaseline = "middle";
  return { g, width: box.width, height: box.height };
}

/** Draws `paint` inside a rectangle only. */
function clipped(g, x, y, width, height, paint) {
  g.save();
  g.beginPath();
  g.rect(x, y, width, height);
  g.clip();
  paint();
  g.restore();
}

function fillRound(g, x, y, width, height, radius) {
  g.beginPath();
  g.roundRect(x, y, width, height, radius);
  g.fill();
}

function line(g, x1, y1, x2, y2) {
  g.beginPath();
  g.moveTo(x1, y1);
  g.lineTo(x2, y2);
  g.stroke();
}

function textAt(g, text, x, y, align = "left", style = "faint") {
  g.textAlign = align;
  g.fillStyle = color(style);
  g.fillText(text, x, y);
}

/** The share of a color's bytes that the eye takes for light. */
const lightness = ([r, green, b]) => (0.299 * r + 0.587 * green + 0.114 * b) / 255;
