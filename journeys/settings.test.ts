import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installedFolder } from "./installed.ts";
import { cleanUp, perform, run } from "./program.ts";

/** A setting that is malformed stops the start with a sentence. */

let data: string;

beforeAll(async () => {
  data = await installedFolder();
});

afterAll(() => cleanUp(data));

const malformed: [string, string][] = [
  ["PORT", "70000"],
  ["BASE_URL", "shop.example"],
  ["DATABASE_URL", "mysql://localhost/x"],
  ["REDIS_URL", "localhost"],
  ["EXPORT_STORAGE", "s3://"],
  ["SECRET_KEY", "short"],
  ["GEO_COUNTRY_HEADER", "x country"],
  ["TRUST_PROXY", "maybe"],
  ["WEBHOOK_ALLOW_HOSTS", "localhost"],
  ["LOG_LEVEL", "shout"],
  ["CLOCK_SPEED", "0"],
];

describe("a malformed setting", () => {
  it.each(malformed)("is refused at start by its name: %s=%s [operations.settings]", async (name, value) => {
    // the first one by a process of its own, whose exit status and streams are a shell's
    const [args, ended] = name === "PORT" ? [[], run] : [["--port", "1"], perform];
    const outcome = await ended(["start", "--data", data, "--no-demo", ...args], { [name]: value });
    expect([outcome.status, outcome.stderr.trim().split("\n").length], outcome.stderr).toEqual([1, 1]);
    expect(outcome.stderr).toContain(name);
    expect(outcome.stderr).not.toMatch(/\n\s+at |TypeError/);
  });
});
