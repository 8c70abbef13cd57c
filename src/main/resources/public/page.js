// The entry of the page: finds out who asks, and shows the pools. A demo shows one of each kind; any
// other page shows the pool that it is asked for.

import { me, readUntilTold } from "./api.js";
import { openAuction } from "./auction.js";
import { $, kept, token, wait } from "./browser.js";
import { openLawn } from "./lawn.js";
import { forgetLink, inWords, refuse, showLink } from "./notices.js";
import { openSeats } from "./seats.js";
import { openNames } from "./username.js";
import { openWaitingRoom } from "./waiting.js";

const USUAL = "arena";
const BESIDE_IT_IN_A_DEMO = ["lawn", "username", "lot"];
const OPEN = { SEATS: openSeats, STOCK: openLawn, UNIQUE: openNames, AUCTION: openAuction };

let entering = new AbortController();

/** The first pool has to be there; the others are shown if they are. */
async function open([first, ...others], signal) {
  me.requester = whoAmI();
  const found = await find(first, signal);
  if (!found.pool) {
    const isThere = found.answer.status === 200;
    throw new Error(isThere ? "The page does not show pools of this kind." : inWords(found.answer));
  }
  const beside = await Promise.all(others.map((name) => find(name, signal)));
  const pools = [found, ...beside].map(({ pool }) => pool).filter(Boolean);
  $("me").textContent = `You are ${me.requester}.`;
  await Promise.all(pools.map((pool) => show(pool, signal)));
  forgetLink("page");
}

function show(pool, signal) {
  const open = () => OPEN[pool.kind](pool, signal);
  return pool.policy.waitingRoom ? openWaitingRoom(pool, open) : open();
}

async function find(name, signal) {
  const answer = await readUntilTold(`/v1/pools/${encodeURIComponent(name)}`, signal);
  const isShown = answer.status === 200 && OPEN[answer.body.kind];
  return { answer, pool: isShown ? { name, ...answer.body } : null };
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

async function enter(names) {
  entering.abort();
  entering = new AbortController();
  const { signal } = entering;
  try {
    await open(names, signal);
    $("door").hidden = true;
  } catch (failure) {
    if (!signal.aborted) {
      showDoor();
      refuse(failure.message);
    }
  }
}

function showDoor() {
  showLink("page", false, "Not connected");
  $("door").hidden = false;
}

$("door").addEventListener("submit", (event) => {
  event.preventDefault();
  me.key = $("key").value.trim();
  if (!/^[\x21-\x7e]+$/.test(me.key)) {
    refuse("A key or token has letters, digits and signs only.");
    return;
  }
  sessionStorage.setItem("holdfast.key", me.key);
  enter([$("pool").value.trim()]);
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
const wanted = new URLSearchParams(location.search).get("pool");
me.isDemo = given !== null;
me.key = given ?? sessionStorage.getItem("holdfast.key") ?? "";
$("pool").value = wanted ?? USUAL;
if (me.key) {
  enter(me.isDemo && !wanted ? [USUAL, ...BESIDE_IT_IN_A_DEMO] : [wanted ?? USUAL]);
} else {
  showDoor();
}
