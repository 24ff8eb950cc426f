import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import {
  insertQuiz,
  insertSession,
  recordEverything,
  resolveContacts,
  type ShortContact,
} from "../../testkit/people.ts";
import { surveyDocument } from "../../testkit/small-quizzes.ts";
import { ownStore, sql } from "../platform/database/sql.ts";
import { formatId } from "../platform/ids.ts";

let t: TestApp;
let store: TestStore;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());
beforeEach(async () => {
  store = await t.store();
  // every test reads a lot with one key
  t.passTime(60_000);
});

const db = () => t.database.reader();
const day = (text: string) => Date.parse(`2026-03-${text}`);

async function quiz(name = "Finder", deletedAt?: Date) {
  const made = await insertQuiz(db(), store.uuid, [surveyDocument], { name, ...(deletedAt && { deletedAt }) });
  return { quizId: made.id, versionId: made.versions[0]! };
}

async function person(
  taken: { quizId: string; versionId: string },
  contacts: readonly ShortContact[],
  openedAt = day("05T10:00:00Z"),
  more: object = {},
): Promise<void> {
  const id = await insertSession(db(), store.uuid, { ...taken, openedAt, ...more });
  await resolveContacts(t.foundations, store.uuid, { [id]: contacts });
}

/** Rows were written without their changes, which a filtered list goes by. */
const list = async (query = "", key = store.key) => {
  await recordEverything(db(), store.uuid);
  return t.request("GET", `/v1/profiles${query}`, { key });
};
const search = (parameters: Record<string, string>) => list(`?${new URLSearchParams(parameters)}`);

/** Emails found, or phones of people without. */
async function found(parameters: Record<string, string>): Promise<string[]> {
  const answer = await search(parameters);
  expect(answer.status).toBe(200);
  return answer.body.data.map((row: { email: string | null; phone: string }) => row.email ?? row.phone);
}

