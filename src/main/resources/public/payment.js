// What the page says about the end of a payment.

import { isDefinite } from "./api.js";
import { inWords, refuse, tell, warn } from "./notices.js";

/** Whether a payment was undone as a whole, so that another one may follow. */
export const isUndone = ({ body }) => body?.state === "COMPENSATED";

/**
 * Only a compensated or refused payment may be reported as not charged. `again` says how to pay
 * after all; it is empty if nothing is left to pay.
 */
export function tellOfPayment(checkout, label, things, again) {
  const { status, body } = checkout;
  const isRefused = status >= 400 && isDefinite(checkout) && !body?.state;
  if (body?.state === "FULFILLED") {
    tell(`${label}: paid, and yours for good.`);
  } else if (body?.state === "STUCK") {
    warn(`${label}: the payment is stuck half way, and somebody has to look at it. Do not pay again.`);
  } else if (body?.code === "checkout-exists") {
    refuse(inWords(checkout, things)); // the other checkout may have been paid
  } else if (isUndone(checkout) || isRefused) {
    const why = body?.failure?.detail ?? inWords(checkout, things);
    const end = why.endsWith(".") ? "" : ".";
    refuse(`Not paid, and nothing is kept of your money: ${why}${end} ${again}`.trim());
  } else {
    warn(
      `${label}: whether you have paid is not known yet. Do not pay again, but reload the page in a ` +
        `while: it shows whether the ${things} are yours.`,
    );
  }
}
