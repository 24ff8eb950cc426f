import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { type FetchedProgram, findProgram } from "../../testkit/fetched-programs.ts";
import { newFixtureServer } from "../../testkit/mcp-fixtures.ts";
import { listen } from "../../testkit/raw-http.ts";
import { patience } from "../../testkit/slowness.ts";
import { triesOthers } from "../../testkit/sweeps.ts";
import { readConfig } from "../platform/config.ts";

/** The protocol's own conformance suite and its inspector, at `/mcp` over HTTP. */

const run = promisify(execFile);

let t: TestApp;
let store: TestStore;
let suite: FetchedProgram | null;
let product: string;
let fixtures: string;
beforeAll(async () => {
  const config = { ...readConfig({ BASE_URL: "http://localhost:8080" }) };
  [t, suite] = await Promise.all([openTestApp({ config }), findProgram("MCP conformance suite")]);
  store = await t.store({ plan: "enterprise" });
  await t.update(store, { limits: { capacity: 1_000_000 } });
  product = await open(t.app);
  fixtures = await open(t.compose({ newMcpServer: newFixtureServer }));
}, 120_000);
afterAll(() => t.close());

/** The suite cannot send a key; everything past that is as for anybody. */
async function open(app: FastifyInstance): Promise<string> {
  app.server.prependListener("request", ({ headers }) => {
    headers.authorization ??= `Bearer ${store.key}`;
  });
  return `http://localhost:${await listen(app)}/mcp`;
}

/** What the suite says of each scenario: `server-initialize: 1 passed, 0 failed`. */
async function scenarios(url: string): Promise<Map<string, string>> {
  const args = [...(suite?.args ?? []), "server", "--url", url, "--suite", "all"];
  // scenarios that fail make it end with 1
  const { stdout } = await run(suite?.program ?? "", args, { timeout: 120_000 }).catch((failed) => failed);
  const lines: string[] = String(stdout).slice(String(stdout).indexOf("=== SUMMARY ===")).split("\n");
  return new Map(
    lines.flatMap((line) => {
      const [, name, verdict] = /^[✓✗] ([\w-]+): (.+)$/.exec(line) ?? [];
      return name && verdict ? [[name, verdict] as const] : [];
    }),
  );
}

describe("the conformance suite [mcp.conforms]", () => {
  it("passes for what the product offers, which is tools", async ({ skip }) => {
    if (!suite) return skip("the suite is not here");
    const found = await scenarios(product);
    const offered = ["server-initialize", "ping", "tools-list", "dns-rebinding-protection"];
    expect(offered.map((name) => [name, found.get(name)])).toEqual([
      ["server-initialize", "1 passed, 0 failed"],
      ["ping", "1 passed, 0 failed"],
      ["tools-list", "1 passed, 0 failed"],
      ["dns-rebinding-protection", "2 passed, 0 failed"],
    ]);
  }, 180_000);

  it.runIf(triesOthers)(
    "passes with its own tools, resources and prompts behind the same address, but for what needs a session",
    async ({ skip }) => {
      if (!suite) return skip("the suite is not here");
      const found = await scenarios(fixtures);
      const failed = [...found].filter(([, verdict]) => !verdict.endsWith(" 0 failed")).map(([name]) => name);
      expect(failed.toSorted()).toEqual([
        "elicitation-sep1034-defaults",
        "elicitation-sep1330-enums",
        "tools-call-elicitation",
        "tools-call-sampling",
      ]);
      expect(found.size).toBe(32);
    },
    180_000,
  );
});

describe.runIf(triesOthers)("the inspector [mcp.conforms]", () => {
  const program = join(import.meta.dirname, "../main/quizstore.ts");

  it.for(["http", "stdio"])("lists the tools and calls one over %s", { timeout: 180_000 }, async (way, { skip }) => {
    const inspector = await findProgram("MCP inspector");
    if (!inspector) return skip("the inspector is not here");
    const home = await mkdtemp(join(tmpdir(), "quizstore-inspector-"));
    const inspect = async (...words: string[]) => {
      const server =
        way === "http"
          ? [product, "--header", `Authorization: Bearer ${store.key}`]
          : ["-e", `QUIZSTORE_KEY=${store.key}`, process.execPath, program, "mcp", "--url", new URL(product).origin];
      const env = { PATH: process.env["PATH"], HOME: home };
      const args = [...inspector.args, "--cli", ...words, ...server];
      return JSON.parse((await run(inspector.program, args, { env, timeout: 60_000 * patience })).stdout);
    };
    const { tools } = await inspect("--method", "tools/list");
    expect(tools.map(({ name }: { name: string }) => name)).toContain("where_shoppers_leave");
    const { content, isError } = await inspect("--method", "tools/call", "--tool-name", "list_quizzes");
    await rm(home, { recursive: true });
    expect([isError, JSON.parse(content[0].text).data.store.name]).toEqual([false, "Shop 1"]);
  });
});
