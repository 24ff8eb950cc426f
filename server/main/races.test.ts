import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { storeOperations } from "../../contract/api.ts";
import { dashboardOperations } from "../../contract/dashboard/index.ts";
import type { Operation } from "../../contract/operation.ts";
import { type Role, roles, rolesFrom, rolesWith } from "../../contract/roles.ts";
import { testStoreOperations } from "../../contract/test-stores.ts";
import { type Browser, signedIn } from "../../testkit/accounts.ts";
import { type Answered, type Body, openTestApp, type TestApp } from "../../testkit/app.ts";
import { postWebhook } from "../../testkit/commerce.ts";
import { writtenOnEveryNode } from "../../testkit/node-writes.ts";
import { homeOf, withoutNode } from "../../testkit/nodes.ts";
import { changedTables, type RacingApp, racingApp, WholeDatabase } from "../../testkit/races.ts";
import { settleTenant, type Tenant } from "../../testkit/tenants.ts";
import { changeRole, removeMember } from "../accounts/memberships.ts";
import { endSessions } from "../accounts/sessions.ts";
import { codeOf, stepAt } from "../accounts/totp.ts";
import { disableUser } from "../accounts/users.ts";
import { endVisit } from "../dashboard/support.ts";
import { cancelExports } from "../exports/end-exports.ts";
import { parseId } from "../platform/ids.ts";
import { disconnect } from "./disconnect.ts";

/**
 * Every operation that changes something, whose caller loses the right to it between the request's admission and its
 * transaction; made from the contract, so that none is left out [dashboard-api.rights-kept].
 */

/** What the request needs beyond the contract's own example. */
interface Entry {
  /** instead of the tenant's own names */
  path?: Record<string, string>;
  body?: unknown;
  headers?: Record<string, string>;
  /** the least role that may do this, if the body decides */
  role?: Role;
}

/** Operations that change nothing of a store, or nothing that anybody has a right to lose. */
const exempt: Readonly<Record<string, string>> = {
  searchProfiles: "reads",
  testCommerce: "reads",
  lintDraft: "reads",
  previewRuledProducts: "reads",
  nameProducts: "reads",
  signIn: "for everybody; the password is compared again under the lock",
  acceptLink: "for everybody; the link is looked at again under the lock",
  mailLink: "for everybody",
  signOut: "ends what is the person's own",
  endSession: "ends what is the person's own",
  endAllSessions: "ends what is the person's own",
  revokeToken: "ends what is the person's own",
};

/** Operations for which the tenant's names and the contract's example of a body are enough. */
const asTheirExample = [
  ...["deleteQuiz", "archiveQuiz", "unarchiveQuiz", "saveVersion", "publishVersion", "createQuizDraft"],
  ...["createPreview", "previewQuiz", "createQuiz", "duplicateQuiz", "createWebhook", "deleteWebhook", "redeliver"],
  ...["redeliverFailed", "revealSecret", "rotateSecret", "pingWebhook", "createInvitation", "updateSettings"],
  ...["setCommerceSecret", "rotateCommerceSecret", "createKey", "revokeKey", "eraseProfile", "updateMe", "confirmMe"],
  ...["setPassword", "beginTotp", "removeTotp", "createStore", "updateStore", "disconnectStore", "beginSupport"],
  ...["endSupport", "moveTestClock", "emptyTestStore"],
];

let t: TestApp;
let racing: RacingApp;
let whole: WholeDatabase;
let own: Tenant;
let entries: Record<string, Entry>;
/** of the person whose rights end, as owner, editor and analyst */
const browsers = new Map<Role | "operator", Browser>();
const ids = new Map<Role | "operator", string>();
const tokens = new Map<Role, string>();
let testKey: string;

const uuid = (prefix: "user" | "store", id: string | undefined): string => parseId(prefix, id ?? "") ?? "";
const found = <Value>(value: Value | undefined): Value => {
  if (value === undefined) throw new Error("nothing was settled for that");
  return value;
};

