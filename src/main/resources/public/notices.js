// The messages of the page, and whether what it shows is current.

import { $ } from "./browser.js";

const timers = new Map();
const links = new Map(); // what is connected → { isLive, text }

function say(place, text, ms) {
  $(place).textContent = text;
  clearTimeout(timers.get(place));
  timers.set(
    place,
    setTimeout(() => ($(place).textContent = ""), ms),
  );
}

export const tell = (text) => say("news", text, 7_000);
export const refuse = (text) => say("refusal", text, 10_000);
export const warn = (text) => say("refusal", text, 60_000);

/** The page is live if all its connections are. Otherwise the first that is not is shown. */
export function showLink(name, isLive, text) {
  links.set(name, { isLive, text });
  drawLink();
}

export function forgetLink(name) {
  links.delete(name);
  drawLink();
}

function drawLink() {
  const all = [...links.values()];
  const shown = all.find((link) => !link.isLive) ?? all[0];
  $("link").hidden = !shown; // nothing is connected
  if (shown) {
    $("link").dataset.link = shown.isLive ? "live" : "lost";
    $("link").firstElementChild.textContent = shown.text;
  }
}

/** Says a refusal in words. `things` are what the pool has: seats or tickets. */
export function inWords({ body }, things) {
  switch (body?.code) {
    case "resource-unavailable":
      return taken(body.items ?? [], things);
    case "hold-limit":
      return "You hold as much as one person may. Buy or release something first.";
    case "window-elapsed":
      return `Your time for these ${things} is over.`;
    case "checkout-exists":
      return things === "bids"
        ? "There is a payment for this bid already."
        : `A payment for these ${things} is under way, or was made. Reload the page to see its end.`;
    case "not-admitted":
      return "You are not admitted, or your pass is over.";
    case "bid-too-low":
      return "You have offered more already, and a bid is never lowered. Offer more, or withdraw it.";
    case "auction-closed":
      return "The auction is closed; it takes no more bids.";
    case "auction-full":
      return "The auction has as many bids as it may have. Try again in a while.";
    case "not-held":
      return `These ${things} are not held for you any more.`;
    default:
      return body?.detail ?? "The service gave no answer. Reload the page to ask again.";
  }
}

function taken(items, things) {
  if (things !== "seats") {
    return `There are not so many free ${things} any more.`;
  }
  return items.length
    ? `${items.join(", ")} ${items.length > 1 ? "are" : "is"} taken: somebody was faster.`
    : "There are not so many free seats side by side.";
}
