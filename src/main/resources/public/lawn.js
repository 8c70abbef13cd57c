// General admission: a pool of units that nobody can tell apart. The stream sends how many are
// free, held and sold.

import { $, option } from "./browser.js";
import { HoldCards, money } from "./holds.js";
import { follow } from "./stream.js";

const STATES = ["sold", "held", "free"]; // from left to right

let pool;
let cards;
let counts;

export async function openLawn(found) {
  pool = found;
  cards = new HoldCards({
    pool,
    things: "tickets",
    list: $("lawn-holds"),
    none: $("lawn-none"),
    home: $("lawn"),
    label: ({ quantity }) => tickets(quantity),
    cents: ({ quantity }) => quantity * pool.priceCents,
    onChange: () => {},
    onAsked: showProgress,
    contradicts: () => counts && heldByMe() > counts.held,
  });
  $("lawn-title").textContent = pool.name;
  $("lawn-price").textContent = `General admission, ${money(pool.priceCents, pool)} each`;
  fillQuantities();
  $("lawn").hidden = false;
  follow(pool, {
    onEvent: (_, news) => showCounts(news.counts),
    onCaughtUp: () => cards.refreshHeld(),
    onLink: (isLive) => $("stock").classList.toggle("old", !isLive),
  });
  cards.start();
}

const tickets = (quantity) => `${quantity} ${quantity === 1 ? "ticket" : "tickets"}`;

const heldByMe = () =>
  cards
    .all()
    .filter(({ state }) => state === "HELD")
    .reduce((sum, { quantity }) => sum + quantity, 0);

function fillQuantities() {
  const quantities = Array.from({ length: pool.policy.maxItemsPerHold }, (_, i) => i + 1);
  $("quantity").replaceChildren(...quantities.map((each) => option(each, tickets(each))));
  $("quantity").value = Math.min(2, quantities.length);
  showTotal();
}

function showTotal() {
  $("total").textContent = money($("quantity").value * pool.priceCents, pool);
}

function showCounts(news) {
  counts = news;
  const all = Math.max(1, counts.free + counts.held + counts.sold); // a capacity may be 0
  let x = 0;
  for (const state of STATES) {
    const width = (100 * counts[state]) / all;
    const bar = $("meter").querySelector(`.${state}`);
    bar.setAttribute("x", x);
    bar.setAttribute("width", width);
    x += width;
    $(`lawn-${state}`).textContent = counts[state].toLocaleString();
  }
}

/** A request to hold has no card yet that could show that its result is unknown. */
function showProgress({ kind, body }, progress) {
  if (kind === "hold") {
    const isOpen = progress === "asked" || progress === "unknown";
    $("take").lastElementChild.setAttribute("aria-disabled", isOpen); // keeps the focus
    $("lawn-state").textContent = {
      asked: "",
      told: "",
      unknown: `Not known yet whether ${tickets(body.quantity)} are held for you. Asking again.`,
      lost:
        `Not known whether ${tickets(body.quantity)} are held for you. If so, they are free again ` +
        "when their time is over; reload the page to ask again.",
    }[progress];
  }
}

$("quantity").addEventListener("change", showTotal);
$("take").addEventListener("submit", (event) => {
  event.preventDefault();
  if ($("take").lastElementChild.ariaDisabled !== "true") {
    cards.place({ quantity: Number($("quantity").value) });
  }
});
