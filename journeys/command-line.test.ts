import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { brokenQuiz, shortQuiz } from "./documents.ts";
import { installedFolder } from "./installed.ts";
import { cleanUp, environment, freshFolder, type Outcome, perform, programFile, run, until } from "./program.ts";
import { importQuiz, openShop, type Shop } from "./shop.ts";
import { newId, Visit } from "./visit.ts";

/** One rule for what commands answer: exit status, one line on standard error, results on standard output. */

let data: string;
let shop: Shop;

beforeAll(async () => {
  data = await installedFolder();
  shop = await openShop(data);
}, 60_000);
afterAll(() => cleanUp(data));

const oneLine = ({ status, stdout, stderr }: Outcome) => ({
  status,
  stdout,
  stderr: stderr.replace(/^(quizstore: \S.{8,})\n$/, "one line"),
});

describe("a command", () => {
  const wrong = [
    "imprt",
    "store",
    "store nonsense",
    "import",
    "quiz lint",
    "store create --nope",
    "start --port x",
    "export create --store x --dataset bogus",
    "simulate --url nowhere --store pub_x",
    "simulate --url ftp://localhost --store pub_x",
    "mcp",
    "mcp --key x",
    "mcp --url nowhere --key svc_live_0123456789",
    "mcp --url ftp://localhost --key svc_live_0123456789",
    "simulate --url http://localhost:1 --store pub_x --rate none",
  ];
  it.each(wrong)("that is used wrongly ends with 2 and one line: quizstore %s [command-line.output]", async (line) => {
    expect(oneLine(await perform(line.split(" ")))).toEqual({ status: 2, stdout: "", stderr: "one line" });
  });

  // the others are performed by one process that stays: here are streams and exit status as a shell sees them
  it("does so as a process: 0, 1 and 2 [command-line.output]", async () => {
    const file = join(data, "whole.json");
    await writeFile(file, JSON.stringify(shortQuiz));
    const fine = await run(["quiz", "lint", file, "--json"]);
    expect([fine.status, fine.stdout, fine.stderr]).toEqual([0, "[]\n", ""]);
    const failed = await run(["quiz", "lint", join(data, "absent.json")]);
    expect(oneLine(failed)).toEqual({ status: 1, stdout: "", stderr: "one line" });
    expect(oneLine(await run(["nonsense"]))).toEqual({ status: 2, stdout: "", stderr: "one line" });
  }, 60_000);

  it("that is given a wrong value does so too, whatever the database holds [command-line.output]", async () => {
    const at = ["--store", shop.domain];
    const facts = ["--name", "x", "--shop-domain", "x.example.com", "--plan", "plus", "--timezone", "UTC"];
    const file = join(data, "fine.json");
    await writeFile(file, JSON.stringify(shortQuiz));
    for (const args of [
      ["key", "create", ...at, "--scopes", "everything"],
      ["key", "create", ...at, "--expires", "tomorrow"],
      ["key", "revoke", "key_1"],
      ["store", "create", ...facts, "--currency", "euro"],
      ["store", "update", shop.domain, "--limits", "{"],
      ["demo", ...at, "--days", "0"],
      ["person", "erase", "prof_1", ...at],
      ["quiz", "history", "quiz_1"],
      ["quiz", "import", file, ...at, "--name", " "],
      ["quiz", "import", file, ...at, "--admin", " "],
      ["quiz", "preview", newId("quiz"), "--version", "ver_1"],
      ["export", "create", ...at, "--dataset", "profiles", "--from", "yesterday"],
      ["export", "create", ...at, "--dataset", "profiles", "--from", "2026-02-02", "--to", "2026-02-01"],
      ["export", "create", ...at, "--dataset", "profiles", "--tz", "Mars"],
      ["person", "data-request", "answer", "1", ...at, "--out", join(data, "none.json")],
      ["listen", ...at, "--topics", "quiz.eaten"],
    ]) {
      const { stderr, ...outcome } = oneLine(await perform([...args, "--data", data]));
      expect([args, outcome, stderr]).toEqual([args, { status: 2, stdout: "" }, "one line"]);
    }
  }, 120_000);

  it("that is given a file which is not there ends with 1 and names it [command-line.output]", async () => {
    const [at, none] = [["--store", shop.domain], join(data, "none", "file")];
    for (const args of [
      ["import", "orders", none, ...at],
      ["quiz", "import", none, ...at],
      ["export", "create", ...at, "--dataset", "profiles", "--search", none],
      ["person", "replay-erasures", "--ledger", none],
    ]) {
      const { status, stdout, stderr } = await perform([...args, "--data", data]);
      expect([args, status, stdout, stderr]).toEqual([args, 1, "", expect.stringContaining(none)]);
      expect(stderr).toMatch(/^quizstore: [^\n]*\n$/);
    }
  }, 60_000);

  it.each([
    [
      "person data-request",
      "person data-request needs one of list, answer; quizstore person data-request --help tells more",
    ],
    ["quiz", "quiz needs one of import, export, history, lint, preview, ai-run; quizstore quiz --help tells more"],
    ["help nonsense", "unknown command 'nonsense'"],
    ["person help nonsense", "unknown command 'nonsense'"],
  ])(
    "that is not there, or is only a group's name, is told as it was written: quizstore %s [command-line.output]",
    async (line, told) => {
      expect(await perform(line.split(" "))).toMatchObject({ status: 2, stdout: "", stderr: `quizstore: ${told}\n` });
    },
  );

  it("that was not named prints help and ends with 0 [command-line.help]", async () => {
    const { status, stdout, stderr } = await run([]);
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("Usage: quizstore");
  });
});

