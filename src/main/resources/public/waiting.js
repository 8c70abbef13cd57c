// The waiting room of a pool. It stands in the place of the pool until the ticket of this tab is
// admitted; then holds are placed with its pass.

import { carryOut, intent, isDefinite, me, openIntents, read } from "./api.js";
import { $, kept } from "./browser.js";
import { countdown, leftUntil, time } from "./clock.js";
import { forgetLink, inWords, refuse, tell } from "./notices.js";
import { followPath } from "./stream.js";

const LINK = "queue";
const READ_MS = 2_000;
const SIGNS_PER_GRACE = 3; // signs of life of a hidden page, which does not listen
const STILL_WAITS = ["WAITING", "SOLD_OUT"];

let pool;
let openPool;
let queue; // what the intents of the waiting room are kept under
let mine = null; // our ticket: { ticket, from }, where `from` is its position at first
let ticket = null; // what the service says about it
let progress = ""; // of a request to join or to leave
let listening = null;
let isOpened = false;
let readAt = 0;

/** `open` shows the pool itself; it is called once, as late as the first admission. */
export async function openWaitingRoom(found, open) {
  pool = found;
  openPool = open;
  queue = { name: `${pool.name}/queue`, policy: pool.policy };
  pool.onNotAdmitted = () => refresh();
  $("waiting-title").textContent = pool.name;
  mine = JSON.parse(sessionStorage.getItem(memory()));
  setInterval(everySecond, 1_000);
  setInterval(giveSign, (1_000 * pool.policy.graceSeconds) / SIGNS_PER_GRACE);
  if (kept.read(`holds.${pool.name}`, []).length > 0) {
    await showPool(); // what is held is bought without a pass
  }
  show();
  openIntents(queue).forEach(finish);
  if (mine) {
    listen();
  }
}

const memory = () => `holdfast.ticket.${pool.name}`;
const path = () => `/v1/queue/${mine.ticket}`;

// ---- join and leave

function join() {
  const body = { requester: me.requester };
  return finish(intent(queue, "join", `/v1/pools/${pool.name}/queue`, body));
}

const leave = () => finish(intent(queue, "leave", path(), null));

async function finish(each) {
  showProgress("asked");
  const answer = await carryOut(each, () => showProgress(`${each.kind} unknown`));
  showProgress(isDefinite(answer) ? "" : `${each.kind} lost`);
  if (answer.status >= 300 || answer.status === 0) {
    refuse(inWords(answer, "places"));
  } else if (each.kind === "join") {
    have(answer.body);
  } else if (mine?.ticket === answer.body.ticket) {
    take(answer.body);
  }
}

function have({ ticket, position }) {
  mine = { ticket, from: mine?.ticket === ticket ? mine.from : position };
  keep();
  listen();
}

function keep() {
  sessionStorage.setItem(memory(), JSON.stringify(mine));
}

// ---- what becomes of the ticket

/** Follows the ticket while it waits. An admitted ticket is read when its pass is over. */
function listen() {
  listening?.abort();
  listening = new AbortController();
  const listener = {
    onEvent: (_, news) => take(news),
    onCaughtUp: () => {},
    onLink: (isLive) => $("waiting").classList.toggle("old", !isLive),
    onGone: lose,
  };
  followPath(LINK, `${path()}/stream`, listener, listening.signal);
}

async function refresh() {
  readAt = Date.now();
  const asked = mine;
  const found = mine && (await read(path()));
  if (asked !== mine || !found) {
    return;
  }
  if (found.status === 200) {
    take(found.body);
  } else if (found.status === 404) {
    lose();
  }
}

function giveSign() {
  if (document.hidden && STILL_WAITS.includes(ticket?.state)) {
    refresh();
  }
}

function lose() {
  stop();
  mine = ticket = null;
  keep();
  refuse("The service does not know your ticket any more. Join again.");
  show();
}

function stop() {
  listening?.abort();
  listening = null;
  forgetLink(LINK);
}

async function take(news) {
  const before = ticket?.state;
  ticket = news;
  if (STILL_WAITS.includes(ticket.state)) {
    mine.from = Math.max(mine.from ?? 0, ticket.position ?? 0);
    keep();
    if (!listening) {
      listen();
    }
  } else {
    stop();
  }
  if (ticket.state === "ADMITTED") {
    await showPool();
  }
  show();
  if (ticket.state === "ADMITTED" && before !== "ADMITTED") {
    tell(`You are in, until ${time(ticket.passUntil)}. Choose now.`);
  }
}

/** The panels of the pool are hidden by `data-outside` as long as there is no pass. */
async function showPool() {
  if (!isOpened) {
    isOpened = true;
    await openPool();
  }
}

