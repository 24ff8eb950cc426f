import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bareHostileStrings, hostileStrings } from "../testkit/hostile-strings.ts";
import { shortQuiz } from "./documents.ts";
import { installedFolder } from "./installed.ts";
import { cleanUp, type Outcome, perform } from "./program.ts";
import { type Imported, importQuiz, openShop, type Shop } from "./shop.ts";
import { order } from "./shopify.ts";
import { type Live, newId, Visit } from "./visit.ts";

/** Files and arguments that mean ill, given to the command line: it takes what it can, and says the rest on one line. */

let data: string;
let shop: Shop;
let live: Live;
beforeAll(async () => {
  data = await installedFolder();
  shop = await openShop(data);
  const made: Imported = await importQuiz(data, shop.domain, shortQuiz, "--publish");
  live = { url: "", store: shop.publishable_key, quiz_id: made.quiz_id, version_id: made.version_id ?? "" };
}, 60_000);
afterAll(() => cleanUp(data));

/** One line for people that ends no line within, commands no terminal, and tells nothing of our insides. */
const plainLine = /^quizstore: [^\p{Cc}\p{Zl}\p{Zp}]{8,}\n$/u;
const insides = /\bat \S+:\d+|node_modules|server\/|TypeError|RangeError|call stack|SELECT |INSERT |syntax error/;

function expectPlain({ stderr, status }: Outcome, expected: number): void {
  expect([status, stderr.slice(0, 600)]).toEqual([expected, expect.stringMatching(plainLine)]);
  expect(stderr).not.toMatch(insides);
}

const deep = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
/** Lines that hold no document at all; none of them with a line feed in it. */
const noDocuments = [
  ...bareHostileStrings.filter((text) => !text.includes("\n") && text.trim() !== ""),
  ...bareHostileStrings.map((text) => JSON.stringify(text)),
  ...["null", "{}", "[]", "7", '{"a":', deep(64), deep(100_000), `{"events":${deep(100_000)}}`],
  '{"__proto__":{"id":1},"constructor":1}',
];

interface Report {
  accepted?: number;
  lines: { taken: number; refused: number };
  refused: { line: number; detail: string }[];
}

async function importFile(kind: string, lines: readonly string[]): Promise<Report> {
  const file = join(data, `${kind}.ndjson`);
  await writeFile(file, Buffer.from(`${lines.join("\n")}\n`));
  const outcome = await perform(["import", kind, file, "--store", shop.domain, "--data", data, "--json"]);
  expectPlain(outcome, 1);
  const report = outcome.json as Report;
  expect(report.lines.taken + report.lines.refused).toBe(lines.length);
  for (const { line, detail } of report.refused) {
    expect([line, detail]).toEqual([line, expect.stringMatching(/^[^\p{Cc}\p{Zl}\p{Zp}]{4,400}$/u)]);
    expect(detail).not.toMatch(insides);
  }
  return report;
}

/** All that hold no document are refused, by their numbers, and every other line that may be taken is. */
function expectTaken(report: Report, documents: number): void {
  expect(report.lines).toEqual({ taken: documents, refused: noDocuments.length });
  expect(report.refused.map(({ line }) => line)).toEqual(noDocuments.map((_, index) => documents + index + 1));
}