describe("GET /v1/profiles", () => {
  it("reads every field of a person, quizzes in order of first opening, deleted ones too [people.list]", async () => {
    const first = await quiz("Ä first", new Date("2026-03-09"));
    const second = await quiz("A second");
    const older = { email: "old@x.test", at: day("05T10:00:00Z"), field: "other" };
    await person(first, [older, { email: "new@x.test", at: day("05T10:01:00Z") }, { phone: "+4915112345678" }]);
    await person(second, [{ email: "new@x.test" }], day("07T10:00:00Z"), { status: "completed" });
    const answer = await list();
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      data: [
        {
          id: expect.stringMatching(/^prof_[0-9a-f]{32}$/),
          email: "new@x.test",
          phone: "+4915112345678",
          first_seen_at: "2026-03-05T10:00:00.000Z",
          last_seen_at: "2026-03-07T10:00:00.000Z",
          last_order_at: null,
          completed_count: 1,
          orders_count: 0,
          sessions_count: 2,
          quizzes: [
            { id: formatId("quiz", first.quizId), name: "Ä first" },
            { id: formatId("quiz", second.quizId), name: "A second" },
          ],
          removed: false,
          returning: true,
          spent: { amount: "0.00", currency: "USD" },
        },
      ],
      has_more: false,
      next_cursor: null,
    });
  });

  it("shows money with the currency's digits [api.money]", async () => {
    store = await t.store({ currency: "JPY" });
    await person(await quiz(), [{ email: "a@x.test" }]);
    expect((await list()).body.data[0].spent).toEqual({ amount: "0", currency: "JPY" });
  });

  it("walks newest last-seen first, then by id, in pages that a new person does not disturb [people.list, people.list-pages]", async () => {
    const taken = await quiz();
    const days = ["05", "06", "06", "06", "07"];
    for (const [index, of] of days.entries())
      await person(taken, [{ email: `p${index}@x.test` }], day(`${of}T10:00:00Z`));
    const first = await list("?limit=2");
    expect(first.body).toMatchObject({ has_more: true, next_cursor: expect.any(String) });
    await person(taken, [{ email: "late@x.test" }], day("09T10:00:00Z"));
    const second = await list(`?limit=3&cursor=${first.body.next_cursor}`);
    expect(second.body).toMatchObject({ has_more: false, next_cursor: null });
    const rows = [...first.body.data, ...second.body.data];
    expect(rows.map((row) => row.email).sort()).toEqual([0, 1, 2, 3, 4].map((n) => `p${n}@x.test`));
    expect(rows).toEqual(rows.toSorted((x, y) => `${y.last_seen_at}${y.id}`.localeCompare(`${x.last_seen_at}${x.id}`)));
  });

  it("leaves out who came after the first page, though they were last seen before [people.list-pages]", async () => {
    const taken = await quiz();
    for (const [number, hour] of ["08", "10", "12"].entries())
      await person(taken, [{ email: `p${number}@x.test` }], day(`05T${hour}:00:00Z`));
    const parameters: Record<string, string>[] = [
      {},
      { has_email: "true" },
      { q: "x.test" },
      { q: "x.test", has_email: "true" },
    ];
    for (const [walk, filters] of parameters.entries()) {
      const first = (await search({ ...filters, limit: "1" })).body;
      await person(taken, [{ email: `late${walk}@x.test` }], day("05T11:00:00Z") - walk);
      const second = (await search({ ...filters, limit: "1", cursor: first.next_cursor })).body;
      expect(second.data[0].email).not.toBe(`late${walk}@x.test`);
      const rest = (await search({ ...filters, cursor: second.next_cursor })).body;
      expect(rest.data.map(({ email }: { email: string }) => email)).not.toContain(`late${walk}@x.test`);
      expect(await found(filters)).toContain(`late${walk}@x.test`);
    }
  });

  it("refuses a cursor that is empty, made up, of other filters or of another store [api.cursors]", async () => {
    const taken = await quiz();
    for (const n of [1, 2]) await person(taken, [{ email: `p${n}@x.test` }]);
    const cursor = (await list("?limit=1")).body.next_cursor;
    const other = await t.store();
    const refused = [
      await list("?cursor="),
      await list("?cursor=abc"),
      await list(`?cursor=${cursor}&q=x`),
      await list(`?cursor=${cursor}`, other.key),
    ];
    for (const answer of refused) {
      expect(answer.status).toBe(422);
      expect(answer.body.errors[0].field).toBe("query.cursor");
    }
  });

  it("finds a part of an email or phone, taken literally, whatever its case [people.part-of-contact]", async () => {
    const taken = await quiz();
    const emails = ["ada.l@x.test", "100%_\\'\"@x.test", "jos\u00e9@x.test", "שלום@x.test", "a😀b@x.test"];
    for (const email of emails) await person(taken, [{ email }]);
    await person(taken, [{ phone: "+4915112345678" }]);
    expect(await found({ q: "ADA.L" })).toEqual(["ada.l@x.test"]);
    for (const q of ["100%_", "%_\\", "\\'", "\\'\""]) expect(await found({ q })).toEqual([emails[1]]);
    expect(await found({ q: "JOSE\u0301" })).toEqual([emails[2]]);
    expect(await found({ q: "שלום" })).toEqual([emails[3]]);
    expect(await found({ q: "😀" })).toEqual([emails[4]]);
    expect(await found({ q: "+4915112" })).toEqual(["+4915112345678"]);
    for (const q of ["a_a", "ada%l", "'; --", "a\\d", "a\u0000"]) expect(await found({ q })).toEqual([]);
    expect(await found({ q: "@x.test" })).toHaveLength(5);
  });

  it("filters by contacts, consent, orders and returning, each way [people.filters]", async () => {
    const taken = await quiz();
    await person(taken, [{ email: "yes@x.test", consent: true }]);
    await person(taken, [{ email: "no@x.test", consent: false }, { phone: "+491511" }]);
    await person(taken, [{ phone: "+491522" }], day("05T10:00:00Z"));
    await person(taken, [{ phone: "+491522" }], day("06T10:00:00Z"));
    await db()
      .forStore(store.uuid)
      .all(sql`UPDATE profiles SET orders_count = 1 WHERE store_id = ${ownStore} AND visits_count = 2`);
    const cases: [string, string[], string[]][] = [
      ["has_email", ["no@x.test", "yes@x.test"], ["+491522"]],
      ["has_phone", ["+491522", "no@x.test"], ["yes@x.test"]],
      ["has_marketing_consent", ["yes@x.test"], ["+491522", "no@x.test"]],
      ["has_order", ["+491522"], ["no@x.test", "yes@x.test"]],
      ["is_returning", ["+491522"], ["no@x.test", "yes@x.test"]],
    ];
    for (const [name, yes, no] of cases) {
      expect((await found({ [name]: "true" })).sort(), name).toEqual(yes);
      expect((await found({ [name]: "false" })).sort(), name).toEqual(no);
    }
    expect(await found({ has_email: "true", has_phone: "true" })).toEqual(["no@x.test"]);
  });

  it("needs one session that meets from, to and quiz_id, by the UTC day of its start [people.days]", async () => {
    const [one, two] = [await quiz("one"), await quiz("two", new Date("2026-03-09"))];
    await person(one, [{ email: "a@x.test" }], day("05T23:59:00Z"), { startedAt: day("06T00:00:00Z") });
    await person(two, [{ email: "a@x.test" }], day("08T10:00:00Z"));
    await person(two, [{ email: "b@x.test" }], day("06T23:59:59.999Z"));
    expect(await found({ from: "2026-03-06", to: "2026-03-06" })).toEqual(["a@x.test", "b@x.test"]);
    expect(await found({ to: "2026-03-05" })).toEqual([]);
    expect(await found({ from: "2026-03-07" })).toEqual(["a@x.test"]);
    expect(await found({ quiz_id: formatId("quiz", one.quizId), from: "2026-03-07" })).toEqual([]);
    expect(await found({ quiz_id: formatId("quiz", two.quizId), from: "2026-03-07" })).toEqual(["a@x.test"]);
    expect(await found({ quiz_id: formatId("quiz", two.quizId) })).toHaveLength(2);
    expect(await found({ from: "0001-01-01", to: "9999-12-31" })).toHaveLength(2);
  });

  it("refuses what it does not know, field by field [people.parameters]", async () => {
    const other = await t.store();
    const foreign = await insertQuiz(db(), other.uuid, [surveyDocument]);
    const refused = {
      "colour=red": "query.colour",
      "limit=0": "query.limit",
      "limit=101": "query.limit",
      "limit=1e1": "query.limit",
      "limit=5&limit=6": "query.limit",
      "q=": "query.q",
      [`q=${"x".repeat(201)}`]: "query.q",
      "has_email=1": "query.has_email",
      "has_order=TRUE": "query.has_order",
      "is_returning=": "query.is_returning",
      "from=2026-02-30": "query.from",
      "to=2026-3-1": "query.to",
      "from=2026-03-02&to=2026-03-01": "query.from",
      "quiz_id=quiz_1": "query.quiz_id",
      [`quiz_id=${formatId("prof", foreign.id)}`]: "query.quiz_id",
      [`quiz_id=${formatId("quiz", foreign.id)}`]: "query.quiz_id",
    };
    for (const [query, field] of Object.entries(refused)) {
      const answer = await list(`?${query}`);
      expect(answer.status, query).toBe(422);
      expect(
        answer.body.errors.map((error: { field: string }) => error.field),
        query,
      ).toEqual([field]);
    }
  });

  it("lists neither removed people nor those of another store [people.removed, api.one-store]", async () => {
    const taken = await quiz();
    await person(taken, [{ email: "a@x.test" }]);
    expect((await list("", (await t.store()).key)).body.data).toEqual([]);
    await db()
      .forStore(store.uuid)
      .all(sql`UPDATE profiles SET removed_at = ${new Date(day("09"))} WHERE store_id = ${ownStore}`);
    expect((await list()).body.data).toEqual([]);
  });

  it("needs a key with profiles:read and takes GET only [people.access]", async () => {
    const narrow = await t.key(store, ["quizzes:read"]);
    expect((await t.request("GET", "/v1/profiles")).status).toBe(401);
    const refused = await list("", narrow);
    expect([refused.status, refused.body.required]).toEqual([403, ["profiles:read"]]);
    const post = await t.request("POST", "/v1/profiles", { key: store.key });
    expect([post.status, post.headers["allow"]]).toEqual([405, "GET, HEAD"]);
  });
});
