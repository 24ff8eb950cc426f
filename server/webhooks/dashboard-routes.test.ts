import { afterAll, beforeAll, expect, it } from "vitest";
import { type Body, openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { createEndpoint } from "../../testkit/endpoints.ts";
import { inStore, TestPeople } from "../../testkit/members.ts";
import { parseId } from "../platform/ids.ts";
import { claimDue, recordOutcomes } from "./send/delivery-rows.ts";
import type { Outcome } from "./send/outcome.ts";

let t: TestApp;
let store: TestStore;
let headers: Record<string, string>;
let endpoint: Body;
const people = new TestPeople();
beforeAll(async () => {
  t = await openTestApp({ signedIn: people.signedIn });
  store = await t.store();
  headers = inStore(people.add("edna", { in: [[store, "editor"]] }), store);
  endpoint = await createEndpoint(t, store);
});
afterAll(() => t.close());

/** An attempt that ends so, recorded as a sender does. */
async function attempt(fields: Partial<Outcome>): Promise<void> {
  const db = t.database.reader().forStore(store.uuid);
  const endpointId = parseId("whe", endpoint["id"]) ?? "";
  const [claimed] = await claimDue(db, endpointId, new Date(t.calendar.now()), 1);
  if (!claimed) throw new Error("nothing is due");
  t.calendar.advance(1_000);
  const at = new Date(t.calendar.now());
  const outcome: Outcome = {
    ...{
      claimed,
      url: "",
      status: "retrying",
      at,
      nextAttemptAt: at,
      statusCode: 500,
      response: "",
      error: "HTTP 500",
    },
    ...fields,
  };
  expect((await recordOutcomes(db, endpointId, [outcome], { locked: false })).size).toBe(1);
}

const delivered = { status: "delivered", statusCode: 204, error: null, nextAttemptAt: null } as const;

async function ping(): Promise<() => Promise<Body>> {
  const made = await t.request("POST", `/dashboard/api/v1/webhooks/${endpoint["id"]}/ping`, { headers });
  expect(made.status).toBeLessThan(300);
  const path = `/dashboard/api/webhooks/${endpoint["id"]}/deliveries`;
  const [newest] = (await t.request("GET", path, { headers })).body.data;
  return async () => (await t.request("GET", `${path}/${newest.id}`, { headers })).body;
}

const triesOf = ({ tries }: Body) => tries.map((each: Body) => [each["status_code"], each["error"]]);

it("a delivery is told with its attempts, the first one first [dashboard-api.deliveries]", async () => {
  const read = await ping();
  expect(triesOf(await read())).toEqual([]);
  const began = t.calendar.now();
  await attempt({});
  await attempt({ statusCode: null, error: "connection refused" });
  // given back without having been begun
  await attempt({ status: "returned", statusCode: null, error: null, nextAttemptAt: null });
  await attempt(delivered);
  const told = await read();
  expect(triesOf(told)).toEqual([
    [500, "HTTP 500"],
    [null, "connection refused"],
    [204, null],
  ]);
  expect([told["status"], told["attempts"]]).toEqual(["delivered", 3]);
  expect(told["tries"][0].at).toBe(new Date(began + 1_000).toISOString());
});

it("one that arrives at once has that attempt, and one that is sent again begins anew [dashboard-api.deliveries]", async () => {
  const read = await ping();
  await attempt(delivered);
  const told = await read();
  expect([triesOf(told), told["tries"][0].at]).toEqual([[[204, null]], told["delivered_at"]]);
  const again = `/dashboard/api/v1/webhooks/${endpoint["id"]}/deliveries/${told["id"]}/redeliver`;
  expect((await t.request("POST", again, { headers })).status).toBe(202);
  expect(triesOf(await read())).toEqual([]);
  await attempt({});
  expect(triesOf(await read())).toEqual([[500, "HTTP 500"]]);
});
