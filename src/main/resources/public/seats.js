// The seat map of a pool. It shows the state of the server and sends requests; it makes no
// decisions.

import { readUntilTold } from "./api.js";
import { $, option } from "./browser.js";
import { HoldCards, money } from "./holds.js";
import { tell } from "./notices.js";
import { follow } from "./stream.js";

const SVG = "http://www.w3.org/2000/svg";
const SPACE = 14; // distance of seats, whatever units the pool uses
const SEATS_MAX = 5000;
const PAGE = 500;
const WORDS = {
  FREE: "free",
  HELD: "held by somebody",
  SOLD: "sold",
  BLOCKED: "not on sale",
  MINE: "held by you",
  BOUGHT: "bought by you",
};

const seats = new Map(); // item → { offer, x, y, group, state }
let pool;
let cards;

export async function openSeats(found, signal) {
  pool = found;
  cards = new HoldCards({
    pool,
    things: "seats",
    list: $("holds"),
    none: $("none"),
    home: $("hall"),
    label: ({ items }) => items.join(", "),
    cents: ({ items }) => cents(items),
    onChange: ({ items }) => items.forEach(paint),
    onAsked: ({ about }, progress) =>
      seats.get(about.item)?.group.classList.toggle("asked", /asked|unknown/.test(progress)),
    contradicts: ({ items }) =>
      items.some((item) => seats.has(item) && seats.get(item).state !== "HELD"),
  });
  drawMap(await catalogue(signal));
  fillChoices();
  $("title").textContent = pool.name;
  $("hall").hidden = $("mine").hidden = false;
  seats.forEach((_, item) => paint(item));
  $("frame").scrollLeft = ($("frame").scrollWidth - $("frame").clientWidth) / 2;
  follow(pool, {
    onEvent: take,
    onCaughtUp: () => cards.refreshHeld(),
    onLink: (isLive) => $("map").classList.toggle("old", !isLive),
  });
  cards.start();
}

async function catalogue(signal) {
  const offers = [];
  let path = `/v1/pools/${pool.name}/catalogue?limit=${PAGE}`;
  while (path && offers.length < SEATS_MAX) {
    const page = await readUntilTold(path, signal);
    offers.push(...page.body.items);
    path = page.headers.get("Link")?.match(/<(.*)>; rel="next"/)?.[1];
  }
  if (path) {
    tell(`This page shows the first ${offers.length} seats only.`);
  }
  return offers;
}

function fillChoices() {
  const most = Math.min(pool.policy.maxItemsPerHold, 8);
  const counts = Array.from({ length: most }, (_, i) => option(i + 1, String(i + 1)));
  const names = [...new Set([...seats.values()].map(({ offer }) => offer.section))].filter(Boolean);
  $("count").replaceChildren(...counts);
  $("count").value = Math.min(2, most);
  const sections = names.map((name) => option(name, `section ${name}`));
  $("section").replaceChildren(option("", "any section"), ...sections);
}

const cents = (items) =>
  items.reduce((sum, item) => sum + (seats.get(item)?.offer.priceCents ?? 0), 0);
const price = (item) => money(cents([item]), pool);

// ---- changes

function take(event, news) {
  if (event === "snapshot") {
    news.items.forEach(({ item, state }) => change(item, state));
  } else if (event === "change") {
    change(news.item, news.state);
  }
  showCounts();
}

function change(item, state) {
  const seat = seats.get(item);
  if (!seat || seat.state === state) {
    return;
  }
  seat.state = state;
  paint(item);
  if (state !== "HELD") {
    cards.refreshHeld((hold) => hold.items.includes(item)); // the hold may have ended
  }
}

function showCounts() {
  const sum = { FREE: 0, HELD: 0, SOLD: 0, BLOCKED: 0 };
  seats.forEach(({ state }) => sum[state]++);
  const blocked = sum.BLOCKED ? `, ${sum.BLOCKED} not on sale` : "";
  $("counts").textContent = `${sum.FREE} free, ${sum.HELD} held, ${sum.SOLD} sold${blocked}`;
}

// ---- map

function element(name, attributes, ...children) {
  const made = document.createElementNS(SVG, name);
  Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
  made.append(...children);
  return made;
}

const marks = () => [
  element("circle", { r: 5.4 }),
  element("path", { class: "cross", d: "M-2-2 2 2M2-2-2 2" }),
  element("path", { class: "tick", d: "M-2.4.2-.6 2 2.6-1.8" }),
];

function shown(item) {
  const { state } = seats.get(item);
  const mine = cards.all().find((hold) => hold.items.includes(item));
  if (mine?.state === "HELD" && state !== "SOLD") {
    return "MINE";
  }
  return mine?.state === "CONFIRMED" && state !== "FREE" ? "BOUGHT" : state;
}

function paint(item) {
  const seat = seats.get(item);
  if (!seat) {
    return;
  }
  const { section, row, number } = seat.offer;
  const state = shown(item);
  const place = [section && `section ${section}`, row && `row ${row}`, number && `seat ${number}`];
  seat.group.dataset.state = state;
  seat.group.setAttribute("aria-disabled", state === "BLOCKED");
  seat.group.setAttribute(
    "aria-label",
    `${item}, ${place.filter(Boolean).join(" ")}, ${price(item)}, ${WORDS[state]}`,
  );
}

/** Uses the coordinates of the seats, or a plain block of rows for seats without any. */
function placed(offers) {
  const raw = offers.map(({ x, y }, i) => ({
    x: x ?? (i % 20) * SPACE,
    y: y ?? Math.floor(i / 20) * SPACE,
  }));
  const steps = raw.slice(1, 500).map(({ x, y }, i) => Math.hypot(x - raw[i].x, y - raw[i].y));
  const scale = SPACE / Math.min(...steps.filter((step) => step > 0), 1e9);
  return raw.map(({ x, y }) => ({ x: x * (scale || 1), y: y * (scale || 1) }));
}

