// Registers a user name. The name is reserved while it is typed, so nobody else can take it between
// the check and the registration. There is one reservation at a time.

import { carryOut, intent, isDefinite, me, openIntents, read } from "./api.js";
import { $, kept, token, wait } from "./browser.js";
import { learnTime, leftUntil, minutes } from "./clock.js";
import { refuse } from "./notices.js";

const TYPING_MS = 350; // without a key pressed, before the name is reserved
const TTL_MS = 120_000;
const READ_MS = 2_000;
const CORRELATION_MAX = 128;

const CLEARED_BY_THE_USER = /taken|refused|over|lost|released/;
const SENTENCES = {
  reserved: ({ value }) => `${value} is reserved for you.`,
  reserving: ({ value }) => `Asking for ${value}…`,
  confirming: ({ value }) => `Registering ${value}…`,
  taken: ({ value }) => `${value} is taken. Choose another name.`,
  refused: ({ why }) => why ?? "The service refuses this name.",
  over: ({ value }) => `Your time for ${value} is over. Register asks for it again.`,
  released: ({ released }) => `${released} is released.`,
  lost: ({ value }) => `Not known whether ${value} is reserved for you. Register asks again.`,
  unconfirmed: ({ value }) => `Not known whether ${value} is registered. Register asks again.`,
  unknown: ({ value, deed }) => `Not known yet whether ${value} is ${DONE[deed]}. Asking again.`,
};
const DONE = { reserve: "reserved for you", confirm: "registered", release: "released" };

let pool;
let wanted = ""; // the name in the form
let mine = null; // our reservation: { id, value, expiresAt, entityId }
let answered = null; // { value, state, … }: what else is known about a name
let typing; // the timer of the next change
let working = Promise.resolve(); // the changes that are under way
let reading = null;

export async function openNames(found) {
  pool = found;
  $("names-title").textContent = pool.name;
  $("names").hidden = false;
  setInterval(count, 1_000);
  pickUp();
}

/** Takes up the reservation of an earlier visit, and its requests without an answer. */
async function pickUp() {
  mine = kept.read(memory(), null);
  wanted = $("name").value = mine?.value ?? "";
  for (const each of openIntents(pool)) {
    await work(() => resume(each));
  }
  if (mine && !answered) {
    await work(refresh);
  }
}

async function resume(each) {
  if (each.kind === "reserve") {
    wanted = $("name").value = each.about.value;
    await reserve(each);
  } else if (mine && each.path.includes(mine.id)) {
    wanted = $("name").value = each.kind === "release" ? "" : mine.value;
    await (each.kind === "release" ? release(each) : confirm(each));
  }
}

// ---- changes, one after the other

function work(change) {
  working = working
    .catch(() => {}) // a failed change does not stop the next one
    .then(change)
    .finally(show);
  return working;
}

/** Releases the reservation of another name, then reserves the wanted one. */
function follow() {
  return work(async () => {
    if (mine && mine.value !== wanted) {
      await release(intent(pool, "release", path("release"), {}, { value: mine.value }));
    }
    if (!mine && wanted && answered?.value !== wanted) {
      await reserve(newReservation());
    }
  });
}

const path = (deed) => `/v1/reservations/${mine.id}/${deed}`;

/** The correlation id tells our own reservation from that of another user of the same key. */
function newReservation() {
  const ttlMs = Math.min(TTL_MS, 1_000 * pool.policy.windowSeconds);
  const body = { type: pool.name, value: wanted, ttlMs, correlationId: correlationId() };
  return intent(pool, "reserve", "/v1/reservations", body, { value: wanted });
}

const correlationId = () => me.requester.slice(0, CORRELATION_MAX);

async function reserve(each) {
  const { value } = each.about;
  know({ value, state: "reserving" });
  const answer = await carryOut(each, () => know({ value, state: "unknown", deed: "reserve" }));
  answered = null;
  if (answer.status === 201) {
    if (!answer.headers.has("Idempotent-Replayed")) {
      learnTime(Date.parse(answer.body.expiresAt) - each.body.ttlMs, answer.asked);
    }
    have(answer.body, value);
  } else if (!isDefinite(answer)) {
    know({ value, state: "lost" });
  } else if (!(await isOurs(answer.body?.existingReservationId, value))) {
    const state = answer.body?.code === "already-reserved" ? "taken" : "refused";
    know({ value, state, why: answer.body?.detail });
  }
}

/** Whether an earlier request, whose answer was lost, has reserved the name. */
async function isOurs(id, value) {
  const found = id && (await read(`/v1/reservations/${id}`));
  if (found?.body?.status !== "reserved" || found.body.correlationId !== correlationId()) {
    return false;
  }
  have(found.body, value);
  return true;
}

