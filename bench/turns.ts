import { allScopes } from "../contract/scopes.ts";
import { parseId } from "../server/platform/ids.ts";
import { createKey, createStore } from "../server/stores/admin.ts";
import { requester, type TestStore } from "../testkit/app.ts";
import { openDearShop } from "../testkit/dear-world.ts";
import { inMemory } from "../testkit/in-memory.ts";
import { TestPeople } from "../testkit/members.ts";
import { openOwnApi } from "../testkit/own-api.ts";
import { bestOf } from "../testkit/processor-time.ts";

/**
 * The longest turn of the event loop that the dearest bodies of each route cause, in ms of processor time, beside
 * parsing the same bytes with JSON.parse: the dearest body of each route, the least of five tries.
 */
let elapsed = 0;
const people = new TestPeople();
const api = await openOwnApi({ foundations: { ...inMemory(() => elapsed), signedIn: people.signedIn } });
const { database, calendar } = api.foundations;

async function openStore(): Promise<TestStore> {
  const shop = { name: "Dear", shopDomain: "dear.example.com", timezone: "UTC", currency: "USD" };
  return database.transaction(async (tx) => {
    const made = await createStore(tx, api.foundations, { ...shop, plan: "enterprise" });
    const uuid = parseId("store", made.store_id) ?? "";
    const { key } = await createKey(tx, api.foundations, uuid, { scopes: allScopes });
    const secrets = { publishableKey: made.publishable_key, commerceSecret: made.commerce_secret };
    return { id: made.store_id, uuid, key, ...secrets };
  });
}

const passTime = (milliseconds: number): void => {
  elapsed += milliseconds;
};
const request = requester(api.api.app);
const { app } = api.api;
const shop = await openDearShop(
  { app, database, calendar, foundations: api.foundations, passTime, request, store: openStore },
  people,
);

interface Row {
  bytes: number;
  status: number;
  longest: number;
  parse: number;
}

const dearest = new Map<string, Row>();
for (const asked of shop.requests) {
  const tries = [];
  for (let nth = 0; nth < 5; nth += 1) tries.push(await shop.send(asked));
  const { status, longest } = tries.reduce((least, each) => (each.longest < least.longest ? each : least));
  const row = { bytes: asked.body.length, status, longest, parse: bestOf(5, () => JSON.parse(asked.body)) };
  if (process.argv.includes("--all")) console.log(asked.name, asked.body.slice(0, 60), row);
  if ((dearest.get(asked.name)?.longest ?? -1) < longest) dearest.set(asked.name, row);
}
console.log("| Route | Bytes | Status | Longest turn, ms | JSON.parse, ms |\n|---|---|---|---|---|");
for (const [name, row] of [...dearest].sort(([, a], [, b]) => b.longest - a.longest)) {
  const { bytes, status, longest, parse } = row;
  console.log(`| ${name} | ${bytes} | ${status} | ${longest.toFixed(1)} | ${parse.toFixed(1)} |`);
}
await api.close();
