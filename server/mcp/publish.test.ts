import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Browser, signedIn } from "../../testkit/accounts.ts";
import { type Body, openTestApp, type TestApp } from "../../testkit/app.ts";
import { makeQuiz } from "../../testkit/quizzes.ts";
import { listen } from "../../testkit/raw-http.ts";
import { settleTenant, type Tenant } from "../../testkit/tenants.ts";

/** Publishing by tools: a person confirms, at a client that can ask them or in the dashboard. */

let t: TestApp;
let url: string;
let own: Tenant;
let editor: Browser;
let token: string;
beforeAll(async () => {
  t = await openTestApp();
  url = `http://127.0.0.1:${await listen(t.app)}`;
  own = await settleTenant(t, "own");
  editor = await signedIn(t, "editor@mcp.example", { store: own.store, role: "editor" });
  const expires_at = new Date(t.calendar.now() + 86_400_000 * 30).toISOString();
  const body = { name: "Assistant", store_id: own.store.id, expires_at };
  token = (await editor.request("POST", "/me/tokens", { body })).body.token;
}, 60_000);
afterAll(() => t.close());
beforeEach(() => t.passTime(600_000));

interface Asking {
  key?: string;
  /** how the person at the client answers; without it the client cannot ask */
  person?: (message: string) => object | Promise<object>;
  way?: "http" | "stdio";
  legacy?: boolean;
  capabilities?: object;
}

const yes = { action: "accept", content: { agreed: true } };

async function call(name: string, input: object, { key, person, way = "http", legacy, capabilities }: Asking = {}) {
  t.passTime(20_000);
  const elicitation = person ? { elicitation: { form: {} } } : {};
  const client = new Client(
    { name: "test", version: "1" },
    { capabilities: capabilities ?? elicitation, versionNegotiation: { mode: legacy ? "legacy" : "auto" } },
  );
  if (person)
    client.setRequestHandler(
      "elicitation/create",
      // what a person answers is the test's; the library checks it
      ({ params }) => person((params as { message: string }).message) as never,
    );
  const bearer = key ?? own.store.key;
  const program = join(import.meta.dirname, "../main/quizstore.ts");
  const env = { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "/", QUIZSTORE_KEY: bearer };
  await client.connect(
    way === "stdio"
      ? new StdioClientTransport({ command: process.execPath, args: [program, "mcp", "--url", url], env })
      : new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
          requestInit: { headers: { authorization: `Bearer ${bearer}` } },
        }),
  );
  try {
    const { content } = await client.callTool({ name, arguments: { ...input } });
    return JSON.parse((content as { text: string }[])[0]?.text ?? "null") as Body;
  } finally {
    await client.close();
  }
}

/** A quiz with a live version and one saved after it. */
async function twoVersions() {
  const { id: quiz_id, versionId } = await makeQuiz(t, own.store, { publish: true });
  const save = () => t.request("POST", `/v1/quizzes/${quiz_id}/versions`, { key: own.store.key, body: {} });
  return { quiz_id, first: versionId, version_id: (await save()).body.id as string, save };
}
const liveOf = async (quiz_id: string) =>
  (await t.request("GET", `/v1/quizzes/${quiz_id}`, { key: own.store.key })).body.published_version;
const publishDirectly = (quiz_id: string, version_id: string) =>
  t.request("POST", `/v1/quizzes/${quiz_id}/versions/${version_id}/publish`, { key: own.store.key });

const decidePath = (link: string) => `/approvals/${new URL(link).pathname.split("/").at(-1)}`;
const approve = (link: string, who = editor, store = own.store) =>
  who.request("POST", `${decidePath(link)}/approve`, { store });

