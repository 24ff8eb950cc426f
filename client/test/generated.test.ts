import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { operations } from "../../contract/api.ts";
import { publishDraft, putDraft } from "../../dashboard/api/generated.ts";
import { generatedFiles, root } from "../../scripts/client-code/files.ts";
import { quizStore } from "../src/bound.ts";
import type { Client, Route } from "../src/core.ts";
import * as offered from "../src/index.ts";
import { answering, json } from "./answers.ts";

describe("what is generated [client.generated]", () => {
  it("is committed as the contract makes it (npm run client)", async () => {
    const files = await generatedFiles();
    expect([...files.keys()]).toContain("dashboard/api/generated.ts");
    for (const [path, text] of files) expect([path, await readFile(join(root, path), "utf8")]).toEqual([path, text]);
  }, 60_000);

  it("sends a change of what somebody read again only where a repeat is told from somebody else's [client.retries]", async () => {
    const routes: Route[] = [];
    const client: Client = {
      send: async (route) => {
        routes.push(route);
        return { data: null, response: new Response(), requestId: null, etag: null };
      },
    };
    const path = { quiz_id: "quiz_1" };
    await putDraft(client, { path, body: {} });
    await publishDraft(client, { path, body: {} });
    expect(routes.map(({ method, repeatable, keyed }) => ({ method, repeatable, keyed }))).toEqual([
      { method: "PUT", repeatable: undefined, keyed: undefined },
      { method: "POST", repeatable: true, keyed: true },
    ]);
  });

  it.for(operations.map((operation) => [operation.id, operation] as const))("has %s", async ([id, operation]) => {
    const { asked, settings } = answering(json(operation.answer.example));
    const bound = quizStore(settings);
    const input = {
      path: Object.fromEntries(Object.keys(operation.params?.properties ?? {}).map((key) => [key, `<${key}>`])),
    };
    const call: unknown = Reflect.get(bound, id);
    expect(typeof call).toBe("function");
    await (call as (input: object) => Promise<unknown>)(input);
    const [request] = asked;
    expect(request?.method).toBe(operation.method);
    expect(decodeURIComponent(new URL(request?.url ?? "").pathname)).toBe(
      operation.path.replaceAll(/\{(\w+)\}/g, "<$1>"),
    );
    expect(request?.headers.has("idempotency-key")).toBe(operation.method === "POST" && operation.cost === "write");
    expect(Object.keys(offered)).toContain(id);
  });
});
