// The holds of this browser in one pool: a card for each, with countdown, heartbeat and its actions.
// Seats and tickets are held in the same way; the view says what differs.

import { call, carryOut, intent, isDefinite, me, openIntents, read } from "./api.js";
import { $, kept, token, wait } from "./browser.js";
import { learnTime, leftUntil, minutes, now, time } from "./clock.js";
import { inWords, refuse, tell } from "./notices.js";
import { isUndone, tellOfPayment } from "./payment.js";

const SOON_MS = 60_000;
const DOUBT_MS = 3_000;
const BEAT_RETRY_MS = 5_000;
const PAYMENT_READS_MAX = 120;

/**
 * The view has: `pool`; `things` ("seats", "tickets"); `list`, `none`, `home`, the elements of the
 * cards, of the text without cards, and of the pool; `label(hold)` and `cents(hold)`;
 * `onChange(hold)`; `onAsked(intent, progress)` with asked, unknown, told or lost;
 * `contradicts(hold)`, if what the stream says excludes that the hold is alive. A pool with a
 * waiting room has a `pass` and `onNotAdmitted()`. What differs for bids is `bids`: `read(answer)`,
 * a bid as a hold; `isPaid(hold)` and `onPayment(holdId, checkout)`; `text(hold)`.
 */
export class HoldCards {
  #view;
  #holds = new Map(); // hold id → { hold, card, beatAt, isAsked, progress }
  #unread = new Set(); // ids of holds of an earlier visit that are not read yet

  constructor(view) {
    this.#view = view;
  }