describe("a client that can ask its person [mcp.publish]", () => {
  it.for([
    ["http", false],
    ["stdio", false],
    ["stdio", true],
  ] as const)(
    "publishes once they agree, over %s, in the older protocol: %s",
    { timeout: 60_000 },
    async ([way, legacy]) => {
      const { quiz_id, version_id, first } = await twoVersions();
      const told: string[] = [];
      const answers = (answer: object) => ({
        way,
        legacy,
        person: (message: string) => {
          told.push(message);
          return answer;
        },
      });
      for (const no of [
        { action: "decline" },
        { action: "cancel" },
        { action: "accept", content: { agreed: false } },
      ]) {
        const { data } = await call("publish_version", { quiz_id, version_id }, answers(no));
        expect([data.published, data.declined_by_person]).toEqual([false, true]);
      }
      expect(await liveOf(quiz_id)).toBe(first);
      const { data } = await call("publish_version", { quiz_id, version_id }, answers(yes));
      expect([data.published, await liveOf(quiz_id)]).toEqual([true, version_id]);
      expect(told).toHaveLength(4);
      expect(told[0]).toMatch(/^Publish version 2 of the quiz ".+"\? Shoppers see it at once\. It replaces/);
    },
  );

  it("is not asked by what an assistant writes, and cannot answer in its input", async () => {
    const { quiz_id, version_id, first } = await twoVersions();
    let asked = 0;
    const person = () => {
      asked += 1;
      return { action: "decline" };
    };
    const confirm = `publish version 2 in the place of ${first}`;
    for (const more of [{ confirm }, { confirm: "yes" }]) {
      const { data } = await call("publish_version", { quiz_id, version_id, ...more }, { person });
      expect(data.published).toBe(false);
      expect((await call("publish_version", { quiz_id, version_id, ...more })).data.published).toBe(false);
    }
    expect([asked, await liveOf(quiz_id)]).toEqual([2, first]);
  });

  it("is asked again where something else went live while the person read", async () => {
    const { quiz_id, version_id, save } = await twoVersions();
    const other = (await save()).body.id;
    let asked = 0;
    const person = async () => {
      asked += 1;
      if (asked === 1) await publishDirectly(quiz_id, other);
      return asked === 1 ? yes : { action: "decline" };
    };
    const { data } = await call("publish_version", { quiz_id, version_id }, { person });
    expect([data.published, asked, await liveOf(quiz_id)]).toEqual([false, 2, other]);
  });
});

