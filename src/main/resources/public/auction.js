// The auction of one lot. The stream sends the leader, the number of bids and the state; a bid is a
// hold, so it has a card with its time and its heartbeats.

import { read } from "./api.js";
import { $, kept, wait } from "./browser.js";
import { countdown, leftUntil } from "./clock.js";
import { HoldCards, money } from "./holds.js";
import { follow } from "./stream.js";

const STEP_SHARE = 0.05; // by which the next amount exceeds the highest
const STEP_LEAST_CENTS = 100;
const READ_MS = 1_000;

let pool;
let cards;
let auction; // from the stream: { state, closesAt, bids, leader }
let result = null; // of the pool, after the close: { winningBid, winningCents }
let reading = null;
let isEdited = false; // the user has changed the amount

export async function openAuction(found) {
  pool = found;
  cards = new HoldCards({
    pool,
    things: "bids",
    list: $("lot-holds"),
    none: $("lot-none"),
    home: $("lot"),
    label: ({ amountCents }) => `Your bid of ${money(amountCents, pool)}`,
    cents: ({ amountCents }) => amountCents,
    onChange: show,
    onAsked: showProgress,
    contradicts: () => auction?.state === "CLOSED",
    bids: { read: asHold, isPaid, onPayment: keepPayment, text },
  });
  $("lot-title").textContent = pool.name;
  $("lot-reserve").textContent = `Auction, from ${money(pool.auction.reserveCents, pool)}`;
  take({ ...pool.auction, bids: 0, leader: null });
  $("lot").hidden = false;
  setInterval(count, 1_000);
  follow(pool, {
    onEvent: (_, news) => news.auction && take(news.auction),
    onCaughtUp: () => cards.refreshHeld(),
    onLink: (isLive) => $("leader").classList.toggle("old", !isLive),
  });
  cards.start();
}

/** A bid as a hold. Its lease begins when it is placed. */
function asHold({ bidId, sequence, ...bid }) {
  const placedMs = Date.parse(bid.leaseUntil) - 1_000 * pool.policy.leaseSeconds;
  const placedAt = new Date(placedMs).toISOString();
  const hold = { holdId: bidId, fence: sequence, state: "HELD", items: [], placedAt, ...bid };
  kept.write(memory("bid"), bidId);
  cards.refreshHeld(({ holdId }) => holdId !== bidId); // a raised bid ends the one before
  isEdited = false;
  return hold;
}

const memory = (what) => `${what}.${pool.name}`;

// ---- payment of the winner

const isPaid = ({ holdId }) => kept.read(memory("paid"), null) === holdId;

/** The state of a bid does not tell whether it is paid. */
function keepPayment(holdId, { body }) {
  if (body?.state === "FULFILLED") {
    kept.write(memory("paid"), holdId);
  }
}

function text(hold) {
  return {
    HELD: auction.state === "OPEN" ? "It stands while you look" : "It takes part in the close",
    CONFIRMED: isPaid(hold) ? "Won and paid: yours for good" : "You have won. Pay for it here",
  }[hold.state];
}

// ---- news

function take(news) {
  const hasClosed = news.state === "CLOSED" && auction?.state !== "CLOSED";
  auction = news;
  if (hasClosed) {
    readResult();
  }
  show();
}

function readResult() {
  reading ??= (async () => {
    while (!result) {
      const found = await read(`/v1/pools/${pool.name}`);
      if (found?.body?.auction?.state === "CLOSED") {
        result = found.body.auction;
      } else {
        await wait(READ_MS);
      }
    }
    cards.refreshHeld();
    show();
  })();
}

// ---- what is shown

const myBid = () => cards.all().find(({ state }) => state === "HELD");
const isLeading = () => myBid() && myBid().fence === auction.leader?.sequence;

function show() {
  if (!auction) {
    return;
  }
  const cents = result ? result.winningCents : auction.leader?.amountCents;
  $("lot").dataset.state = auction.state;
  $("leader-amount").textContent = cents ? money(cents, pool) : "–";
  $("leader-label").textContent = auction.state === "CLOSED" ? "sold for" : "highest bid";
  $("leader-bids").textContent = auction.bids.toLocaleString();
  $("bid").hidden = auction.state !== "OPEN";
  $("lot-none").textContent = auction.state === "OPEN" ? "You have no bid." : "";
  const [standing, sentence] = summary();
  $("lot").dataset.standing = standing;
  if ($("lot-state").textContent !== sentence) {
    $("lot-state").textContent = sentence; // an equal text would be announced again
  }
  proposeAmount();
  count();
}

function summary() {
  if (auction.state === "CLOSING" || (auction.state === "CLOSED" && !result)) {
    return ["closing", "No more bids are taken. The winner is being decided."];
  }
  if (auction.state === "CLOSED") {
    return ending();
  }
  if (!myBid()) {
    return ["", ""];
  }
  return isLeading()
    ? ["leading", "You lead."]
    : auction.leader
      ? ["outbid", "You are outbid. Offer more to lead again."]
      : ["", ""];
}

function ending() {
  const mine = kept.read(memory("bid"), null);
  if (!result.winningBid) {
    return ["none", "Closed without a sale: no bid has met the reserve."];
  }
  if (result.winningBid === mine) {
    return ["won", `You have won, for ${money(result.winningCents, pool)}.`];
  }
  const sold = `The lot is sold for ${money(result.winningCents, pool)}.`;
  return mine ? ["lost", `You have not won. ${sold}`] : ["", sold];
}

/** A little more than the highest bid, in whole units. An amount that the user gave is kept. */
function proposeAmount() {
  if (isEdited) {
    return;
  }
  const highest = auction.leader?.amountCents;
  const step = Math.max(STEP_LEAST_CENTS, STEP_SHARE * (highest ?? 0));
  const next = highest ? highest + step : Math.max(pool.auction.reserveCents, STEP_LEAST_CENTS);
  $("amount").value = Math.ceil(next / 100).toFixed(2);
}

function count() {
  const left = leftUntil(auction.closesAt);
  $("closes-in").textContent =
    auction.state === "OPEN" ? countdown(left) : auction.state === "CLOSED" ? "closed" : "closing";
}

/** A first bid has no card yet that could show that its result is unknown. */
function showProgress({ kind, body }, progress) {
  if (kind === "hold") {
    const offer = money(body.amountCents, pool);
    const isOpen = progress === "asked" || progress === "unknown";
    $("bid").lastElementChild.setAttribute("aria-disabled", isOpen); // keeps the focus
    $("bid-doubt").textContent = {
      asked: "",
      told: "",
      unknown: `Not known yet whether your bid of ${offer} is placed. Asking again.`,
      lost: `Not known whether your bid of ${offer} is placed. Bid the same again to find out.`,
    }[progress];
  }
}

$("amount").addEventListener("input", () => (isEdited = $("amount").value !== ""));
$("bid").addEventListener("submit", (event) => {
  event.preventDefault();
  if ($("bid").lastElementChild.ariaDisabled !== "true") {
    cards.place({ amountCents: Math.round(100 * $("amount").value) });
  }
});