  /** Restores the holds of this browser, resumes its open intents, and keeps its holds alive. */
  async start() {
    setInterval(() => this.#everySecond(), 1_000);
    document.addEventListener("visibilitychange", () => {
      this.#holds.forEach((mine) => (mine.beatAt = Math.min(mine.beatAt, now())));
      this.#everySecond();
    });
    await this.#readEarlierHolds();
    openIntents(this.#view.pool).forEach((each) => this.#finish(each));
  }

  all() {
    return [...this.#holds.values()].map(({ hold }) => hold);
  }

  focus(holdId) {
    this.#holds.get(holdId).card.focus();
  }

  place(body, about = {}) {
    const { pool, bids } = this.#view;
    const path = `/v1/pools/${pool.name}/${bids ? "bids" : "holds"}`;
    const headers = pool.pass ? { "Waiting-Room-Pass": pool.pass } : {};
    return this.#intend("hold", path, { requester: me.requester, ...body }, about, headers);
  }

  refreshHeld(concerns = () => true) {
    this.all()
      .filter((hold) => hold.state === "HELD" && concerns(hold))
      .forEach((hold) => this.#refresh(hold.holdId));
  }

  async #readEarlierHolds() {
    kept.read(this.#memory(), []).forEach((holdId) => this.#unread.add(holdId));
    while (this.#unread.size > 0) {
      for (const holdId of this.#unread) {
        const found = await read(`/v1/holds/${holdId}`);
        if (found && isDefinite(found)) {
          this.#unread.delete(holdId);
        }
        if (found?.status === 200 && ["HELD", "CONFIRMED"].includes(found.body.state)) {
          this.#show(found.body);
        }
      }
      this.#keep();
      await wait(this.#unread.size > 0 ? 2_000 : 0);
    }
  }

  // ---- requests

  #intend(kind, path, body, about, headers) {
    return this.#finish(intent(this.#view.pool, kind, path, body, about, headers));
  }

  async #finish(each) {
    const { holdId } = each.about;
    this.#progress(each, "asked");
    this.#setBusy(holdId, true);
    const answer = await carryOut(each, () => this.#progress(each, "unknown"));
    this.#progress(each, isDefinite(answer) ? "told" : "lost");
    await this.#afterwards[each.kind](answer, each.about);
    this.#setBusy(holdId, false);
  }

  #progress(each, progress) {
    const mine = this.#holds.get(each.about.holdId);
    this.#view.onAsked(each, progress);
    if (mine) {
      mine.progress = progress;
      this.#draw(mine);
    }
  }

  #afterwards = {
    hold: (answer) => {
      if (answer.status >= 300 || answer.status === 0) {
        refuse(inWords(answer, this.#view.things));
        if (answer.body?.code === "not-admitted") {
          this.#view.pool.onNotAdmitted?.();
        }
        return;
      }
      const hold = this.#view.bids?.read(answer.body) ?? answer.body;
      if (answer.status === 201 && !answer.headers.has("Idempotent-Replayed")) {
        learnTime(Date.parse(hold.placedAt), answer.asked);
      }
      this.#show(hold);
      const fate = this.#view.bids ? "placed, and kept" : "yours";
      tell(`${this.#view.label(hold)}: ${fate} until ${time(hold.leaseUntil)}.`);
    },
    release: (answer, about) => this.#afterChange(answer, about, "released."),
    confirm: (answer, about) => this.#afterChange(answer, about, "sold to you, for good."),
    pay: async (answer, { holdId, label }) => {
      const checkout = await endOf(answer);
      this.#view.bids?.onPayment(holdId, checkout);
      await this.#refresh(holdId);
      tellOfPayment(checkout, label, this.#view.things, this.#payAgain(holdId, checkout));
    },
  };

  /** After a payment that was undone, the card asks for another one as long as the hold lasts. */
  #payAgain(holdId, checkout) {
    const mine = this.#holds.get(holdId);
    if (!mine || !isUndone(checkout) || !this.#isPayable(mine.hold)) {
      return "";
    }
    const choice = mine.card.querySelector(".method select");
    const others = [...choice.options].filter((each) => each.value !== choice.value);
    choice.value = others[0].value;
    mine.card.querySelector(".method span").textContent = "Another card";
    const until = this.#view.bids ? "" : ` until ${time(mine.hold.leaseUntil)}`;
    return `You can pay with another card${until}.`;
  }

  #isPayable(hold) {
    const { bids } = this.#view;
    return bids ? hold.state === "CONFIRMED" && !bids.isPaid(hold) : hold.state === "HELD";
  }

  async #afterChange(answer, { holdId }, done) {
    if (answer.status === 200) {
      tell(`${this.#view.label(answer.body)}: ${done}`);
      this.#show(answer.body);
    } else {
      refuse(inWords(answer, this.#view.things));
      await this.#refresh(holdId);
    }
  }

  async #refresh(holdId) {
    const mine = this.#holds.get(holdId);
    if (!mine || mine.isAsked) {
      return;
    }
    mine.isAsked = true;
    mine.readAt = Date.now();
    const found = await read(`/v1/holds/${holdId}`);
    mine.isAsked = false;
    if (!this.#holds.has(holdId)) {
      return;
    }
    const { label, things, bids } = this.#view;
    if (found?.status === 200) {
      const wasHeld = mine.hold.state === "HELD";
      mine.progress = mine.progress === "lost" ? "told" : mine.progress;
      this.#show(found.body);
      if (wasHeld && found.body.state === "EXPIRED") {
        const end = bids ? "it has ended" : `the ${things} are free again`;
        refuse(`${label(found.body)}: your time is over, ${end}.`);
      }
    } else if (found?.status === 404) {
      refuse(`${label(mine.hold)}: the service does not know this hold any more.`);
      this.#drop(holdId);
    }
  }

  async #beat(mine) {
    const { holdId, fence } = mine.hold;
    mine.beatAt = now() + BEAT_RETRY_MS; // if this heartbeat gets no answer
    const body = { requester: me.requester, fence };
    const heard = await call("POST", `/v1/holds/${holdId}/heartbeat`, body).catch(() => null);
    if (heard?.status === 200 && this.#holds.has(holdId)) {
      this.#show(heard.body);
    } else if (heard?.status === 409 || heard?.status === 410) {
      this.#refresh(holdId);
    }
  }

  #everySecond() {
    for (const mine of this.#holds.values()) {
      this.#count(mine);
      if (mine.hold.state !== "HELD") {
        continue;
      }
      // The stream and a hold are read separately: after DOUBT_MS the older reading is the hold's.
      if (Date.now() - mine.readAt > DOUBT_MS && this.#view.contradicts(mine.hold)) {
        this.#refresh(mine.hold.holdId);
      }
      if (mine.beatAt <= now() && document.visibilityState === "visible") {
        this.#beat(mine);
      }
    }
  }

  // ---- cards

  #show(hold) {
    const mine = this.#holds.get(hold.holdId) ?? { card: this.#newCard(hold) };
    mine.hold = { ...mine.hold, ...hold };
    mine.isAsked = false;
    mine.readAt = Date.now();
    const { leaseUntil, expiresAt, heartbeatSeconds } = mine.hold;
    const left = Date.parse(leaseUntil) - now();
    const canGrow = Date.parse(leaseUntil) < Date.parse(expiresAt);
    mine.beatAt = canGrow ? now() + Math.min(heartbeatSeconds * 1_000, left / 2) : Infinity;
    mine.span = Math.max(left, mine.span ?? 0);
    this.#holds.set(hold.holdId, mine);
    if (mine.hold.state === "RELEASED") {
      this.#drop(hold.holdId);
    } else {
      this.#draw(mine);
    }
    this.#keep();
  }