describe("a command whose output nobody reads to its end", () => {
  /** Runs `quizstore LINE` with its output sent to `to`; what it printed on standard error, and its status. */
  async function sent(line: string, to: string) {
    const script = `node "$0" ${line} --data "$1" ${to}; printf '%s' "\${PIPESTATUS[0]}"`;
    const args = ["-c", script, await programFile(), data];
    const { stdout, stderr } = await promisify(execFile)("bash", args, { env: environment() });
    return { status: stdout, stderr };
  }

  // `true` is gone before the program writes anything
  it.each(["doctor", "doctor --json", "store list", "migrate", "demo --help"])(
    "ends as ever: quizstore %s [command-line.reader]",
    async (line) => {
      expect(await sent(line, "| true")).toEqual({ status: "0", stderr: "" });
    },
    60_000,
  );

  it("fails where it failed, and says why when errors are read [command-line.reader]", async () => {
    const lint = `quiz lint ${join(data, "absent.json")}`;
    expect(await sent(lint, "| true")).toEqual({ status: "1", stderr: expect.stringMatching(/^quizstore: .*\n$/) });
    expect(await sent(lint, "2>&1 | true")).toEqual({ status: "1", stderr: "" });
  }, 60_000);

  it("ends although it would go on until it is told to: quizstore listen [command-line.reader]", async () => {
    let ended = false;
    const listening = sent(`listen --store ${shop.domain}`, "| true").finally(() => {
      ended = true;
    });
    // it tells only of events after its own beginning
    const publish = () => importQuiz(data, shop.domain, shortQuiz, "--publish");
    await until(async () => (await publish()) && ended, Boolean, 60);
    expect(await listening).toEqual({ status: "0", stderr: expect.stringMatching(/^listening to [^\n]+\n$/) });
  }, 120_000);

  it.skipIf(!existsSync("/dev/full"))(
    "fails with a sentence when the disk is full [command-line.reader]",
    async () => {
      const stderr = "quizstore: the output could not be written: ENOSPC: no space left on device, write\n";
      expect(await sent("store list", "> /dev/full")).toEqual({ status: "1", stderr });
    },
    60_000,
  );
});

describe("quiz lint", () => {
  it("prints findings for people, and for programs with --json; an error is status 1 [command-line.files]", async () => {
    const file = join(data, "broken.json");
    await writeFile(file, JSON.stringify(brokenQuiz));
    const told = await perform(["quiz", "lint", file]);
    expect(told).toMatchObject({ status: 1, stdout: expect.stringMatching(/^error: jump_rules\.0\.\S+ names no /m) });
    expect(told.stderr).toMatch(/^quizstore: .* has \d+ errors?, see above\n$/);
    const { status, json } = await perform(["quiz", "lint", file, "--json"]);
    expect([status, json]).toEqual([1, expect.arrayContaining([expect.objectContaining({ severity: "error" })])]);
    await writeFile(file, JSON.stringify(shortQuiz));
    expect(await perform(["quiz", "lint", file])).toMatchObject({ status: 0, stderr: "" });
    expect(await perform(["quiz", "lint", file, "--json"])).toMatchObject({ status: 0, json: [] });
  });
});

describe("doctor", () => {
  it("makes no folder [command-line.doctor]", async () => {
    const parent = await freshFolder();
    const outcome = await perform(["doctor", "--data", join(parent, "none", "yet"), "--json"]);
    expect([outcome.status, await readdir(parent)], outcome.stdout).toEqual([0, []]);
    await perform(["doctor", "--data", data]);
    expect(await readdir(data)).not.toContain("exports");
    await cleanUp(parent);
  }, 60_000);
});