// ---- what is shown

function show() {
  const isInside = ticket?.state === "ADMITTED";
  const hadFocus = $("waiting").contains(document.activeElement);
  const wasInside = Boolean(pool.pass);
  pool.pass = isInside ? ticket.pass : null;
  document.querySelector("main").toggleAttribute("data-outside", !isInside);
  $("waiting").hidden = isInside;
  $("pass").hidden = !isInside;
  if (isInside) {
    document.title = "You are in · Holdfast";
    showTimeLeft();
    if (hadFocus) {
      (pool.kind === "SEATS" ? $("hall") : $("lawn")).focus();
    }
  } else {
    showTicket();
    if (wasInside) {
      $("waiting").focus();
    }
  }
}

function showTicket() {
  const state = ticket?.state ?? "";
  const waits = STILL_WAITS.includes(state);
  const isNumbered = state === "WAITING" && ticket.position !== null;
  const isFollowed = mine && !ticket;
  $("waiting").dataset.state = state;
  say("waiting-state", isFollowed ? "Looking for your place…" : SENTENCES[state](ticket));
  say("waiting-requeued", waits && ticket.requeued ? REQUEUED : "");
  say("waiting-position", isNumbered ? ticket.position.toLocaleString() : "");
  say("waiting-estimate", isNumbered ? estimate(ticket) : "");
  $("waiting-place").hidden = !isNumbered;
  if (isNumbered) {
    $("waiting-progress").max = mine.from;
    $("waiting-progress").value = mine.from - ticket.position;
  }
  $("join").hidden = waits || isFollowed;
  $("join").textContent = mine ? "Join again" : "Join the waiting room";
  $("leave").hidden = !waits;
  document.title = isNumbered ? `Number ${ticket.position} in line · Holdfast` : "Holdfast";
}

/** An equal text would be announced again. */
function say(place, text) {
  if ($(place).textContent !== text) {
    $(place).textContent = text;
  }
}

const REQUEUED =
  "The service has lost a part of its memory, and with it your earlier place. You wait behind those whose place is known.";

const SENTENCES = {
  "": () => {
    const { opensAt, order } = pool.policy;
    const isAhead = opensAt && leftUntil(opensAt) > 0;
    const opening = isAhead ? `The doors open at ${time(opensAt)}. ` : "";
    return isAhead && order === "RAFFLE"
      ? `${opening}The order of all who join before is drawn by lot.`
      : `${opening}Many want in. Join, and you are admitted in the order of arrival.`;
  },
  WAITING: ({ position }) => (position === 1 ? "You are next." : "You are waiting. Keep this page."),
  SOLD_OUT: () => "Everything is sold. You keep your place in case something becomes free again.",
  EXPIRED: ({ passUntil }) =>
    passUntil
      ? "Your pass is over. Join again to come back in."
      : "You were away for too long, and your place has been given up.",
  LEFT: () => "You have left the waiting room, and your place is given up.",
  ADMITTED: () => "",
};

function estimate({ estimatedWaitSeconds: seconds, estimateBasis: basis }) {
  if (seconds === null) {
    return "How long it takes is not known yet.";
  }
  return `${inTime(seconds)}, by the ${basis === "MEASURED" ? "present" : "planned"} pace.`;
}

function inTime(seconds) {
  const minutes = Math.round(seconds / 60);
  if (seconds < 60) {
    return "Less than a minute";
  }
  if (minutes < 90) {
    return `About ${minutes === 1 ? "a minute" : `${minutes} minutes`}`;
  }
  return `About ${Math.round(minutes / 60)} hours`;
}

function showProgress(now) {
  progress = now;
  const isOpen = progress === "asked" || progress.endsWith("unknown");
  $("join").setAttribute("aria-disabled", isOpen); // keeps the focus
  $("leave").setAttribute("aria-disabled", isOpen);
  say("waiting-doubt", DOUBTS[progress] ?? "");
}

const DOUBTS = {
  "join unknown": "Not known yet whether you have a place. Asking again.",
  "leave unknown": "Not known yet whether you have left. Asking again.",
  "join lost": "Not known whether you have a place. Joining again keeps it.",
  "leave lost": "Not known whether you have left.",
};

function everySecond() {
  if (ticket?.state === "ADMITTED") {
    showTimeLeft();
    if (leftUntil(ticket.passUntil) === 0 && Date.now() - readAt > READ_MS) {
      refresh();
    }
  }
}

const showTimeLeft = () => ($("pass-left").textContent = countdown(leftUntil(ticket.passUntil)));

const onClick = (button, deed) =>
  $(button).addEventListener("click", () => $(button).ariaDisabled !== "true" && deed());
onClick("join", join);
onClick("leave", leave);