describe("import takes whatever it can of a file of hostile lines [command-line.imports, command-line.files]", () => {
  it("of events", async () => {
    const batches = hostileStrings.map((text) => {
      const v = new Visit(live, { from: Date.parse("2025-05-05T10:00:00Z") });
      const utm = { source: text, medium: text, campaign: text, content: text, term: text };
      const session = { ...v.session, placement: text, page_url: text, referrer: text, utm };
      const events = [v.opened(), v.wrote("contact", "mail", text), v.wrote("contact", "tel", text)];
      return JSON.stringify({ ...v.batch(events, { session }), user_agent: text, country: text, region: text });
    });
    // some are longer than a session's facts may be
    const short = batches.filter((_, index) => (hostileStrings[index] ?? "").length <= 200);
    const report = await importFile("events", [...short, ...noDocuments]);
    expectTaken(report, short.length);
    const again = await importFile("events", [...short, "{"]);
    expect(again).toMatchObject({ accepted: 0, duplicates: report.accepted });
  }, 120_000);

  it("of orders and products", async () => {
    const orders = hostileStrings.map((text, index) => {
      const made = order({ id: index + 1, at: Date.parse("2025-05-05T10:00:00Z"), total: "12.00", name: text });
      return JSON.stringify({
        ...made,
        note: text,
        email: text,
        phone: text,
        note_attributes: [{ name: text, value: text }],
      });
    });
    expectTaken(await importFile("orders", [...orders, ...noDocuments]), orders.length);
    // a product has a title
    const titles = hostileStrings.filter((text) => text.replaceAll("\u0000", "").trim() !== "");
    const products = titles.map((text, index) =>
      JSON.stringify({ id: index + 1, title: text, handle: text, variants: [{ id: index + 1, title: text }] }),
    );
    expectTaken(await importFile("products", [...products, ...noDocuments]), products.length);
  }, 120_000);
});

describe("a quiz's file that is none", () => {
  const text = JSON.stringify(shortQuiz);
  const hostileKeys = Object.fromEntries(hostileStrings.map((key) => [key, key]));
  const files: Record<string, string | Buffer> = {
    "is empty": "",
    "is blank": " \r\n\t",
    "is a text": JSON.stringify("text"),
    "is null": "null",
    "is cut off": text.slice(0, -1),
    "is two": text + text,
    "is UTF-16": Buffer.from(`\ufeff${text}`, "utf16le"),
    "has half a character": Buffer.concat([Buffer.from(text.slice(0, -1)), Buffer.from([0x2c, 0x22, 0xc3, 0x22])]),
    "has a NUL": `${text}\u0000`,
    "is only brackets": deep(100_000),
    "is nested without end": `{"pages":[],"jump_rules":${deep(100_000)}}`,
    "has hostile fields": JSON.stringify({ ...shortQuiz, ...hostileKeys }),
    "has hostile pages": JSON.stringify({ ...shortQuiz, pages: hostileStrings }),
  };

  it.each(Object.keys(files))("because it %s is refused by lint on one line [command-line.files]", async (name) => {
    const file = join(data, "none.json");
    await writeFile(file, files[name] ?? "");
    expectPlain(await perform(["quiz", "lint", file]), 1);
  });

  it("is refused by import on one line too, and a byte-order mark is none of its faults [quizzes.import]", async () => {
    const file = join(data, "none.json");
    for (const name of ["is cut off", "has half a character", "is nested without end", "has hostile fields"]) {
      await writeFile(file, files[name] ?? "");
      expectPlain(await perform(["quiz", "import", file, "--store", shop.domain, "--publish", "--data", data]), 1);
    }
    await writeFile(file, `\ufeff${text}`);
    expect(await perform(["quiz", "lint", file])).toMatchObject({ status: 0, stderr: "" });
  }, 60_000);
});

describe("arguments that mean ill", () => {
  const odd = ["a\nb", "\u001b[2J", "a\u2028b", "$(id)", "; id", "é\u0301", "../../none", "-".repeat(300)];

  it("are told on one line as files that are not there [command-line.output]", async () => {
    await mkdir(join(data, "folder"));
    for (const name of odd) expectPlain(await perform(["quiz", "lint", join(data, `folder/${name}`)]), 1);
    expectPlain(await perform(["quiz", "lint", join(data, "folder")]), 1);
  }, 60_000);

  it("are told on one line as what they are not [command-line.output]", async () => {
    for (const name of odd.slice(0, 3)) {
      expectPlain(await perform(["quiz", "history", name, "--data", data]), 2);
      expectPlain(await perform([name]), 2);
      expectPlain(await perform(["key", "list", "--store", name, "--data", data]), 1);
    }
    expectPlain(await perform(["quiz", "history", newId("quiz"), "--data", data]), 1);
  }, 60_000);
});
