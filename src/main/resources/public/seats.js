// The seat map. It shows the state of the server and sends requests; it makes no decisions.

const SVG = "http://www.w3.org/2000/svg";
const SPACE = 14; // distance of seats, whatever units the pool uses
const SEATS_MAX = 5000;
const PAGE = 500;
const CALL_MS = 20_000;
const SILENCE_MS = 45_000; // the server sends at least a comment every 15 s
const PATIENCE_MS = 55_000; // a little less than the window of an idempotency key
const PAUSE_MS = { least: 400, most: 8_000 };
const SOON_MS = 60_000;
const DOUBT_MS = 3_000;
const WORDS = {
  FREE: "free",
  HELD: "held by somebody",
  SOLD: "sold",
  MINE: "held by you",
  BOUGHT: "bought by you",
};

const $ = (id) => document.getElementById(id);
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
const list = (items) => items.join(", ");
const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });

const kept = {
  read(name, otherwise) {
    return JSON.parse(localStorage.getItem(`holdfast.${name}`) ?? "null") ?? otherwise;
  },
  write(name, value) {
    localStorage.setItem(`holdfast.${name}`, JSON.stringify(value));
  },
};

const me = { key: "", isDemo: false, requester: "", skewMs: kept.read("skew", 0) };
const pool = { name: "", policy: null };
const seats = new Map(); // item → { offer, x, y, group, state }
const holds = new Map(); // hold id → { hold, card, beatAt, isAsked }
const unread = new Set(); // ids of holds of an earlier visit that are not read yet

// ---- messages

const timers = new Map();

function say(place, text, ms) {
  $(place).textContent = text;
  clearTimeout(timers.get(place));
  timers.set(
    place,
    setTimeout(() => ($(place).textContent = ""), ms),
  );
}

const tell = (text) => say("news", text, 7_000);
const refuse = (text) => say("refusal", text, 10_000);
const warn = (text) => say("refusal", text, 60_000);

function showLink(state, text) {
  $("link").dataset.link = state;
  $("link").firstElementChild.textContent = text;
  $("map").classList.toggle("old", state !== "live");
}

function inWords({ body }) {
  switch (body?.code) {
    case "resource-unavailable":
      return body.items?.length
        ? `${list(body.items)} ${body.items.length > 1 ? "are" : "is"} taken: somebody was faster.`
        : "There are not so many free seats side by side.";
    case "hold-limit":
      return "You hold as much as one person may. Buy or release something first.";
    case "window-elapsed":
      return "Your time for these seats is over.";
    case "checkout-exists":
      return "A hold is paid for once. Release it, and hold the seats again to try another card.";
    case "not-held":
      return "These seats are not held for you any more.";
    default:
      return body?.detail ?? "The service gave no answer. Reload the page to ask again.";
  }
}

// ---- requests