describe("imports", () => {
  const put = async (kind: string, lines: readonly unknown[]): Promise<Outcome> => {
    const file = join(data, `${kind}.ndjson`);
    const texts = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line)));
    await writeFile(file, `${texts.join("\n")}\n`);
    return perform(["import", kind, file, "--store", shop.domain, "--data", data, "--json"]);
  };

  it("of events name what cannot be taken by its line, and take the rest [command-line.imports]", async () => {
    const quiz = await importQuiz(data, shop.domain, shortQuiz, "--publish");
    const live = { url: "", store: shop.publishable_key, quiz_id: quiz.quiz_id, version_id: quiz.version_id ?? "" };
    const visit = (campaign: string) => {
      const utm = { source: null, medium: null, campaign, content: null, term: null };
      const one = new Visit(live, { from: Date.parse("2025-05-05T10:00:00Z"), session: { utm } });
      return one.batch([one.opened(), one.chose("first", "pick", "one")]);
    };
    const fine = [visit("plain"), visit("two\u2028lines\u2029here")];
    const lines = [fine[0], '{"half":', "[]", "7", { ...visit("x"), events: [] }, fine[1]];
    const outcome = await put("events", lines);
    expect(outcome.stderr).toMatch(
      /^quizstore: 4 of 6 lines were refused, .*the first is line 2: does not hold JSON\n$/,
    );
    expect([outcome.status, outcome.json]).toEqual([
      1,
      {
        ...{ batches: 2, accepted: 4, duplicates: 0, rejected: 0, lines: { taken: 2, refused: 4 } },
        refused: [2, 3, 4, 5].map((line) => ({ line, detail: expect.stringMatching(/\w{4,}/) })),
      },
    ]);
    const again = await put("events", fine);
    expect([again.status, again.json]).toMatchObject([0, { accepted: 0, duplicates: 4, lines: { taken: 2 } }]);
  }, 60_000);

  it("of events take none that name another store by its publishable key [command-line.imports]", async () => {
    const quiz = await importQuiz(data, shop.domain, shortQuiz, "--publish");
    const live = { url: "", quiz_id: quiz.quiz_id, version_id: quiz.version_id ?? "" };
    const sent = (store: string | undefined) => {
      const one = new Visit({ ...live, store: store ?? "" }, { from: Date.parse("2025-05-05T10:00:00Z") });
      const { store: _named, ...unnamed } = one.batch([one.opened()]);
      return store === undefined ? unnamed : { store, ...unnamed };
    };
    const other = await openShop(data);
    const lines = [shop.publishable_key, other.publishable_key, newId("pub"), undefined].map(sent);
    const outcome = await put("events", lines);
    const detail = expect.stringMatching(/^store .*publishable key/);
    expect([outcome.status, outcome.json]).toMatchObject([
      1,
      { accepted: 2, lines: { taken: 2, refused: 2 }, refused: [2, 3].map((line) => ({ line, detail })) },
    ]);
    expect(outcome.stderr).toMatch(/^quizstore: 2 of 4 lines were refused, [^\n]*the first is line 2: store [^\n]*\n$/);
    // nothing of the refused ones was kept: under their own key they are new
    const [, named, unknown] = lines.map((line) => ({ ...line, store: shop.publishable_key }));
    const mended = await put("events", [named, unknown]);
    expect([mended.status, mended.json]).toMatchObject([0, { accepted: 2, duplicates: 0 }]);
  }, 60_000);

  it("of products and orders do so alike [command-line.imports, orders.import]", async () => {
    const products = await put("products", [{ id: 1, title: "Tea", variants: [] }, "nothing", { title: "no id" }]);
    expect([products.status, products.json]).toMatchObject([1, { products: 1, lines: { taken: 1, refused: 2 } }]);
    expect((products.json as { refused: unknown }).refused).toEqual([
      { line: 2, detail: "does not hold JSON" },
      { line: 3, detail: expect.stringContaining("id") },
    ]);
    const order = { id: 5, created_at: "2025-05-05T10:00:00Z", currency: "USD", total_price: "1.00", line_items: [] };
    const orders = await put("orders", ["{", order, { created_at: "2025-05-05T10:00:00Z" }]);
    expect([orders.status, orders.json]).toMatchObject([1, { orders: 1, lines: { taken: 1, refused: 2 } }]);
  }, 60_000);
});
