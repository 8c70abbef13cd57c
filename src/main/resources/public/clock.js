// The time of the server, as far as its answers tell it. All countdowns use it.

import { kept } from "./browser.js";

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });

let skewMs = kept.read("skew", 0);

export const now = () => Date.now() + skewMs;
export const leftUntil = (moment) => Math.max(0, Date.parse(moment) - now());
export const time = (moment) => clock.format(new Date(Date.parse(moment) - skewMs));

/** Learns from a moment of the server that lies between a request and its answer. */
export function learnTime(serverMs, askedMs) {
  skewMs = serverMs - (askedMs + Date.now()) / 2;
  kept.write("skew", skewMs);
}

/** With hours, such as 23:59:59, once it is that long. */
export function countdown(ms) {
  const hours = Math.floor(Math.ceil(ms / 1_000) / 3_600);
  const rest = minutes(ms - 3_600_000 * hours);
  return hours > 0 ? `${hours}:${rest.padStart(5, "0")}` : rest;
}

export function minutes(ms) {
  const seconds = Math.ceil(ms / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
