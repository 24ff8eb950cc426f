import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { searchAsCurl, searchAsTypeScript } from "./search-call.ts";

const root = join(import.meta.dirname, "../..");
const run = promisify(execFile);
const quiz = `quiz_${"1".repeat(32)}`;
const body = {
  has_email: true,
  groups: [
    {
      all: [
        {
          quiz_id: quiz,
          kind: "text" as const,
          op: "contains" as const,
          page_key: "p",
          component_key: "c",
          value: `it's "$HOME" \`ls\` \\ بشرة`,
        },
      ],
    },
  ],
};

describe("the call behind a search", () => {
  it("reaches a program as it is, whatever was typed [dashboard-people.call]", async () => {
    const call = searchAsCurl(body, "http://api.test").replace(/^curl/, "printf '%s\\n'");
    const { stdout } = await run("sh", ["-c", call], { env: { QUIZSTORE_KEY: "svc_live_x" } });
    const told = stdout.trimEnd().split("\n");
    expect(told.slice(0, -1)).toEqual([
      "--request",
      "POST",
      "http://api.test/v1/profiles/search",
      "--header",
      "Authorization: Bearer svc_live_x",
      "--header",
      "Content-Type: application/json",
      "--data",
    ]);
    expect(JSON.parse(told.at(-1) ?? "")).toEqual(body);
  });

  it("is the same in TypeScript, and compiles under strict [dashboard-people.call]", async () => {
    const code = searchAsTypeScript(body, "http://api.test");
    const written = /const body: ProfileSearch = ([\s\S]*?);\n/.exec(code)?.[1] ?? "";
    expect(JSON.parse(written)).toEqual(body);
    expect(code).toContain("searchProfiles(client, { body })");
    const folder = await mkdtemp(join(tmpdir(), "quizstore-call-"));
    const compilerOptions = {
      ...{ target: "es2022", module: "esnext", moduleResolution: "bundler", strict: true, noEmit: true },
      ...{ types: ["node"], typeRoots: [join(root, "node_modules/@types")], allowImportingTsExtensions: true },
      paths: { "@quizstore/client": [join(root, "client/src/index.ts")] },
    };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["call.ts"] }));
    await writeFile(join(folder, "call.ts"), code);
    const compiled = await run(join(root, "node_modules/.bin/tsc"), ["-p", folder]).catch((error) => error);
    await rm(folder, { recursive: true });
    expect(compiled.stdout).toBe("");
  }, 60_000);
});
