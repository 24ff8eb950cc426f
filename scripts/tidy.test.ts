import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { describe, expect, it } from "vitest";
import { boundToRegistry, codeOf, longestFile, misnumbered, sliceCycles, untidy } from "./tidy.ts";

const root = join(import.meta.dirname, "..");
const folders = [
  "contract",
  "engine",
  "client",
  "dashboard",
  "player",
  "server",
  "demo",
  "migrations",
  "testkit",
  "journeys",
  "bench",
  "hard",
  "scripts",
];

function readTree(): Map<string, string> {
  const below = folders.flatMap((folder) => {
    try {
      return readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
      throw error;
    }
  });
  const entries = [...below, ...readdirSync(root, { withFileTypes: true })];
  return new Map(
    entries.flatMap((entry): [string, string][] => {
      if (!entry.isFile() || !/\.(tsx?|sql|cjs|mjs|lua)$/.test(entry.name)) return [];
      const file = join(entry.parentPath, entry.name);
      return [[relative(root, file).split(sep).join("/"), readFileSync(file, "utf8")]];
    }),
  );
}

describe("the tree is tidy", () => {
  const tree = readTree();

  it("has no untidy line", () => {
    expect([...tree].flatMap(([path, text]) => untidy(path, text))).toEqual([]);
  });

  it("has no cycle among the slices", () => {
    expect(sliceCycles(tree)).toEqual([]);
  });

  it("numbers its migrations without a gap", () => {
    const migrations = [...tree.keys()].flatMap((path) => (path.startsWith("migrations/") ? [path.slice(11)] : []));
    expect(misnumbered(migrations)).toEqual([]);
  });

  it("installs from any registry", () => {
    expect(boundToRegistry("package-lock.json", readFileSync(join(root, "package-lock.json"), "utf8"))).toEqual([]);
  });
});

describe("what counts as untidy", () => {
  const product = "server/quizzes/draft.ts";
  const untidyLines: [path: string, line: string][] = [
    [product, "const key = process.env.KEY;"],
    [product, "const at = Date.now();"],
    [product, "const at = performance.now();"],
    [product, "const at = new Date();"],
    [product, "const at = new Date;"],
    [product, "const at = Date();"],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the checked line holds a template
    [product, "const at = `https://a/${Date.now()}`;"],
    ["engine/quiz.ts", "const roll = Math.random();"],
    ["client/src/core.ts", "const roll = Math.random();"],
    ["player/run/step.ts", "const at = Date.now();"],
    ["player/view/page.tsx", "const at = new Date();"],
    ["player/view/page.tsx", "export default 1;"],
    ["player/run/step.ts", 'import { type Id, readId } from "../../contract/ids.ts";'],
    ["player/run/step.ts", 'const late = () => import("../../contract/ids.ts");'],
    ["server/platform/config/x.ts", "process.env.KEY"],
    ["contract/a.test.ts", `it.${"only"}("x", () => {});`],
    ["contract/a.test.ts", `describe.concurrent.${"skip"}("x", () => {});`],
    ["testkit/a.ts", "export default 1;"],
    ["testkit/a.ts", "export { a as default };"],
    ["bench/a.ts", `// ${"TO"}DO: more`],
    ["migrations/0001_a.sql", `-- ${"FIX"}ME`],
    [product, "const row = found as unknown as Row;"],
    [product, "const row = check(found as never);"],
    ["server/quizzes/draft.test.ts", "const row = found as unknown as Row;"],
    ["dashboard/app/router.tsx", "const row = found as unknown as Row;"],
    ["scripts/a.ts", `// ${"@ts"}-expect-error`],
    ["scripts/a.ts", `/* ${"biome"}-ignore lint/suspicious/noExplicitAny: x */`],
  ];
  for (const [path, line] of untidyLines) {
    it(`${path}: ${line}`, () => expect(untidy(path, `\n${line}\n`)).toEqual([expect.stringContaining(`${path}:2: `)]));
  }

  const tidyLines: [path: string, line: string][] = [
    [product, "const at = new Date(now); // not Date.now()"],
    [product, 'const text = "process.env";'],
    [product, "const at = (x: Date) => x instanceof Date && isDate(x);"],
    [product, "type Dates = Map<string, Date>;"],
    [product, "// as it was written: the column holds any JSON\nconst row = found as unknown as Row;"],
    [product, "const row = check(found as never); // checked above"],
    [product, "const none = (): never => fail();"],
    ["server/quizzes/draft.test.ts", "const row = found as unknown as Row; // the row has no type"],
    ["server/quizzes/draft.test.ts", "const at = Date.now();"],
    ["server/platform/config.ts", "read(process.env)"],
    ["server/platform/clock.ts", "Date.now()"],
    ["server/main/quizstore.ts", "start(process.env)"],
    ["player/embed/open-quiz.ts", "const at = Date.now();"],
    ["player/record/browser.ts", "const at = Date.now();"],
    ["client/src/platform.ts", "const at = Date.now();"],
    ["player/run/step.ts", 'import type { Id } from "../../contract/ids.ts";'],
    ["player/run/step.test.ts", 'import { readId } from "../../contract/ids.ts";'],
    ["player/view/page.test.tsx", "const at = Date.now();"],
    ["testkit/redis.test.ts", "it.skipIf(missing)('x', () => {});"],
    ["vitest.config.ts", "export default {};"],
  ];
  for (const [path, line] of tidyLines) {
    it(`not ${path}: ${line}`, () => expect(untidy(path, line)).toEqual([]));
  }

  it("names the first line too many", () => {
    const text = "x\n".repeat(longestFile);
    expect(untidy(product, text)).toEqual([]);
    expect(untidy(product, `${text}x\n`)).toEqual([`${product}:401: 401 lines, at most 400`]);
    expect(untidy("client/src/generated/types.ts", `${text}x\n`)).toEqual([]);
  });

  it("keeps lines in place when it blanks comments and strings", () => {
    const [first = "", second = "", third] = codeOf('a /* b\nc */ "d" // e\nf').split("\n");
    expect([first.trim(), second.trim(), third]).toEqual(["a", "", "f"]);
  });

  it("finds cycles among slices, but not through tests or main", () => {
    const files = new Map([
      ["server/orders/a.ts", 'import { b } from "../sessions/public.ts";'],
      ["server/sessions/public.ts", 'import type { C } from "../orders/public.ts";'],
      ["server/quizzes/a.ts", 'const late = () => import("../orders/public.ts");'],
      ["server/orders/a.test.ts", 'import { q } from "../quizzes/public.ts";'],
      ["server/main/a.ts", 'import { q } from "../quizzes/public.ts";'],
    ]);
    expect(sliceCycles(files)).toEqual([
      "server/orders/a.ts:1: orders -> sessions (server/orders/a.ts:1), sessions -> orders (server/sessions/public.ts:1)",
    ]);
  });

  it("finds gaps and wrong names among migrations", () => {
    expect(misnumbered(["0001_a.sql", "0003_b.sql", "4_c.sql"])).toEqual([
      "migrations/0003_b.sql:1: its number should be 0002",
      "migrations/4_c.sql:1: not named NNNN_name.sql",
    ]);
  });

  it("finds a registry in a lock file", () => {
    expect(boundToRegistry("l.json", '{\n"resolved": "https://r/x.tgz"\n}')).toEqual([
      'l.json:2: "resolved": "https://r/x.tgz"',
    ]);
    expect(boundToRegistry("l.json", '{\n"resolved": "client",\n"link": true}')).toEqual([]);
  });
});
