import { expect, it } from "vitest";
import { runnerOf, type Statement } from "../platform/database/sql.ts";
import { formatId } from "../platform/ids.ts";
import { getQuizRoute } from "./get-quiz.ts";
import { noKeys } from "./keys.ts";
import { VersionCache } from "./version-cache.ts";

const storeId = "00000000-0000-4000-8000-000000000001";
const uuid = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;

/** A document of so many characters, as a database row holds it. */
const documentOf = (characters: number) => ({
  ...{ jump_rules: [], dimensions: [], property_mappings: [] },
  pages: [
    {
      ...{ page_key: "only", title: "x".repeat(characters), kind: "result", skippable: false, visible_when: null },
      components: [],
    },
  ],
});

/** Answers each statement with one row, and counts them. */
function database(row: (parameters: readonly unknown[]) => object) {
  const runner = { reads: 0 };
  const run = async <Row>({ parameters }: Statement<Row>): Promise<Row[]> => {
    runner.reads += 1;
    return [row(parameters) as Row];
  };
  return { runner, db: runnerOf(run).forStore(storeId) };
}

it("keeps a thousand ordinary versions, and of large ones as many as 128 MiB of memory hold", async () => {
  const readsOf = async (count: number, characters: number) => {
    const document = documentOf(characters);
    const { runner, db } = database(([, id]) => ({ id, quizId: uuid(0), number: 1, document }));
    const versions = new VersionCache();
    const all = Array.from({ length: count }, (_, number) => uuid(number)).reverse();
    for (const id of all) await versions.existing(db, id);
    runner.reads = 0;
    // from the one that was read last: what is read again pushes out only what was looked at already
    for (const id of all.toReversed()) await versions.existing(db, id);
    return runner.reads;
  };
  expect(await readsOf(1_000, 30_000)).toBe(0);
  expect(await readsOf(1_010, 30_000)).toBe(10);
  expect(await readsOf(60, 1_000_000)).toBe(0);
  expect(await readsOf(100, 1_000_000)).toBeGreaterThan(30);
});

it("keeps 500 descriptions of ordinary quizzes, and of large ones as many as 64 MiB of memory hold", async () => {
  const readsOf = async (count: number, characters: number) => {
    const document = documentOf(characters);
    const at = new Date(0);
    const { runner, db } = database(([, id]) => ({
      ...{ id, name: "Quiz", archived: false, draft_page_count: 1, published_version_id: id, definition_id: id },
      ...{ created_at: at, updated_at: at, versions_numbered: 1, draft: null },
      ...{ number: 1, document, earlier_outline: [], earlier_keys: noKeys },
    }));
    const { read } = getQuizRoute({ baseUrl: "https://quizzes.example" } as Parameters<typeof getQuizRoute>[0]);
    // of a request the route reads its path alone
    const get = (number: number) => read?.({ params: { quiz_id: formatId("quiz", uuid(number)) } } as never, db);
    for (let number = 0; number < count; number++) await get(number);
    runner.reads = 0;
    for (let number = count - 1; number >= 0; number--) await get(number);
    return runner.reads - count;
  };
  expect(await readsOf(500, 10_000)).toBe(0);
  expect(await readsOf(30, 1_000_000)).toBe(0);
  expect(await readsOf(60, 1_000_000)).toBeGreaterThan(20);
});
