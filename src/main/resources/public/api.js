// The requests of the page. A request that changes something is repeated under one key until its
// answer is definite; until then its result is unknown.

import { kept, PAUSE_MS, token, wait } from "./browser.js";
import { showLink, tell } from "./notices.js";

const CALL_MS = 20_000;
const PATIENCE_MS = 55_000; // a little less than the window of an idempotency key

export const me = { key: "", isDemo: false, requester: "" };

export async function call(method, path, body, headers = {}) {
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

/** Returns null if the service gave no answer. */
export const read = (path) => call("GET", path).catch(() => null);

/** Returns null if the text is not JSON, such as the error page of a proxy. */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export const isDefinite = ({ status, body }) =>
  status > 0 && status < 500 && body?.definite !== false && body?.code !== "rate-limited";

/** Retries every second until the answer is definite. Throws if the signal is aborted. */
export async function readUntilTold(path, signal) {
  for (;;) {
    const answer = await read(path);
    signal.throwIfAborted();
    if (answer && isDefinite(answer)) {
      return answer;
    }
    showLink("page", false, "Not connected. Trying again…");
    await wait(1_000);
  }
}

/** A change to ask for by POST, or DELETE without a body, with the key of all its attempts. */
export function intent(pool, kind, path, body, about = {}, headers = {}) {
  return { token: token(), at: Date.now(), pool: pool.name, kind, path, body, about, headers };
}

/** Calls `onDoubt` after each attempt without a definite answer. An open intent survives a reload. */
export async function carryOut(intent, onDoubt) {
  keep(intent, true);
  const headers = { "Idempotency-Key": intent.token, ...intent.headers };
  for (let pause = PAUSE_MS.least; ; pause = Math.min(2 * pause, PAUSE_MS.most)) {
    const asked = Date.now();
    const method = intent.body ? "POST" : "DELETE";
    const answer = await call(method, intent.path, intent.body, headers).catch(() => null);
    if (answer && isDefinite(answer)) {
      keep(intent, false);
      return { ...answer, asked };
    }
    if (Date.now() - intent.at > PATIENCE_MS) {
      return answer ?? { status: 0, body: null };
    }
    tell("No answer yet. Asking again, under the same key.");
    onDoubt();
    await wait(pause);
  }
}

function keep(intent, isOpen) {
  const intents = kept.read("intents", {});
  if (isOpen) {
    intents[intent.token] = intent;
  } else {
    delete intents[intent.token];
  }
  kept.write("intents", intents);
}

/** Returns the open intents of an earlier visit. A key that the pool has forgotten is dropped. */
export function openIntents(pool) {
  const all = Object.values(kept.read("intents", {})).filter((each) => each.pool === pool.name);
  const isYoung = ({ at }) => Date.now() - at < 1_000 * pool.policy.idempotencyWindowSeconds;
  all.filter((each) => !isYoung(each)).forEach((each) => keep(each, false));
  return all.filter(isYoung);
}