// authenticator apps count real time: here it stands still
const unixMs = 1_770_000_000_000;

beforeAll(async () => {
  t = await openTestApp({ unixNow: () => unixMs });
  racing = racingApp(t);
  own = await settleTenant(t, "own");
  const { store } = own;
  for (const role of roles) await settlePerson(role);
  const operator = await signedIn(t, "operator@race.example", { operator: true, password: "a long pass phrase" });
  browsers.set("operator", operator);
  ids.set("operator", (await operator.request("GET", "/me")).body.person.id);
  const other = await t.store();
  await t.database.transaction((tx) => disconnect(tx, t.foundations, other.uuid));
  await operator.request("POST", `/operator/stores/${store.id}/support`, { body: { reason: "Asked to" } });
  testKey = await t.key(store, ["quizzes:read"], { test: true });
  const spare = await signedIn(t, "other@race.example", { store, role: "owner" });
  const spareId = (await spare.request("GET", "/me")).body.person.id;
  const invitation = await spare.request("POST", "/invitations", {
    store,
    body: { email: "open@race.example", role: "analyst" },
  });
  await postWebhook(t, store, {
    topic: "customers/data_request",
    payload: { customer: { id: 1, email: "asks@example.com", phone: null }, orders_requested: [9] },
  });
  const request = (await spare.request("GET", "/data-requests", { store })).body.data[0];
  const key = { key: store.key };
  const drafted = await t.request("POST", "/v1/quizzes", { ...key, body: { name: "Draft", template_id: "finder" } });
  const quiz_id = drafted.body.quiz_id;
  const run = await t.request("POST", `/v1/quizzes/${quiz_id}/draft/run`, { ...key, body: {} });
  const { run_id } = run.body;
  const drafted2 = await spare.request("POST", "/quizzes", { store, body: { name: "Mine", template_id: "finder" } });
  const mine = drafted2.body.quiz_id;
  const draft = await spare.request("GET", `/quizzes/${mine}/draft`, { store });
  const published = await spare.request("GET", `/quizzes/${own.names.quiz}/draft`, { store });
  const tag = { "if-match": String(draft.headers["etag"]) };
  const expires_at = new Date(t.calendar.now() + 86_400_000).toISOString();
  const inDraft = { path: { quiz_id } };
  const versions = `/v1/quizzes/${own.names.quiz}/versions`;
  const saved = [await t.request("POST", versions, key), await t.request("POST", versions, key)];
  const [asked, unasked] = saved.map(({ body }) => body.id);
  const approval = await t.request("POST", `${versions}/${asked}/approvals`, key);
  const ofApproval = { path: { approval_id: approval.body.id } };
  // exports under way keep another from being requested
  await t.database.transaction((tx) => cancelExports(tx, store.uuid, t.calendar.now()));
  const totp = await found(browsers.get("owner")).request("POST", "/me/totp");
  entries = {
    ...Object.fromEntries(asTheirExample.map((id) => [id, {}])),
    beginDraftRun: { path: { quiz_id: mine } },
    changeQuizDraft: { ...inDraft, body: { run_id, name: "Renamed by a run", changes: [] } },
    endDraftRun: { ...inDraft, body: { run_id } },
    endAssistantRun: inDraft,
    putDraft: { path: { quiz_id: mine }, headers: tag, body: draft.body.document },
    requestApproval: { path: { version_id: unasked } },
    approvePublishing: ofApproval,
    declinePublishing: ofApproval,
    publishDraft: { path: { quiz_id: mine }, headers: tag },
    restoreVersion: { headers: { "if-match": String(published.headers["etag"]) } },
    createExport: { body: { dataset: "profiles" }, role: "owner" },
    updateWebhook: { body: { topics: ["quiz.finished"], include_pii: false } },
    updateMember: { path: { user_id: spareId } },
    removeMember: { path: { user_id: spareId } },
    revokeInvitation: { path: { invitation_id: invitation.body.id } },
    closeDataRequest: { path: { request_id: request.request_id } },
    confirmTotp: { body: { code: codeOf(totp.body.secret, stepAt(unixMs)) } },
    createToken: { body: { name: "Assistant", store_id: store.id, expires_at } },
    reconnectStore: { path: { store_id: other.id } },
  };
  whole = new WholeDatabase(t.connection);
  await whole.keep();
}, 120_000);
afterAll(async () => {
  await whole.close();
  await t.close();
});
beforeEach(() => t.passTime(600_000));
afterEach(() => whole.restore());

