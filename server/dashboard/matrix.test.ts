import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { storeOperations } from "../../contract/api.ts";
import { dashboardOperations } from "../../contract/dashboard/index.ts";
import type { Operation } from "../../contract/operation.ts";
import { roleScopes, roles, rolesFrom, rolesWith } from "../../contract/roles.ts";
import { type Answered, openTestApp, type TestApp } from "../../testkit/app.ts";
import { inStore, type PersonHeaders, TestPeople } from "../../testkit/members.ts";
import { marksOf, type Names, nobodys, pathKinds, portrait, settleTenant, type Tenant } from "../../testkit/tenants.ts";

/**
 * Every operation that people may ask, by everybody who may be signed in, about their own store and with another's ids;
 * made from the contract, so that none is left out [dashboard-api.roles, dashboard-api.store-header].
 */

interface Asked {
  operation: Operation;
  path: string;
}

const all: Asked[] = [
  ...storeOperations.map((operation) => ({ operation, path: `/dashboard/api${operation.path}` })),
  ...dashboardOperations.map((operation) => ({ operation, path: operation.path })),
];
const nameOf = ({ operation, path }: Asked): string => `${operation.method} ${path}`;
const isOpen = ({ operation }: Asked): boolean => operation.access?.to === "anyone";

let t: TestApp;
let ours: Tenant;
let theirs: Tenant;
/** with a delivery and an event that tell of a contact */
let withContact: Names;
let before: ReadonlyMap<string, unknown>;
let marks: string[];
const people = new TestPeople();
const signedIn: Record<string, PersonHeaders> = {};
const nobody = nobodys();

beforeAll(async () => {
  t = await openTestApp({ signedIn: people.signedIn });
  [ours, theirs] = [await settleTenant(t, "own", 2), await settleTenant(t, "canary", 3)];
  const path = `/v1/webhooks/${ours.names.endpoint}/deliveries?limit=100`;
  const { body } = await t.request("GET", path, { key: ours.store.key });
  const captured = body.data.find(({ topic }: { topic: string }) => topic === "identity.captured");
  withContact = { ...ours.names, delivery: captured.id, event: captured.event_id };
  const shown = await portrait(t, theirs);
  before = shown;
  marks = marksOf(shown, await portrait(t, ours));
  for (const role of roles) signedIn[role] = people.add(role, { in: [[ours.store, role]] });
  signedIn["stranger"] = people.add("stranger", { in: [[theirs.store, "owner"]] });
  signedIn["operator"] = people.add("operator", { operator: true });
  signedIn["stale"] = people.add("stale", { in: [[ours.store, "owner"]], confirmedAt: 0 });
}, 90_000);
afterAll(() => t.close());
beforeEach(() => t.passTime(600_000));

/** What no kind of name is known for is somebody's own, such as a session of the person: nobody's there. */
const kinds: Readonly<Record<string, keyof Names>> = {
  ...pathKinds,
  key_id: "key",
  id: "quiz",
  store_id: "store",
};
const addressOf = ({ path }: Asked, names: Names): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => names[kinds[parameter] ?? "key"]);

const told = ({ status, text }: Answered) => [status, text.replaceAll(/req_[0-9a-f]{32}/g, "<request>")];

/** Past the gate it is refused for the parameter that no operation has, so that nothing is done. */
function knock(asked: Asked, as: string | null, names = ours.names, store: string = ours.store.id): Promise<Answered> {
  const who = as === null ? { "sec-fetch-site": "same-origin" } : { ...signedIn[as], "quizstore-store": store };
  return t.request(asked.operation.method, `${addressOf(asked, names)}?odd=1`, {
    headers: who as Record<string, string>,
  });
}

/** Who may, by the contract: null is everybody who is signed in. */
function allowed({ operation: { access, scope } }: Asked): readonly string[] | null {
  if (access?.to === "person") return null;
  if (access?.to === "operator") return ["operator"];
  const byRole = access?.to === "member" ? rolesFrom(access.role) : [...roles];
  return scope === null ? byRole : byRole.filter((role) => roleScopes[role].includes(scope));
}

