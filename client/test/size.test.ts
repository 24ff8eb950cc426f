import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "vite";
import { describe, expect, it } from "vitest";

/** What a bundle gets of the client, by a bundler that shakes trees. */

const entry = join(import.meta.dirname, "../src/index.ts");

async function sizeOf(code: string): Promise<number> {
  const result = await build({
    configFile: false,
    root: join(import.meta.dirname, ".."),
    logLevel: "error",
    plugins: [
      {
        name: "entry",
        resolveId: (id) => (id === "virtual:entry" ? "\0entry" : null),
        load: (id) => (id === "\0entry" ? code.replace("@client", entry) : null),
      },
    ],
    build: { write: false, minify: true, rollupOptions: { input: "virtual:entry", preserveEntrySignatures: "strict" } },
  });
  const [output] = Array.isArray(result) ? result : [result];
  const chunk = output !== undefined && "output" in output ? output.output[0] : undefined;
  if (chunk === undefined) throw new Error("Vite built nothing");
  return gzipSync(chunk.code, { level: 9 }).length;
}

describe("a bundle", () => {
  it("gets at most 5 KB for one operation, whichever it is [client.small]", async () => {
    for (const name of ["getStore", "listQuizzes", "getQuizAnalyticsFunnel", "createExport"]) {
      const size = await sizeOf(`export { createClient, ProblemError, ${name} } from "@client";`);
      expect([name, size <= 5 * 1024, size]).toEqual([name, true, size]);
    }
  });

  it("gets less for one operation than for all, and next to nothing for none", async () => {
    const [none, one, all, verifier] = await Promise.all([
      sizeOf(`export const a = 1; import "@client";`),
      sizeOf(`export { createClient, getStore } from "@client";`),
      sizeOf(`export * from "@client";`),
      sizeOf(`export { verifyWebhook } from "@client";`),
    ]);
    expect(none).toBeLessThan(100);
    expect(one).toBeLessThan(all / 1.5);
    expect(verifier).toBeLessThan(1.5 * 1024);
  });
});