function have({ reservationId, expiresAt }, value) {
  mine = { id: reservationId, value, expiresAt, entityId: `user-${token()}` };
  kept.write(memory(), mine);
}

function lose() {
  mine = null;
  kept.write(memory(), null);
}

const memory = () => `reservation.${pool.name}`;

/** Without a definite answer the name is free at the latest when its time is over. */
async function release(each) {
  const { value } = each.about;
  const answer = await carryOut(each, () => know({ value, state: "unknown", deed: "release" }));
  lose();
  answered = wanted ? null : { value: "", state: "released", released: value };
  if (!isDefinite(answer)) {
    answered = null;
    refuse(`Not known whether ${value} is released; it is free when its time is over.`);
  }
}

/** After any answer but yes, the reservation itself tells whether the name is ours. */
async function confirm(each) {
  const { value } = mine;
  know({ value, state: "confirming" });
  const answer = await carryOut(each, () => know({ value, state: "unknown", deed: "confirm" }));
  if (answer.status === 200) {
    finish();
    return;
  }
  const why = answer.body?.detail;
  know(isDefinite(answer) ? { value, state: "refused", why } : { value, state: "unconfirmed" });
  await refresh();
}

/** Reads our reservation. The server decides when its time is over. */
async function refresh() {
  const { id, value, entityId } = mine;
  const found = await read(`/v1/reservations/${id}`);
  if (found?.status !== 200 && found?.status !== 404) {
    return;
  }
  if (found.body?.status === "confirmed" && found.body.entityId === entityId) {
    finish();
  } else if (found.body?.status !== "reserved") {
    lose();
    know({ value, state: "over" });
  }
}

function finish() {
  const { value, entityId } = mine;
  lose();
  wanted = $("name").value = "";
  know({ value, entityId, state: "confirmed" });
}

// ---- what is shown

function know(about) {
  answered = about;
  show();
}

function show() {
  const isDone = answered?.state === "confirmed";
  const isNews = isDone && $("registered").hidden;
  $("register").hidden = isDone;
  $("registered").hidden = !isDone;
  if (isNews) {
    $("registered-name").textContent = answered.value;
    $("registered-id").textContent = answered.entityId;
    $("registered").focus();
  }
  if (!isDone) {
    showForm(stateOfTheForm());
  }
}

function stateOfTheForm() {
  if (answered && (answered.value === wanted || answered.state === "unknown")) {
    return answered;
  }
  return mine && mine.value === wanted ? { ...mine, state: "reserved" } : { state: "" };
}

function showForm(about) {
  const { state, deed } = about;
  const text = SENTENCES[state]?.(about) ?? "";
  $("register").dataset.state = state;
  $("name").setAttribute("aria-invalid", state === "taken" || state === "refused");
  $("name").readOnly = state === "confirming" || deed === "confirm";
  $("cancel-name").hidden = $("name").readOnly || (!wanted && !mine);
  if ($("name-state").textContent !== text) {
    $("name-state").textContent = text; // an equal text would be announced again
  }
  count();
}

/** Shows the rest of the time, and asks the server at its end. */
function count() {
  const left = mine && leftUntil(mine.expiresAt);
  $("name-left").textContent = mine && mine.value === wanted ? `${minutes(left)} left` : "";
  if (mine && left === 0) {
    reading ??= work(() => mine && refresh())
      .then(() => wait(READ_MS))
      .then(() => (reading = null));
  }
}

// ---- the form

$("name").addEventListener("input", () => {
  wanted = $("name").value.trim();
  clearWhatIsOver();
  clearTimeout(typing);
  typing = setTimeout(follow, TYPING_MS);
  show();
});

function clearWhatIsOver() {
  if (CLEARED_BY_THE_USER.test(answered?.state)) {
    answered = null;
  }
}

$("register").addEventListener("submit", async (event) => {
  event.preventDefault();
  const name = wanted;
  clearTimeout(typing);
  clearWhatIsOver();
  await follow();
  await work(() => {
    const isOurs = mine && mine.value === name && name === wanted;
    const body = { entityId: mine?.entityId };
    return isOurs && confirm(intent(pool, "confirm", path("confirm"), body, { value: name }));
  });
});

$("cancel-name").addEventListener("click", () => {
  clearTimeout(typing);
  wanted = $("name").value = "";
  clearWhatIsOver();
  follow();
  $("name").focus();
});

$("another-name").addEventListener("click", () => {
  answered = null;
  show();
  $("name").focus();
});