async function settlePerson(role: Role): Promise<void> {
  const { store } = own;
  const browser = await signedIn(t, `${role}@race.example`, { store, role, password: "a long pass phrase" });
  browsers.set(role, browser);
  ids.set(role, (await browser.request("GET", "/me")).body.person.id);
  const expires_at = new Date(t.calendar.now() + 86_400_000).toISOString();
  const body = { name: "Assistant", store_id: store.id, expires_at };
  tokens.set(role, (await browser.request("POST", "/me/tokens", { body })).body.token);
}

interface Asked {
  operation: Operation;
  path: string;
}

const changes = ({ operation: { method, id } }: Asked): boolean => method !== "GET" && !(id in exempt);
const mounted = storeOperations.map((operation) => ({ operation, path: `/dashboard/api${operation.path}` }));
const all: Asked[] = [
  ...mounted,
  ...dashboardOperations.map((operation) => ({ operation, path: operation.path })),
  ...testStoreOperations.map((operation) => ({ operation: operation as Operation, path: operation.path })),
].filter(changes);

function sent({ operation, path }: Asked, headers: Record<string, string>): Promise<Answered> {
  const entry = found(entries[operation.id]);
  const { quiz, version, person, endpoint, delivery, key, store } = own.names;
  const known: Record<string, string> = {
    ...{ quiz_id: quiz, version_id: version, profile_id: person, endpoint_id: endpoint, delivery_id: delivery },
    ...{ key_id: key, store_id: store },
    ...entry.path,
  };
  const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => found(known[name]));
  const body = "body" in entry ? entry.body : operation.bodyExample;
  return racing.request(operation.method, url, {
    headers: { ...entry.headers, ...headers },
    ...(body === undefined ? {} : { body }),
  });
}

const shown = ({ status, body }: Answered): string => (status < 300 ? "done" : `${status} ${body?.title}`);

/** Sends it while the right is lost: nothing is done, and the answer is the one that it would have been afterwards. */
async function raced(asked: Asked, headers: Record<string, string>, lose: () => Promise<unknown>): Promise<string> {
  const control = await racing.tried(() => sent(asked, headers));
  expect([asked.operation.id, shown(control), control.text.slice(0, 300 * Number(control.status >= 300))]).toEqual([
    ...[asked.operation.id, "done", ""],
  ]);
  let before = await whole.rows();
  racing.meanwhile(async () => {
    await lose();
    before = await whole.rows();
  });
  const answer = await sent(asked, headers);
  expect(racing.hasRun()).toBe(true);
  expect([asked.operation.id, changedTables(before, await whole.rows())]).toEqual([asked.operation.id, []]);
  t.passTime(60_000);
  const afterwards = await sent(asked, headers);
  expect([shown(answer), answer.body?.required]).toEqual([shown(afterwards), afterwards.body?.required]);
  return shown(answer);
}

const inStore = (browser: Browser | undefined): Record<string, string> => ({
  ...{ cookie: found(browser).cookie(), "sec-fetch-site": "same-origin", "quizstore-store": own.store.id },
});
const bearer = (text: string | undefined) => ({ authorization: `Bearer ${found(text)}` });
const userOf = (role: Role | "operator") => uuid("user", ids.get(role));
const now = () => new Date(t.calendar.now());
const ofStore = () => own.store.uuid;
const remove = (role: Role) => () =>
  t.database.transaction((tx) => removeMember(tx.forStore(ofStore()), userOf(role), now()));