describe.each(all.map((asked) => [nameOf(asked), asked] as const))("%s", (_name, asked) => {
  it("is for whom the contract says [dashboard-api.access, dashboard-api.roles]", async () => {
    const anonymous = await knock(asked, null);
    const passed = [422, "query.odd"];
    const shown = ({ status, body }: Answered) => [status, body.errors?.[0].field ?? body.title];
    expect(shown(anonymous)).toEqual(isOpen(asked) ? passed : [401, "not_signed_in"]);
    const may = isOpen(asked) ? null : allowed(asked);
    const { scope, access } = asked.operation;
    for (const role of ["analyst", "editor", "owner", "operator"]) {
      t.passTime(60_000);
      const answer = await knock(asked, role);
      if (may === null || may.includes(role)) expect([role, ...shown(answer)]).toEqual([role, ...passed]);
      else {
        expect([role, ...shown(answer)]).toEqual([role, 403, "insufficient_role"]);
        const least = access?.to === "member" ? rolesFrom(access.role) : [...roles];
        const required = role === "operator" ? ["support"] : access?.to === "operator" ? ["operator"] : least;
        const byScope = scope === null ? [] : rolesWith(scope);
        expect([required, byScope]).toContainEqual(answer.body.required);
      }
    }
  });

  it("asks for the password again where it has to [dashboard-api.password-again]", async () => {
    const { access, secret, secretField } = asked.operation;
    const byAccess = access && "confirmed" in access && access.confirmed;
    const confirmed = secret ?? byAccess ?? secretField !== undefined;
    const answer = await knock(asked, "stale");
    if (confirmed && access?.to !== "operator")
      expect([answer.status, answer.body.title]).toEqual([403, "password_required"]);
    else expect(answer.body.title).not.toBe("password_required");
  });

  it("answers a stranger who names the store as if there were none [dashboard-api.store-header]", async () => {
    if (asked.operation.access && asked.operation.access.to !== "member") return;
    const named = told(await knock(asked, "stranger"));
    const unknown = told(await knock(asked, "stranger", ours.names, nobody.store));
    expect([named, named[0]]).toEqual([unknown, 404]);
  });

  it("answers another store's ids as it answers ids that nobody has [dashboard-api.store-header]", async () => {
    const { operation } = asked;
    if (!operation.params || operation.access?.to === "operator" || isOpen(asked)) return;
    const body = operation.bodyExample ?? (operation.body ? {} : undefined);
    const by = operation.id.endsWith("Breakdown") ? "?by=channel" : "";
    const ask = async (names: Names) => {
      t.passTime(60_000);
      const headers = inStore(signedIn["owner"] as PersonHeaders, ours.store);
      return t.request(operation.method, addressOf(asked, names) + by, { headers, body });
    };
    const [found, unknown] = [await ask(theirs.names), await ask(nobody)];
    expect(told(found)).toEqual(told(unknown));
    expect(found.status).toBeGreaterThanOrEqual(400);
    expect(marks.filter((mark) => found.text.includes(mark))).toEqual([]);
  });
});

describe("answers to members", () => {
  const contacts = /own\.\d@example\.com|\+?1? ?202 ?555 ?01\d\d/;

  // what is about the person alone knows nothing of shoppers, and nobody here has an account
  const reads = all.filter(({ operation: { method, tag } }) => method === "GET" && tag !== "Account");

  async function walk(role: string): Promise<{ answered: string[]; leaking: string[]; foreign: string[] }> {
    const result = { answered: [] as string[], leaking: [] as string[], foreign: [] as string[] };
    for (const asked of reads) {
      t.passTime(60_000);
      const by = asked.operation.id.endsWith("Breakdown") ? "?by=channel" : "";
      const pii = asked.operation.id === "getEvent" && role === "owner" ? "?include_pii=true" : "";
      const headers = inStore(signedIn[role] as PersonHeaders, ours.store);
      const answer = await t.request("GET", addressOf(asked, withContact) + by + pii, { headers });
      expect([nameOf(asked), answer.status < 500]).toEqual([nameOf(asked), true]);
      if (answer.status === 200) result.answered.push(asked.operation.id);
      if (contacts.test(answer.text)) result.leaking.push(asked.operation.id);
      if (marks.some((mark) => answer.text.includes(mark))) result.foreign.push(asked.operation.id);
    }
    return result;
  }

  it("hold no contact but for owners, and nothing of another store, in any read there is [dashboard-api.contacts]", async () => {
    const owner = await walk("owner");
    for (const known of ["listProfiles", "getProfile", "getProfileTimeline", "getDelivery", "getEvent"])
      expect(owner.leaking).toContain(known);
    for (const role of ["analyst", "editor"]) {
      const { answered, leaking, foreign } = await walk(role);
      expect([role, leaking, foreign]).toEqual([role, [], []]);
      expect(answered.length).toBeGreaterThan(role === "analyst" ? 20 : 25);
    }
  });
});

it("and the other store is as it was [api.one-store]", async () => {
  // figures tell when they were made
  const still = (shown: ReadonlyMap<string, unknown>) =>
    [...shown].filter(([name]) => /^(list|get(Quiz|Profile|Webhook|Export|Version|Store)$)/.test(name));
  const links = /token=[^"]+|"download_url_expires_at":"[^"]+"/g;
  const text = (shown: ReadonlyMap<string, unknown>) => JSON.stringify(still(shown)).replaceAll(links, "");
  expect(text(await portrait(t, theirs))).toBe(text(before));
});