describe("a client that cannot ask [mcp.publish, mcp.approval-bound]", () => {
  it("gets a link, by which a signed-in person approves once", async () => {
    for (const asking of [{}, { legacy: true }, { key: token }, { capabilities: { elicitation: { url: {} } } }]) {
      const { quiz_id, version_id, first } = await twoVersions();
      const asked = await call("publish_version", { quiz_id, version_id }, asking);
      expect([asked.data.published, await liveOf(quiz_id)]).toEqual([false, first]);
      const { approve: link } = asked.links;
      expect(link).toMatch(/^http:\/\/api\.test\/dashboard\/approvals\/appr_[0-9a-f]{32}\?store=store_/);
      // asking again says the same
      expect((await call("publish_version", { quiz_id, version_id }, asking)).links.approve).toBe(link);
      const { body } = await editor.request("GET", decidePath(link), { store: own.store });
      expect(body).toMatchObject({
        status: "open",
        quiz_id,
        version: { number: 2 },
        live: { number: 1 },
        replaces: first,
      });
      expect([(await approve(link)).body.status, await liveOf(quiz_id)]).toEqual(["published", version_id]);
      expect((await call("publish_version", { quiz_id, version_id }, asking)).data.published).toBe(true);
      // used up: what it approved is not published again after somebody went back
      expect((await publishDirectly(quiz_id, first)).status).toBe(200);
      expect((await approve(link)).body.title).toBe("conflict");
      expect(await liveOf(quiz_id)).toBe(first);
    }
  }, 60_000);

  it("learns that a person declined, and gets no other link for it meanwhile", async () => {
    const { quiz_id, version_id, first } = await twoVersions();
    const { approve: link } = (await call("publish_version", { quiz_id, version_id })).links;
    const declined = await editor.request("POST", `${decidePath(link)}/decline`, { store: own.store });
    expect([declined.status, declined.body.status]).toEqual([200, "declined"]);
    const again = await call("publish_version", { quiz_id, version_id });
    expect([again.data.published, again.data.declined_by_person, again.links.approve]).toEqual([
      false,
      true,
      undefined,
    ]);
    expect((await approve(link)).status).toBe(409);
    expect(await liveOf(quiz_id)).toBe(first);
    t.calendar.advance(10 * 60_000 + 1);
    expect((await call("publish_version", { quiz_id, version_id })).links.approve).not.toBe(link);
  });

  it("cannot have it approved after ten minutes, or once another version is live", async () => {
    const { quiz_id, version_id, first, save } = await twoVersions();
    const late = (await call("publish_version", { quiz_id, version_id })).links.approve;
    t.calendar.advance(10 * 60_000);
    expect((await editor.request("GET", decidePath(late), { store: own.store })).body.status).toBe("expired");
    expect([(await approve(late)).status, await liveOf(quiz_id)]).toEqual([409, first]);
    const outdated = (await call("publish_version", { quiz_id, version_id })).links.approve;
    const other = (await save()).body.id;
    await publishDirectly(quiz_id, other);
    expect((await editor.request("GET", decidePath(outdated), { store: own.store })).body.status).toBe("outdated");
    expect([(await approve(outdated)).status, await liveOf(quiz_id)]).toEqual([409, other]);
  });

  it("cannot approve it itself, nor can anybody without the right, or of another store", async () => {
    const { quiz_id, version_id, first } = await twoVersions();
    const { approve: link } = (await call("publish_version", { quiz_id, version_id })).links;
    const path = `/dashboard/api${decidePath(link)}/approve`;
    for (const bearer of [own.store.key, token]) {
      const headers = { authorization: `Bearer ${bearer}`, "quizstore-store": own.store.id };
      const { status, body } = await t.request("POST", path, { headers });
      expect([status, body.title]).toEqual([401, "not_signed_in"]);
    }
    const analyst = await signedIn(t, "analyst@mcp.example", { store: own.store, role: "analyst" });
    expect((await approve(link, analyst)).body.title).toBe("insufficient_role");
    const other = await t.store({ plan: "enterprise" });
    const stranger = await signedIn(t, "stranger@mcp.example", { store: other, role: "owner" });
    expect((await approve(link, stranger)).status).toBe(404);
    expect((await approve(link, stranger, other)).status).toBe(404);
    expect(await liveOf(quiz_id)).toBe(first);
    // by the operation for programs an approval is of its own version and quiz
    const [id] = [new URL(link).pathname.split("/").at(-1)];
    const wrong = await twoVersions();
    const body = { approval_id: id };
    const refused = await t.request("POST", `/v1/quizzes/${wrong.quiz_id}/versions/${wrong.version_id}/publish`, {
      ...{ key: own.store.key, body },
    });
    expect([refused.status, await liveOf(wrong.quiz_id)]).toEqual([404, wrong.first]);
    const theirs = await makeQuiz(t, other, { publish: true });
    const saved = await t.request("POST", `/v1/quizzes/${theirs.id}/versions`, { key: other.key, body: {} });
    const foreign = await t.request("POST", `/v1/quizzes/${theirs.id}/versions/${saved.body.id}/publish`, {
      ...{ key: other.key, body },
    });
    expect([foreign.status, foreign.body.title]).toEqual([404, "not_found"]);
  });

  it("leaves in the log and the history who asked, who approved and who declined [dashboard-api.audit]", async () => {
    const owner = await signedIn(t, "owner@mcp.example", { store: own.store, role: "owner" });
    const { quiz_id, version_id } = await twoVersions();
    const { approve: link } = (await call("publish_version", { quiz_id, version_id }, { key: token })).links;
    t.calendar.advance(1_000);
    await approve(link, owner);
    const { body } = await owner.request("GET", "/audit?limit=50", { store: own.store });
    const rows = body.data.filter(({ target }: Body) => target === version_id);
    expect(rows.map(({ action, actor, details }: Body) => [action, actor.name, details.requested_by])).toEqual([
      ["version.approved", "owner@mcp.example", "editor@mcp.example"],
      ["version.approval_requested", "editor@mcp.example", undefined],
    ]);
    const history = await owner.request("GET", `/quizzes/${quiz_id}/history`, { store: own.store });
    expect(history.body.data[0]).toMatchObject({ action: "published", by: "owner@mcp.example", source: "dashboard" });
  });
});

it("no tool takes a confirmation from an assistant [mcp.publish]", async () => {
  const client = new Client({ name: "test", version: "1" });
  const requestInit = { headers: { authorization: `Bearer ${own.store.key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
  const { tools } = await client.listTools();
  await client.close();
  const publishing = tools.filter(({ annotations }) => annotations?.destructiveHint).map(({ name }) => name);
  expect(publishing).toEqual(["publish_version"]);
  const confirming = tools.flatMap(({ name, inputSchema }) =>
    Object.entries(inputSchema.properties ?? {})
      .filter(([field]) => /confirm|agree|approv|consent|force/.test(field))
      .map(([field, shape]) => [name, field, (shape as { description?: string }).description]),
  );
  expect(confirming).toEqual([["publish_version", "confirm", "Has no effect any more: a person confirms"]]);
});