function token() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function call(method, path, body, headers = {}) {
  const answer = await fetch(path, {
    method,
    headers: {
      Authorization: `Bearer ${me.key}`,
      ...(body ? { "Content-Type": "application/json" } : {}),
      ...headers,
    },
    body: body && JSON.stringify(body),
    signal: AbortSignal.timeout(CALL_MS),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: parsed(text) };
}

/** Returns null if the text is not JSON, such as the error page of a proxy. */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const isDefinite = ({ status, body }) =>
  status < 500 && body?.definite !== false && body?.code !== "rate-limited";

/** Retries every second until the answer is definite. Throws if a newer attempt to enter begins. */
async function readUntilTold(path) {
  const mine = attempt;
  for (;;) {
    const answer = await call("GET", path).catch(() => null);
    if (mine !== attempt) {
      throw new Error("Superseded.");
    }
    if (answer && isDefinite(answer)) {
      return answer;
    }
    showLink("lost", "Not connected. Trying again…");
    await wait(1_000);
  }
}

function keepIntent(intent, isOpen) {
  const intents = kept.read("intents", {});
  if (isOpen) {
    intents[intent.token] = intent;
  } else {
    delete intents[intent.token];
  }
  kept.write("intents", intents);
}

/** Retries under one key until the answer is definite. An open intent survives a reload. */
async function carryOut(intent) {
  keepIntent(intent, true);
  const headers = { "Idempotency-Key": intent.token, ...intent.headers };
  for (let pause = PAUSE_MS.least; ; pause = Math.min(2 * pause, PAUSE_MS.most)) {
    const asked = Date.now();
    const answer = await call("POST", intent.path, intent.body, headers).catch(() => null);
    if (answer && isDefinite(answer)) {
      keepIntent(intent, false);
      return { ...answer, asked };
    }
    if (Date.now() - intent.at > PATIENCE_MS) {
      return answer ?? { status: 0, body: null };
    }
    tell("No answer yet. Asking again, under the same key.");
    await wait(pause);
  }
}

async function intend(kind, path, body, about = {}, headers = {}) {
  await finish({ token: token(), at: Date.now(), pool: pool.name, kind, path, body, about, headers });
}

async function finish(intent) {
  const { holdId, item } = intent.about;
  const seat = seats.get(item)?.group;
  seat?.classList.add("asked");
  setBusy(holdId, true);
  const answer = await carryOut(intent);
  seat?.classList.remove("asked");
  await afterwards[intent.kind](answer, intent);
  setBusy(holdId, false);
}

const afterwards = {
  hold(answer) {
    if (answer.status >= 300 || answer.status === 0) {
      refuse(inWords(answer));
      return;
    }
    if (answer.status === 201 && !answer.headers.has("Idempotent-Replayed")) {
      me.skewMs = Date.parse(answer.body.placedAt) - (answer.asked + Date.now()) / 2;
      kept.write("skew", me.skewMs);
    }
    show(answer.body);
    tell(`${list(answer.body.items)}: yours until ${time(answer.body.leaseUntil)}.`);
  },

  async release(answer, { about }) {
    if (answer.status === 200) {
      tell(`${list(answer.body.items)}: released.`);
      show(answer.body);
    } else {
      refuse(inWords(answer));
      await refresh(about.holdId);
    }
  },

  async confirm(answer, { about }) {
    if (answer.status === 200) {
      show(answer.body);
      tell(`${list(answer.body.items)}: sold to you, for good.`);
    } else {
      refuse(inWords(answer));
      await refresh(about.holdId);
    }
  },

  async pay(answer, { about }) {
    let checkout = answer;
    for (let tries = 0; checkout.status === 202 && tries < 120; tries++) {
      tell("The bank has not answered yet.");
      await wait(1_000);
      const path = `/v1/checkouts/${answer.body.checkoutId}`;
      const read = await call("GET", path).catch(() => null);
      const isOver = /FULFILLED|COMPENSATED|STUCK/.test(read?.body?.state);
      checkout = isOver ? read : checkout;
    }
    await refresh(about.holdId);
    tellOfPayment(checkout, list(about.items));
  },
};

/** Only a compensated or refused payment may be reported as not charged. */
function tellOfPayment(checkout, items) {
  const { status, body } = checkout;
  const isRefused = status >= 400 && isDefinite(checkout) && !body?.state;
  if (body?.state === "FULFILLED") {
    tell(`${items}: paid, and yours for good.`);
  } else if (body?.state === "STUCK") {
    warn(`${items}: the payment is stuck half way, and somebody has to look at it. Do not pay again.`);
  } else if (body?.code === "checkout-exists") {
    refuse(inWords(checkout)); // the first checkout may have been paid
  } else if (body?.state === "COMPENSATED" || isRefused) {
    refuse(`Not paid, and nothing is kept of your money: ${body?.failure?.detail ?? inWords(checkout)}`);
  } else {
    warn(
      `${items}: whether you have paid is not known yet. Do not pay again, but reload the page in a ` +
        "while: it shows whether the seats are yours.",
    );
  }
}

// ---- my holds

const now = () => Date.now() + me.skewMs;
const time = (moment) => clock.format(new Date(Date.parse(moment) - me.skewMs));

function price(items) {
  const cents = items.reduce((sum, item) => sum + (seats.get(item)?.offer.priceCents ?? 0), 0);
  const text = new Intl.NumberFormat(undefined, {
    style: "currency",
    currency: pool.policy.currency,
  }).format(cents / 100);
  return { cents, text };
}

function show(hold) {
  const mine = holds.get(hold.holdId) ?? { card: newCard(hold) };
  mine.hold = { ...mine.hold, ...hold };
  mine.isAsked = false;
  mine.readAt = Date.now();
  const { leaseUntil, expiresAt, heartbeatSeconds } = mine.hold;
  const left = Date.parse(leaseUntil) - now();
  const canGrow = Date.parse(leaseUntil) < Date.parse(expiresAt);
  mine.beatAt = canGrow ? now() + Math.min(heartbeatSeconds * 1_000, left / 2) : Infinity;
  mine.span = Math.max(left, mine.span ?? 0);
  holds.set(hold.holdId, mine);
  if (mine.hold.state === "RELEASED") {
    drop(hold.holdId);
  } else {
    draw(mine);
  }
  keepHolds();
}

function drop(holdId) {
  const { card, hold } = holds.get(holdId);
  const hadFocus = card.contains(document.activeElement);
  card.remove();
  holds.delete(holdId);
  hold.items.forEach(paint);
  if (hadFocus) {
    $("hall").focus();
  }
  keepHolds();
}

function keepHolds() {
  kept.write(`holds.${pool.name}`, [...holds.keys(), ...unread]);
  $("none").hidden = holds.size > 0;
}

function newCard({ holdId, items }) {
  const card = $("card").content.firstElementChild.cloneNode(true);
  const on = (name, deed) => (card.querySelector(`.${name}`).onclick = deed);
  const body = () => ({ requester: me.requester, fence: holds.get(holdId).hold.fence });
  const about = { holdId, items };
  card.dataset.hold = holdId;
  on("release", () =>
    intend("release", `/v1/holds/${holdId}/release`, { requester: me.requester }, about),
  );
  on("confirm", () => {
    const order = { ...body(), orderId: `web-${token()}` };
    intend("confirm", `/v1/holds/${holdId}/confirm`, order, about);
  });
  on("pay", () => {
    const payment = {
      provider: "simulator",
      method: card.querySelector(".method select").value,
      amountCents: price(items).cents,
      currency: pool.policy.currency,
    };
    tell("Paying…");
    intend("pay", "/v1/checkouts", { holdId, ...body(), payment }, about, { Prefer: "wait=5" });
  });
  on("dismiss", () => drop(holdId));
  $("holds").prepend(card);
  return card;
}

function draw({ hold, card }) {
  const isHeld = hold.state === "HELD";
  card.dataset.state = hold.state;
  card.querySelector("h3").textContent = list(hold.items);
  card.querySelector(".price").textContent = price(hold.items).text;
  card.querySelector(".until").textContent = {
    HELD: `Kept while you look, until ${time(hold.expiresAt)} at the latest`,
    CONFIRMED: "Sold to you, for good",
    EXPIRED: hold.endReason === "LOST" ? "Lost with Redis' memory" : "Your time is over",
  }[hold.state];
  for (const name of ["release", "confirm"]) {
    card.querySelector(`.${name}`).hidden = !isHeld;
  }
  card.querySelector(".pay").hidden = card.querySelector(".method").hidden = !isHeld || !me.isDemo;
  card.querySelector(".dismiss").hidden = isHeld;
  hold.items.forEach(paint);
  count(holds.get(hold.holdId));
}

function setBusy(holdId, isBusy) {
  const card = holds.get(holdId)?.card;
  card?.setAttribute("aria-busy", isBusy);
  card?.querySelectorAll("button, select").forEach((each) => (each.disabled = isBusy));
}

/** Shows the rest of the lease. The server decides when it has ended. */
function count(mine) {
  const { hold, card } = mine;
  const text = card.querySelector(".ring text");
  const left = Math.max(0, Date.parse(hold.leaseUntil) - now());
  const isHeld = hold.state === "HELD";
  const seconds = Math.ceil(left / 1_000);
  const share = isHeld ? (100 * left) / mine.span : hold.state === "CONFIRMED" ? 100 : 0;
  card.querySelector(".left").setAttribute("stroke-dashoffset", 100 - share);
  card.classList.toggle("soon", isHeld && left < SOON_MS);
  text.textContent = isHeld
    ? `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`
    : { CONFIRMED: "✓", EXPIRED: "–" }[hold.state];
  if (isHeld && left === 0) {
    refresh(hold.holdId);
  }
}

async function refresh(holdId) {
  const mine = holds.get(holdId);
  if (!mine || mine.isAsked) {
    return;
  }
  mine.isAsked = true;
  mine.readAt = Date.now();
  const read = await call("GET", `/v1/holds/${holdId}`).catch(() => null);
  mine.isAsked = false;
  if (!holds.has(holdId)) {
    return;
  }
  if (read?.status === 200) {
    const wasHeld = mine.hold.state === "HELD";
    show(read.body);
    if (wasHeld && read.body.state === "EXPIRED") {
      refuse(`${list(read.body.items)}: your time is over, the seats are free again.`);
    }
  } else if (read?.status === 404) {
    refuse(`${list(mine.hold.items)}: the service does not know this hold any more.`);
    drop(holdId);
  }
}

async function beat(mine) {
  const { holdId, fence } = mine.hold;
  mine.beatAt = now() + 5_000; // the retry, if this heartbeat gets no answer
  const body = { requester: me.requester, fence };
  const heard = await call("POST", `/v1/holds/${holdId}/heartbeat`, body).catch(() => null);
  if (heard?.status === 200 && holds.has(holdId)) {
    show(heard.body);
  } else if (heard?.status === 409 || heard?.status === 410) {
    refresh(holdId);
  }
}

/** The map and a hold are read separately. After DOUBT_MS the older reading is that of the hold. */
function contradictsMap({ hold, readAt }) {
  const isOld = Date.now() - readAt > DOUBT_MS;
  return isOld && hold.items.some((item) => seats.has(item) && seats.get(item).state !== "HELD");
}

function everySecond() {
  for (const mine of holds.values()) {
    count(mine);
    if (mine.hold.state === "HELD" && contradictsMap(mine)) {
      refresh(mine.hold.holdId);
    }
    const isDue = mine.hold.state === "HELD" && mine.beatAt <= now();
    if (isDue && document.visibilityState === "visible") {
      beat(mine);
    }
  }
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
  const mine = [...holds.values()].find(({ hold }) => hold.items.includes(item))?.hold;
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
  seat.group.setAttribute(
    "aria-label",
    `${item}, ${place.filter(Boolean).join(" ")}, ${price([item]).text}, ${WORDS[state]}`,
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
  return element("text", at, `${section} · ${price([all[0].offer.item]).text}`);
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
    ...["HELD", "SOLD", "MINE", "BOUGHT"].map((state) => line(state, "s0", WORDS[state])),
  );
}

function showCounts() {
  const sum = { FREE: 0, HELD: 0, SOLD: 0 };
  seats.forEach(({ state }) => sum[state]++);
  $("counts").textContent = `${sum.FREE} free, ${sum.HELD} held, ${sum.SOLD} sold`;
}

function change(item, state) {
  const seat = seats.get(item);
  if (!seat || seat.state === state) {
    return;
  }
  seat.state = state;
  paint(item);
  for (const { hold } of holds.values()) {
    if (hold.state === "HELD" && state !== "HELD" && hold.items.includes(item)) {
      refresh(hold.holdId); // the hold may have ended
    }
  }
}

function choose(item) {
  const mine = [...holds.values()].find(
    ({ hold }) => hold.state !== "EXPIRED" && hold.items.includes(item),
  );
  if (mine) {
    mine.card.focus();
    return;
  }
  const body = { requester: me.requester, items: [item] };
  intend("hold", `/v1/pools/${pool.name}/holds`, body, { item });
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

// ---- event stream

const heard = { lastId: "", isBehind: true };

function take({ event, id, data }) {
  const news = JSON.parse(data);
  if (event === "status") {
    showLink(
      news.live ? "live" : "lost",
      news.live ? "Live" : `Catching up: ${news.why}`,
    );
    return;
  }
  if (event === "snapshot") {
    news.items.forEach(({ item, state }) => change(item, state));
  } else if (event === "change") {
    change(news.item, news.state);
  }
  heard.lastId = id;
  showCounts();
}

/** The first event after a break updates the map; our holds are read again. */
function caughtUp() {
  if (heard.isBehind) {
    heard.isBehind = false;
    showLink("live", "Live");
    holds.forEach(({ hold }) => hold.state === "HELD" && refresh(hold.holdId));
  }
}

async function listen() {
  const broken = new AbortController();
  let watch;
  const keepWatch = () => {
    clearTimeout(watch);
    watch = setTimeout(() => broken.abort(), SILENCE_MS);
  };
  keepWatch();
  try {
    const answer = await fetch(`/v1/pools/${pool.name}/stream`, {
      headers: {
        Authorization: `Bearer ${me.key}`,
        Accept: "text/event-stream",
        ...(heard.lastId ? { "Last-Event-ID": heard.lastId } : {}),
      },
      signal: broken.signal,
    });
    if (!answer.ok) {
      return { retryMs: 1_000 * (answer.headers.get("Retry-After") ?? 2) };
    }
    let text = "";
    for await (const part of answer.body.pipeThrough(new TextDecoderStream())) {
      keepWatch();
      const events = (text + part).split("\n\n");
      text = events.pop();
      if (events.length > 0) {
        caughtUp(); // before `read`: one of the events may report that the map is stale
      }
      events.forEach(read);
    }
    return { retryMs: 0 };
  } finally {
    clearTimeout(watch);
  }
}

function read(frame) {
  const lines = frame.split("\n").filter((line) => line && !line.startsWith(":"));
  const fields = Object.fromEntries(lines.map((line) => line.split(/: (.*)/s).slice(0, 2)));
  if (fields.data) {
    take(fields);
  }
}

async function listenForEver() {
  for (let pause = PAUSE_MS.least; ; ) {
    const ended = await listen().catch(() => ({ retryMs: 0 }));
    pause = heard.isBehind ? Math.min(2 * pause, PAUSE_MS.most) : PAUSE_MS.least;
    heard.isBehind = true;
    showLink("lost", "Connection lost. Catching up…");
    await wait(Math.max(ended.retryMs, pause * (0.5 + Math.random() / 2)));
  }
}

// ---- start

async function catalogue() {
  const offers = [];
  let path = `/v1/pools/${pool.name}/catalogue?limit=${PAGE}`;
  while (path && offers.length < SEATS_MAX) {
    const page = await readUntilTold(path);
    offers.push(...page.body.items);
    path = page.headers.get("Link")?.match(/<(.*)>; rel="next"/)?.[1];
  }
  if (path) {
    tell(`This page shows the first ${offers.length} seats only.`);
  }
  return offers;
}

function fillChoices() {
  const option = (value, text) => Object.assign(document.createElement("option"), { value, text });
  const most = Math.min(pool.policy.maxItemsPerHold, 8);
  const counts = Array.from({ length: most }, (_, i) => option(i + 1, String(i + 1)));
  const names = [...new Set([...seats.values()].map(({ offer }) => offer.section))].filter(Boolean);
  $("count").replaceChildren(...counts);
  $("count").value = Math.min(2, most);
  const sections = names.map((name) => option(name, `section ${name}`));
  $("section").replaceChildren(option("", "any section"), ...sections);
}

/** The requester is the subject of a JWT, otherwise a generated guest name. */
function whoAmI() {
  try {
    const claims = atob(me.key.split(".")[1].replace(/-/g, "+").replace(/_/g, "/"));
    const bytes = Uint8Array.from(claims, (letter) => letter.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(bytes)).sub;
  } catch {
    const name = kept.read("requester", `guest-${token().slice(0, 8)}`);
    kept.write("requester", name);
    return name;
  }
}

async function open(name) {
  pool.name = name;
  me.requester = whoAmI();
  const found = await readUntilTold(`/v1/pools/${encodeURIComponent(name)}`);
  if (found.status !== 200) {
    throw new Error(inWords(found));
  }
  pool.policy = found.body.policy;
  $("title").textContent = name;
  $("me").textContent = `You are ${me.requester}.`;
  drawMap(await catalogue());
  fillChoices();
  for (const id of ["hall", "mine"]) {
    $(id).hidden = false;
  }
  seats.forEach((_, item) => paint(item));
  $("frame").scrollLeft = ($("frame").scrollWidth - $("frame").clientWidth) / 2;
  listenForEver();
  setInterval(everySecond, 1_000);
  await pickUp();
}

/** Restores the holds of this browser and resumes its open intents. */
async function pickUp() {
  kept.read(`holds.${pool.name}`, []).forEach((holdId) => unread.add(holdId));
  while (unread.size > 0) {
    for (const holdId of unread) {
      const found = await call("GET", `/v1/holds/${holdId}`).catch(() => null);
      if (found && isDefinite(found)) {
        unread.delete(holdId);
      }
      if (found?.status === 200 && ["HELD", "CONFIRMED"].includes(found.body.state)) {
        show(found.body);
      }
    }
    keepHolds();
    await wait(unread.size > 0 ? 2_000 : 0);
  }
  const open = Object.values(kept.read("intents", {})).filter((each) => each.pool === pool.name);
  for (const intent of open) {
    if (Date.now() - intent.at < 1_000 * pool.policy.idempotencyWindowSeconds) {
      finish(intent);
    } else {
      keepIntent(intent, false);
    }
  }
}

let attempt = 0; // number of the latest call of `enter`

async function enter(name) {
  const mine = ++attempt;
  try {
    await open(name);
    $("door").hidden = true;
  } catch (failure) {
    if (mine !== attempt) {
      return;
    }
    showLink("lost", "Not connected");
    $("door").hidden = false;
    refuse(failure.message);
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
  const body = { requester: me.requester, bestAvailable: Number($("count").value) };
  intend("hold", `/v1/pools/${pool.name}/holds`, section ? { ...body, section } : body);
});
$("door").addEventListener("submit", (event) => {
  event.preventDefault();
  me.key = $("key").value.trim();
  if (!/^[\x21-\x7e]+$/.test(me.key)) {
    refuse("A key or token has letters, digits and signs only.");
    return;
  }
  sessionStorage.setItem("holdfast.key", me.key);
  enter($("pool").value.trim());
});
document.addEventListener("visibilitychange", () => {
  holds.forEach((mine) => (mine.beatAt = Math.min(mine.beatAt, now())));
  everySecond();
});

/** Returns null if the service is not in demo mode. */
async function demoKey() {
  for (;;) {
    const answer = await fetch("/demo.json").catch(() => null);
    if (answer) {
      return answer.ok ? (await answer.json()).key : null;
    }
    await wait(1_000);
  }
}

const given = await demoKey();
const wanted = new URLSearchParams(location.search).get("pool") ?? "arena";
me.isDemo = given !== null;
me.key = given ?? sessionStorage.getItem("holdfast.key") ?? "";
$("pool").value = wanted;
if (me.key) {
  enter(wanted);
} else {
  showLink("lost", "Not connected");
  $("door").hidden = false;
}