function drawMap(offers) {
  const places = placed(offers);
  const sections = [...new Set(offers.map(({ section }) => section))];
  offers.forEach((offer, i) => {
    const { x, y } = places[i];
    const tint = `s${sections.indexOf(offer.section) % 4}`;
    const attributes = { class: `seat ${tint}`, role: "button", tabindex: -1 };
    const group = element("g", { ...attributes, transform: `translate(${x} ${y})` }, ...marks());
    group.dataset.item = offer.item;
    seats.set(offer.item, { offer, x, y, group, state: "FREE" });
  });
  const box = surroundings(places);
  $("map").setAttribute("viewBox", `${box.left} ${box.top} ${box.width} ${box.height}`);
  $("map").replaceChildren(
    ...stage(box, places),
    ...sections.filter(Boolean).map((section) => sectionLabel(section, box)),
    ...[...seats.values()].map(({ group }) => group),
  );
  seats.values().next().value?.group.setAttribute("tabindex", 0);
  drawLegend(sections);
}

function surroundings(places) {
  const xs = places.map(({ x }) => x);
  const ys = places.map(({ y }) => y);
  const [left, right] = [Math.min(...xs) - 28, Math.max(...xs) + 28];
  const [top, bottom] = [Math.min(...ys) - 44, Math.max(...ys) + 36];
  return { left, top, width: right - left, height: bottom - top, middle: (left + right) / 2 };
}

/** The depth of the stage is limited by the seats in front of it. */
function stage({ top, width, middle }, places) {
  const half = width * 0.16;
  const before = places.filter(({ x }) => Math.abs(x - middle) < half).map(({ y }) => y);
  const depth = Math.max(8, Math.min(half, Math.min(...before) - 40 - (top + 8)));
  const y = top + 8;
  const path = `M${middle - half} ${y}h${2 * half}a${half} ${depth} 0 0 1 ${-2 * half} 0z`;
  const label = element("text", { x: middle, y: y + Math.min(depth, 40) / 2 + 3 }, "Stage");
  return [element("path", { class: "stage", d: path }), label];
}

function sectionLabel(section, { middle, top }) {
  const all = [...seats.values()].filter(({ offer }) => offer.section === section);
  const last = all.filter(({ offer }) => offer.row === all.at(-1).offer.row);
  const x = last.reduce((sum, seat) => sum + seat.x, 0) / last.length;
  const y = last.reduce((sum, seat) => sum + seat.y, 0) / last.length;
  const away = Math.hypot(x - middle, y - top) || 1;
  const aside = Math.abs(x - middle) / away; // beside the stage the text needs more room
  const far = 24 + 26 * aside;
  const at = { x: x + (far * (x - middle)) / away, y: y + (far * (y - top)) / away };
  return element("text", at, `${section} · ${price(all[0].offer.item)}`);
}

function drawLegend(sections) {
  const line = (state, tint, text) => {
    const group = element("g", { class: `seat ${tint}` }, ...marks());
    group.dataset.state = state;
    const each = document.createElement("li");
    each.append(element("svg", { viewBox: "-7 -7 14 14", "aria-hidden": true }, group), text);
    return each;
  };
  $("legend").replaceChildren(
    ...sections.slice(0, 4).map((name, i) => line("FREE", `s${i}`, `free${name ? ` in ${name}` : ""}`)),
    ...["HELD", "SOLD", "BLOCKED", "MINE", "BOUGHT"].map((state) => line(state, "s0", WORDS[state])),
  );
}

// ---- keys and clicks

function choose(item) {
  if (shown(item) === "BLOCKED") {
    return; // the seat keeps the focus, and its label says why nothing happens
  }
  const mine = cards
    .all()
    .find((hold) => hold.state !== "EXPIRED" && hold.items.includes(item));
  if (mine) {
    cards.focus(mine.holdId);
  } else {
    cards.place({ items: [item] }, { item });
  }
}

/** Returns the nearest seat in the direction of an arrow key. */
function neighbour(from, [dx, dy]) {
  let best = null;
  let least = Infinity;
  for (const seat of seats.values()) {
    const [x, y] = [seat.x - from.x, seat.y - from.y];
    const along = x * dx + y * dy;
    const cost = along + 2.5 * Math.abs(x * dy - y * dx);
    if (along > 0.1 && cost < least) {
      [best, least] = [seat, cost];
    }
  }
  return best;
}

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function onKey(event) {
  const seat = seats.get(event.target.closest(".seat")?.dataset.item);
  if (!seat) {
    return;
  }
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    choose(seat.offer.item);
  } else if (ARROWS[event.key]) {
    event.preventDefault();
    moveTo(neighbour(seat, ARROWS[event.key]));
  }
}

function moveTo(seat) {
  if (seat) {
    $("map").querySelector('.seat[tabindex="0"]')?.setAttribute("tabindex", -1);
    seat.group.setAttribute("tabindex", 0);
    seat.group.focus();
  }
}

$("map").addEventListener("keydown", onKey);
$("map").addEventListener("click", (event) => {
  const seat = event.target.closest(".seat");
  if (seat) {
    moveTo(seats.get(seat.dataset.item));
    choose(seat.dataset.item);
  }
});
$("best").addEventListener("submit", (event) => {
  event.preventDefault();
  const section = $("section").value;
  const bestAvailable = Number($("count").value);
  cards.place(section ? { bestAvailable, section } : { bestAvailable });
});