const demote = (role: Role) => () => {
  const lower = found(roles[roles.indexOf(role) - 1]);
  return t.database.transaction((tx) => changeRole(tx.forStore(ofStore()), userOf(role), lower, now()));
};
const disconnected = () => t.database.transaction((tx) => disconnect(tx, t.foundations, ofStore()));
const disable = (role: Role | "operator") => () => {
  const deps = { ...t.foundations, baseUrl: t.foundations.config.baseUrl };
  return t.database.transaction((tx) => disableUser(tx, deps, `${role}@race.example`));
};
const leave = () => {
  const operator = { userId: userOf("operator"), email: "operator@race.example" };
  return t.database.transaction((tx) => endVisit(tx, operator, { storeId: ofStore(), now: t.calendar.now() }));
};

/** The least role that may: losing it means the next lower one. */
function leastRole({ operation: { id, access, scope } }: Asked): Role {
  const { role } = found(entries[id]);
  if (role) return role;
  const byRole = access?.to === "member" ? rolesFrom(access.role) : [...roles];
  const byScope = scope === null ? [...roles] : rolesWith(scope);
  return found(byRole.find((each) => byScope.includes(each)));
}

it("every changing operation of the contract has an entry, or a reason to have none [dashboard-api.rights-kept]", () => {
  expect(all.map(({ operation }) => operation.id).filter((id) => !(id in entries))).toEqual([]);
  const known = new Set([...all.map(({ operation }) => operation.id)]);
  expect(Object.keys(entries).filter((id) => !known.has(id))).toEqual([]);
});

const isMember = ({ operation: { access } }: Asked) => access === undefined || access.to === "member";
const ofMembers = all.filter((asked) => isMember(asked) && asked.operation.ofTestStores === undefined);

describe.each(ofMembers.map((asked) => [asked.operation.id, asked] as const))("%s", (_id, asked) => {
  it("does nothing for a person who is removed, demoted, disabled or disconnected meanwhile [dashboard-api.rights-kept]", async () => {
    const role = leastRole(asked);
    const headers = inStore(browsers.get(role));
    for (const [lose, refusal] of [
      [remove(role), "404 not_found"],
      [demote(role), "403 insufficient_role"],
      [disconnected, "404 not_found"],
      [disable(role), "401 not_signed_in"],
    ] as const) {
      expect(await raced(asked, headers, lose)).toBe(refusal);
      await whole.restore();
      t.passTime(60_000);
    }
  });

  it("does nothing for an operator whose visit ends meanwhile [dashboard-api.rights-kept]", async () => {
    expect(await raced(asked, inStore(browsers.get("operator")), leave)).toBe("403 insufficient_role");
  });
});

const ofPrograms = ofMembers.filter(({ operation }) => operation.access === undefined);
describe.each(ofPrograms.map((asked) => [asked.operation.id, asked] as const))("%s", (_id, asked) => {
  it("does nothing for a program whose person or store goes meanwhile [dashboard-api.rights-kept]", async () => {
    const byKey = { ...asked, path: asked.operation.path };
    expect(await raced(byKey, bearer(own.store.key), disconnected)).toBe("401 invalid_api_key");
    if (asked.operation.secret) return;
    const role = leastRole(asked);
    for (const [lose, refusal] of [
      [remove(role), "401 invalid_api_key"],
      [demote(role), "403 insufficient_role"],
      [disconnected, "401 invalid_api_key"],
    ] as const) {
      await whole.restore();
      t.passTime(60_000);
      expect(await raced(asked, bearer(tokens.get(role)), lose)).toBe(refusal);
    }
  });
});

const ofTwins = all.filter(({ operation }) => operation.ofTestStores);
it.each(ofTwins.map((asked) => [asked.operation.id, asked] as const))(
  "%s does nothing for a test key whose store is disconnected meanwhile [dashboard-api.rights-kept]",
  async (_id, asked) => {
    expect(await raced(asked, bearer(testKey), disconnected)).toBe("401 invalid_api_key");
  },
);

