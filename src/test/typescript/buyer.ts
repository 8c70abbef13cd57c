// A buyer written against the generated types alone: holds, beats, confirms, and checks out. It
// prints one line of JSON for each step, which the test reads.
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

declare const process: { argv: string[]; exitCode?: number };

type Hold = components["schemas"]["Hold"];
type Problem = components["schemas"]["Problem"];

const [, , baseUrl = "", key = "", pool = ""] = process.argv;
const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } });

const token = () => ({ "Idempotency-Key": crypto.randomUUID() });
const tell = (step: string, what: object) => console.log(JSON.stringify({ step, ...what }));

function required<T>(data: T | undefined, problem: Problem | undefined): T {
  if (data === undefined) {
    throw new Error(problem ? `${problem.code}: ${problem.detail}` : "no answer");
  }
  return data;
}

async function place(items: string[]): Promise<Hold> {
  const { data, error } = await client.POST("/v1/pools/{pool}/holds", {
    params: { path: { pool }, header: token() },
    body: { requester: "ann", items },
  });
  return required(data, error);
}

async function confirm(): Promise<void> {
  const hold = await place(["A-1"]);
  tell("hold", { state: hold.state, items: hold.items });

  const beat = await client.POST("/v1/holds/{holdId}/heartbeat", {
    params: { path: { holdId: hold.holdId } },
    body: { requester: hold.requester, fence: hold.fence },
  });
  const extended = required(beat.data, beat.error);
  tell("heartbeat", { isLater: Date.parse(extended.leaseUntil) >= Date.parse(hold.leaseUntil) });

  const sold = await client.POST("/v1/holds/{holdId}/confirm", {
    params: { path: { holdId: hold.holdId }, header: token() },
    body: { requester: hold.requester, fence: hold.fence, orderId: "order-1" },
  });
  const sale = required(sold.data, sold.error);
  tell("confirm", { state: sale.state, hasCommitment: Boolean(sale.commitmentId) });
}

async function checkOut(): Promise<void> {
  const hold = await place(["A-2", "A-3"]);
  const { data, error, response } = await client.POST("/v1/checkouts", {
    params: { header: { ...token(), Prefer: "wait=30" } },
    body: {
      holdId: hold.holdId,
      requester: hold.requester,
      fence: hold.fence,
      payment: { provider: "simulator", method: "ok", amountCents: 10000, currency: "EUR" },
    },
  });
  const checkout = required(data, error);
  tell("checkout", { state: checkout.state, hasLocation: response.headers.has("Location") });
}

async function beRefused(): Promise<void> {
  const { error, response } = await client.POST("/v1/pools/{pool}/holds", {
    params: { path: { pool }, header: token() },
    body: { requester: "bob", items: ["A-1"] },
  });
  const page = await fetch(new URL(error?.type ?? "", response.url));
  tell("refused", { status: response.status, code: error?.code, items: error?.items, page: page.status });
}

await confirm();
await checkOut();
await beRefused();
