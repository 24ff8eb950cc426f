import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Role } from "../../contract/roles.ts";
import { type Browser, signedIn } from "../../testkit/accounts.ts";
import { type Body, openTestApp, type TestApp } from "../../testkit/app.ts";
import { listen } from "../../testkit/raw-http.ts";
import { settleTenant, type Tenant } from "../../testkit/tenants.ts";

/** The tools with a person's token, by an MCP client that knows nothing of this program. */

let t: TestApp;
let url: string;
let own: Tenant;
let theirs: Tenant;
const people = new Map<Role, Browser>();
beforeAll(async () => {
  t = await openTestApp();
  url = `http://127.0.0.1:${await listen(t.app)}`;
  [own, theirs] = [await settleTenant(t, "own"), await settleTenant(t, "theirs")];
  for (const role of ["analyst", "editor", "owner"] as const)
    people.set(role, await signedIn(t, `${role}@mcp.example`, { store: own.store, role }));
}, 60_000);
afterAll(() => t.close());
beforeEach(() => t.passTime(600_000));

const browserOf = (role: Role): Browser => {
  const browser = people.get(role);
  if (!browser) throw new Error(`nobody is ${role}`);
  return browser;
};

async function tokenOf(role: Role): Promise<{ id: string; token: string }> {
  const expires_at = new Date(t.calendar.now() + 86_400_000).toISOString();
  const body = { name: "Assistant", store_id: own.store.id, expires_at };
  return (await browserOf(role).request("POST", "/me/tokens", { body })).body;
}

const toolOf =
  (token: string) =>
  async (name: string, input: Record<string, unknown> = {}): Promise<Body> => {
    const client = new Client({ name: "test", version: "1" });
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
    const { content } = await client.callTool({ name, arguments: input });
    await client.close();
    return JSON.parse((content as { text: string }[])[0]?.text ?? "null");
  };

describe("the tools with a personal token [mcp.person]", () => {
  it("read figures for an analyst, and nobody's contacts", async () => {
    const use = toolOf((await tokenOf("analyst")).token);
    const read = await use("where_shoppers_leave", { quiz_id: own.names.quiz, from: "2026-03-01", to: "2026-03-10" });
    const path = `/v1/quizzes/${own.names.quiz}/analytics/funnel?from=2026-03-01&to=2026-03-10`;
    expect(read.data.starts).toBe((await t.request("GET", path, { key: own.store.key })).body.starts);
    for (const [name, input] of [
      ["find_people", { search: {} }],
      ["read_person", { profile_id: own.names.person }],
    ] as const) {
      const refused = await use(name, input);
      expect(refused.data).toMatchObject({ refused: "insufficient_role", required: ["owner"] });
      expect(JSON.stringify(refused)).not.toContain("own.0@example.com");
    }
    expect((await use("draft_quiz", { name: "Mine" })).data.refused).toBe("insufficient_role");
  });

  it("find people for an owner, of the token's store alone", async () => {
    const use = toolOf((await tokenOf("owner")).token);
    expect((await use("find_people", { search: {} })).data.total).toBe(2);
    expect((await use("read_person", { profile_id: theirs.names.person })).data.refused).toBe("not_found");
    expect(JSON.stringify(await use("list_quizzes"))).not.toContain("theirs");
  });

  it("draft and publish for an editor: history and log name the person, and from where", async () => {
    const { id, token } = await tokenOf("editor");
    const use = toolOf(token);
    const { quiz_id, run_id } = (await use("draft_quiz", { name: "By token", holder: "Ed's assistant" })).data;
    const page = { page_key: "end", title: "End", kind: "result", components: [] };
    const changes = [{ op: "insert", path: "/pages", value: page }];
    expect((await use("change_draft", { quiz_id, run_id, changes })).data.errors).toBe(0);
    const { version_id } = (await use("finish_editing", { quiz_id, run_id, save: true })).data;
    const { approve } = (await use("publish_version", { quiz_id, version_id })).links;
    const path = new URL(approve).pathname.replace("/dashboard/", "/");
    const approved = await browserOf("editor").request("POST", `${path}/approve`, { store: own.store });
    expect(approved.status).toBe(200);
    expect((await use("publish_version", { quiz_id, version_id })).data.published).toBe(true);
    const history = await browserOf("editor").request("GET", `/quizzes/${quiz_id}/history`, { store: own.store });
    const told = history.body.data.map(({ source, by }: Body) => [source, by]);
    expect(told[0]).toEqual(["dashboard", "editor@mcp.example"]);
    expect(new Set(told.slice(1).map(String))).toEqual(new Set(["assistant,editor@mcp.example"]));
    const { body } = await browserOf("owner").request("GET", "/audit?limit=50", { store: own.store });
    const rows = body.data.filter(({ target }: Body) => target === version_id || target === quiz_id);
    expect(rows.length).toBeGreaterThan(2);
    for (const { actor, address, details } of rows.filter(({ action }: Body) => action !== "version.approved"))
      expect([actor.kind, actor.name, address, details.token]).toEqual([
        "person",
        "editor@mcp.example",
        "127.0.0.1",
        id,
      ]);
  });

  it("are refused to a token that ended, as to a wrong key", async () => {
    const { id, token } = await tokenOf("owner");
    await browserOf("owner").request("DELETE", `/me/tokens/${id}`);
    for (const bearer of [token, `${token}x`, "svc_user_"]) {
      const headers = { authorization: `Bearer ${bearer}`, accept: "application/json, text/event-stream" };
      const answer = await t.request("POST", "/mcp", {
        headers,
        body: { jsonrpc: "2.0", id: 1, method: "tools/list" },
      });
      expect([answer.status, answer.body.title]).toEqual([401, "invalid_api_key"]);
      expect(answer.headers["www-authenticate"]).toBe("Bearer");
    }
  });

  it("are charged to the person, and leave keys their share", async () => {
    const { token } = await tokenOf("analyst");
    const left = async (bearer: string) => {
      const headers = { authorization: `Bearer ${bearer}`, accept: "application/json, text/event-stream" };
      const answer = await t.request("POST", "/mcp", {
        headers,
        body: { jsonrpc: "2.0", id: 1, method: "tools/list" },
      });
      return Number(/remaining=(\d+)/.exec(String(answer.headers["ratelimit"]))?.[1]);
    };
    const [person, key] = [await left(token), await left(own.store.key)];
    expect(person - (await left(token))).toBe(1);
    expect(key - (await left(own.store.key))).toBe(1);
  });

  it("answer over standard input and output too [mcp.stdio]", async () => {
    const { token } = await tokenOf("analyst");
    const program = join(import.meta.dirname, "../main/quizstore.ts");
    const env = { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "/", QUIZSTORE_KEY: token };
    const client = new Client({ name: "test", version: "1" });
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [program, "mcp", "--url", url], env }),
    );
    const ask = async (name: string, input = {}) => {
      const { content } = await client.callTool({ name, arguments: input });
      return JSON.parse((content as { text: string }[])[0]?.text ?? "null");
    };
    const own_quiz = await ask("read_quiz", { quiz_id: own.names.quiz });
    expect(own_quiz.data.refused).toBeUndefined();
    expect((await ask("find_people", { search: {} })).data.refused).toBe("insufficient_role");
    await client.close();
  }, 60_000);
});