const ofPeople = all.filter(({ operation: { access } }) => access?.to === "person" || access?.to === "operator");
it.each(ofPeople.map((asked) => [asked.operation.id, asked] as const))(
  "%s does nothing for a person who is disabled or signed out meanwhile [dashboard-api.rights-kept]",
  async (_id, asked) => {
    const who = asked.operation.access?.to === "operator" ? "operator" : "owner";
    const { "quizstore-store": _, ...headers } = inStore(browsers.get(who));
    expect(await raced(asked, headers, disable(who))).toBe("401 not_signed_in");
    if (who === "operator") return;
    await whole.restore();
    t.passTime(60_000);
    const ended = () => endSessions(t.database.reader(), userOf(who));
    expect(await raced(asked, headers, ended)).toBe("401 not_signed_in");
  },
);

/** What changes the stores themselves, which every node of a cluster has. */
const ofStores = [
  ...["createStore", "disconnectStore", "emptyTestStore", "moveTestClock", "reconnectStore", "rotateCommerceSecret"],
  ...["setCommerceSecret", "updateSettings", "updateStore"],
];

const byTheirs = (asked: Asked): Promise<Answered> => {
  const { access, ofTestStores } = asked.operation;
  const who = access?.to === "operator" ? "operator" : "owner";
  return sent(asked, ofTestStores ? bearer(testKey) : inStore(browsers.get(who)));
};

it("nothing but what changes the stores themselves writes or locks what every node of a cluster has [operations.node-writes]", async () => {
  const writing: string[] = [];
  for (const asked of all) {
    const tables = await writtenOnEveryNode(async () => {
      expect([asked.operation.id, shown(await byTheirs(asked))]).toEqual([asked.operation.id, "done"]);
    });
    if (tables.length > 0) writing.push(asked.operation.id);
    await whole.restore();
    t.passTime(600_000);
  }
  expect(writing.sort()).toEqual(ofStores);
}, 120_000);

const workers = inject("workers");
it.runIf(workers.length > 0)(
  "everything but that is done while the node of other stores is away [operations.node-writes, operations.node-away]",
  async () => {
    const home = await homeOf(t.connection, workers, own.store.uuid);
    const other = found(workers.find((port) => port !== home.port));
    for (const asked of all.filter(({ operation }) => !ofStores.includes(operation.id))) {
      const answer = await withoutNode(t.connection, other, () => byTheirs(asked));
      expect([asked.operation.id, shown(answer)]).toEqual([asked.operation.id, "done"]);
      await whole.restore();
      t.passTime(600_000);
    }
  },
  300_000,
);

describe("an assistant's lease", () => {
  const bodyOf = (answer: Answered): Body => answer.body;
  const ofQuizzes = all.filter(({ path }) => path.includes("{quiz_id}"));
  it.each(ofQuizzes.map((asked) => [asked.operation.id, asked] as const))(
    "that begins or ends meanwhile is met as if it had before: %s [dashboard-api.rights-kept, quizzes.ai-run]",
    async (id, asked) => {
      const quiz = found(entries[id]).path?.["quiz_id"] ?? own.names.quiz;
      const holder = { key: own.store.key };
      const run = `/v1/quizzes/${quiz}/draft/run`;
      const isHeld = bodyOf(await t.request("GET", `/v1/quizzes/${quiz}/draft`, holder)).assistant !== null;
      const browser = found(browsers.get("owner"));
      const ended = () => browser.request("POST", `/quizzes/${quiz}/assistant/end`, { store: own.store });
      const begun = () => t.request("POST", run, { ...holder, body: { holder: "Another" } });
      const change = isHeld ? ended : begun;
      racing.meanwhile(change);
      const answer = await sent(asked, inStore(browser));
      expect(racing.hasRun()).toBe(true);
      await whole.restore();
      t.passTime(60_000);
      await change();
      expect(shown(answer)).toBe(shown(await sent(asked, inStore(browser))));
      if (["changeQuizDraft", "putDraft", "publishDraft"].includes(id)) expect(answer.status).toBe(409);
    },
  );
});