  #drop(holdId) {
    const { card, hold } = this.#holds.get(holdId);
    const hadFocus = card.contains(document.activeElement);
    card.remove();
    this.#holds.delete(holdId);
    this.#view.onChange(hold);
    if (hadFocus) {
      this.#view.home.focus();
    }
    this.#keep();
  }

  #keep() {
    kept.write(this.#memory(), [...this.#holds.keys(), ...this.#unread]);
    this.#view.none.hidden = this.#holds.size > 0;
  }

  #memory() {
    return `holds.${this.#view.pool.name}`;
  }

  #newCard(hold) {
    const card = $("card").content.firstElementChild.cloneNode(true);
    const { holdId } = hold;
    const about = { holdId, label: this.#view.label(hold) };
    const on = (name, deed) => (card.querySelector(`.${name}`).onclick = deed);
    const body = () => ({ requester: me.requester, fence: this.#holds.get(holdId).hold.fence });
    card.dataset.hold = holdId;
    on("release", () =>
      this.#intend("release", `/v1/holds/${holdId}/release`, { requester: me.requester }, about),
    );
    on("confirm", () => {
      const order = { ...body(), orderId: `web-${token()}` };
      this.#intend("confirm", `/v1/holds/${holdId}/confirm`, order, about);
    });
    on("pay", () => {
      const payment = {
        provider: "simulator",
        method: card.querySelector(".method select").value,
        amountCents: this.#view.cents(hold),
        currency: this.#view.pool.policy.currency,
      };
      tell("Paying…");
      const order = { holdId, ...body(), payment };
      this.#intend("pay", "/v1/checkouts", order, about, { Prefer: "wait=5" });
    });
    on("dismiss", () => this.#drop(holdId));
    this.#view.list.prepend(card);
    return card;
  }

  #draw(mine) {
    const { hold, card } = mine;
    const { bids } = this.#view;
    const isHeld = hold.state === "HELD";
    const isPayable = this.#isPayable(hold);
    const find = (selector) => card.querySelector(selector);
    card.dataset.state = hold.state;
    find("h3").textContent = this.#view.label(hold);
    find(".price").textContent = money(this.#view.cents(hold), this.#view.pool);
    find(".until").textContent = ["unknown", "lost"].includes(mine.progress)
      ? "Not known yet: the service has not answered. Asking again."
      : bids?.text(hold) ?? {
          HELD: `Kept while you look, until ${time(hold.expiresAt)} at the latest`,
          CONFIRMED: "Sold to you, for good",
          EXPIRED: hold.endReason === "LOST" ? "Lost with Redis' memory" : "Your time is over",
        }[hold.state];
    find(".release").hidden = !isHeld;
    find(".release").textContent = bids ? "Withdraw" : "Release";
    find(".confirm").hidden = !isHeld || Boolean(bids);
    find(".pay").hidden = find(".method").hidden = !isPayable || !me.isDemo;
    find(".dismiss").hidden = isHeld || isPayable;
    this.#view.onChange(hold);
    this.#count(mine);
  }

  /** Shows the rest of the lease. The server decides when it has ended. */
  #count(mine) {
    const { hold, card } = mine;
    const isHeld = hold.state === "HELD";
    const left = leftUntil(hold.leaseUntil);
    const share = isHeld ? (100 * left) / mine.span : hold.state === "CONFIRMED" ? 100 : 0;
    card.querySelector(".left").setAttribute("stroke-dashoffset", 100 - share);
    card.classList.toggle("soon", isHeld && left < SOON_MS);
    card.querySelector(".ring text").textContent = isHeld
      ? minutes(left)
      : { CONFIRMED: "✓", EXPIRED: "–" }[hold.state];
    if (isHeld && left === 0) {
      this.#refresh(hold.holdId);
    }
  }

  #setBusy(holdId, isBusy) {
    const card = this.#holds.get(holdId)?.card;
    if (card?.contains(document.activeElement)) {
      card.focus(); // a disabled button loses the focus
    }
    card?.setAttribute("aria-busy", isBusy);
    card?.querySelectorAll("button, select").forEach((each) => (each.disabled = isBusy));
  }
}

export function money(cents, pool) {
  const currency = pool.policy.currency;
  return new Intl.NumberFormat(undefined, { style: "currency", currency }).format(cents / 100);
}

/** Reads a checkout that has started until it is over; returns the first answer if it is not. */
async function endOf(answer) {
  const path = `/v1/checkouts/${answer.body?.checkoutId}`;
  for (let reads = 0; answer.status === 202 && reads < PAYMENT_READS_MAX; reads++) {
    tell("The bank has not answered yet.");
    await wait(1_000);
    const found = await read(path);
    if (/FULFILLED|COMPENSATED|STUCK/.test(found?.body?.state)) {
      return found;
    }
  }
  return answer;
}
