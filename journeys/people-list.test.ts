import { beforeAll, describe, expect, it } from "vitest";
import { shortQuiz } from "./documents.ts";
import { type Client, type ListOf, type Person, type PersonDetail, pagesOf } from "./http.ts";
import type { Place } from "./program.ts";
import { sharedProgram } from "./shared-program.ts";
import { importLines, openShopWithKey, publishQuiz, type Shop } from "./shop.ts";
import { type Live, newId, Visit } from "./visit.ts";

/** The list of people against a plain model of who was there when, over an imported history. */

interface Stay {
  minute: number;
  quiz: number;
}

interface Someone {
  email: string | null;
  phone: string | null;
  consent: boolean | null;
  stays: Stay[];
}

const day = 24 * 60;
const epoch = Date.parse("2026-03-01T12:00:00.000Z");
/** Minutes of each person's sessions, from an own beginning. */
const rhythms = [[0], [0, 10], [0, 2 * day], [0, 29], [0, 31], [0, 20, 40], [0, 40 * day], [0, 5, 3 * day, 9 * day]];

const people: Someone[] = Array.from({ length: 32 }, (_, i) => {
  const withEmail = i % 3 !== 0;
  const withPhone = i % 3 !== 1;
  const consent = !withEmail ? null : i % 4 === 0 ? true : i % 4 === 1 ? false : null;
  const begin = i * (day + 97);
  return {
    email: withEmail ? `Guest_${i}x@Example.com`.toLowerCase() : null,
    phone: withPhone ? `+4915123456${100 + i}` : null,
    consent,
    stays: (rhythms[i % rhythms.length] ?? []).map((minute, k) => ({ minute: begin + minute, quiz: (i + k) % 2 })),
  };
});

const timeOf = (stay: Stay): number => epoch + stay.minute * 60_000;
const dateOf = (stay: Stay): string => new Date(timeOf(stay)).toISOString().slice(0, 10);
const visits = ({ stays }: Someone): number =>
  stays.filter((stay, k) => k === 0 || stay.minute - (stays[k - 1]?.minute ?? 0) >= 30).length;
const nameOf = ({ email, phone }: { email: string | null; phone: string | null }): string => `${email}|${phone}`;
const lastSeen = ({ stays }: Someone): number => Math.max(...stays.map(timeOf));
const newestFirst = (some: readonly Someone[]): string[] =>
  some.toSorted((a, b) => lastSeen(b) - lastSeen(a)).map(nameOf);

let program: Place;
let shop: Shop;
let api: Client;
let quizzes: Live[];
let lines: string[];

function linesOf(someone: Someone): string[] {
  const visitor_id = newId("vis");
  return someone.stays.map((stay) => {
    const v = new Visit(quizzes[stay.quiz] as Live, { from: timeOf(stay), session: { visitor_id } });
    const events = [v.opened(), v.chose("first", "pick", "one")];
    if (someone.email !== null && someone.consent !== null) {
      events.push(v.wrote("contact", "mail", someone.email, someone.consent));
    } else if (someone.email !== null) events.push(v.wrote("contact", "mail2", someone.email));
    if (someone.phone !== null) events.push(v.wrote("contact", "tel", someone.phone));
    return v.line([...events, v.entered("result"), v.finished("result")]);
  });
}

beforeAll(async () => {
  program = await sharedProgram();
  ({ shop, api } = await openShopWithKey(program, { limits: { capacity: 100_000, leak_per_second: 10_000 } }));
  quizzes = [
    await publishQuiz(program, shop, shortQuiz, "Quiz A"),
    await publishQuiz(program, shop, shortQuiz, "Quiz B"),
  ];
  lines = people.flatMap(linesOf);
  await importLines(program.data, "events", shop.store_id, lines);
}, 120_000);

const list = async (query: string): Promise<Person[]> => {
  const answer = await api.get<ListOf<Person>>(`/v1/profiles?limit=100${query}`);
  expect(answer.status, `${query} ${answer.text}`).toBe(200);
  return answer.body.data;
};

const names = async (query: string): Promise<string[]> => (await list(query)).map(nameOf);

describe("imported history", () => {
  it("gives people the times as they were, newest last-seen first [people.list, sessions.imports]", async () => {
    const listed = await list("");
    expect(listed.map(nameOf)).toEqual(newestFirst(people));
    for (const person of listed) {
      const model = people.find((someone) => nameOf(someone) === nameOf(person));
      const times = model?.stays.map(timeOf) ?? [];
      const seen = Date.parse(person.last_seen_at ?? "") - Math.max(...times);
      expect(seen >= 0 && seen <= 10_000, `${person.last_seen_at}`).toBe(true);
      expect(new Date(Date.parse(person.first_seen_at ?? "")).toISOString()).toBe(
        new Date(Math.min(...times)).toISOString(),
      );
      expect(person).toMatchObject({ sessions_count: times.length, completed_count: times.length });
    }
  });

  it("counts visits: sessions less than 30 minutes apart are one [people.visits]", async () => {
    for (const person of await list("")) {
      const model = people.find((someone) => nameOf(someone) === nameOf(person)) as Someone;
      const counted = visits(model);
      expect([nameOf(person), person.returning]).toEqual([nameOf(person), counted > 1]);
      const detail = (await api.get<PersonDetail>(`/v1/profiles/${person.id}`)).body;
      expect([detail.returning, detail.returning_count]).toEqual([counted > 1, counted - 1]);
      const flags = detail.sessions
        .toSorted((a, b) => a.started_at.localeCompare(b.started_at))
        .map((s) => s.returning);
      expect(flags).toEqual(model.stays.map((_, k) => k > 0));
    }
  });

  it("changes nothing when imported again [storefront.repeated-events, sessions.imports]", async () => {
    const before = await list("");
    await importLines(program.data, "events", shop.store_id, lines.slice(0, 20));
    expect(await list("")).toEqual(before);
  });
});

type Holds = (someone: Someone) => boolean;

interface Span {
  from?: string;
  to?: string;
  quiz?: number;
}

/** One session meets all three of from, to and quiz. */
const inSpan =
  ({ from = "0", to = "9", quiz }: Span): Holds =>
  ({ stays }) =>
    stays.some((stay) => dateOf(stay) >= from && dateOf(stay) <= to && (quiz === undefined || stay.quiz === quiz));

const facts: [string, Holds][] = [
  ["&has_email=true", ({ email }) => email !== null],
  ["&has_email=false", ({ email }) => email === null],
  ["&has_phone=true", ({ phone }) => phone !== null],
  ["&has_phone=false", ({ phone }) => phone === null],
  ["&has_order=true", () => false],
  ["&has_order=false", () => true],
  ["&has_marketing_consent=true", ({ consent }) => consent === true],
  ["&has_marketing_consent=false", ({ consent }) => consent !== true],
  ["&is_returning=true", (someone) => visits(someone) > 1],
  ["&is_returning=false", (someone) => visits(someone) === 1],
  ["&q=GUEST_1", ({ email }) => email?.includes("guest_1") ?? false],
  ["&q=1234561", ({ phone }) => phone?.includes("1234561") ?? false],
];

const spans: Span[] = [
  { from: "2026-03-10" },
  { to: "2026-03-08" },
  { from: "2026-03-05", to: "2026-03-05" },
  { from: "2026-04-10", to: "2026-04-20" },
  { quiz: 0 },
  { quiz: 1 },
  { quiz: 1, to: "2026-03-08" },
  { quiz: 0, from: "2026-03-12", to: "2026-03-16" },
  { quiz: 1, from: "2026-04-05" },
];

const queryOf = ({ from, to, quiz }: Span): string =>
  [
    from === undefined ? "" : `&from=${from}`,
    to === undefined ? "" : `&to=${to}`,
    quiz === undefined ? "" : `&quiz_id=${quizzes[quiz]?.quiz_id}`,
  ].join("");

describe("filters", () => {
  const check = async (query: string, holds: Holds): Promise<void> => {
    expect([query, await names(query)]).toEqual([query, newestFirst(people.filter(holds))]);
  };

  it("hold alone [people.filters, people.days]", async () => {
    for (const [query, holds] of facts) await check(query, holds);
    for (const span of spans) await check(queryOf(span), inSpan(span));
  });

  it("hold together [people.filters, people.days]", async () => {
    for (const [query, holds] of facts) {
      for (const [other, too] of facts) {
        if (query.split("=")[0] !== other.split("=")[0]) await check(query + other, (p) => holds(p) && too(p));
      }
    }
    for (const span of spans) {
      for (const [query, holds] of facts) await check(query + queryOf(span), (p) => holds(p) && inSpan(span)(p));
    }
  });

  it("take q literally: nothing in it is a pattern [people.part-of-contact]", async () => {
    expect(await names("&q=guest%251")).toEqual([]);
    expect(await names("&q=%25")).toEqual([]);
    expect(await names("&q=guest.1")).toEqual([]);
    expect(await names("&q=1_")).toEqual([]);
    expect(await names("&q=%5C")).toEqual([]);
    expect(await names("&q=%27%20OR%201=1--")).toEqual([]);
    await check("&q=_", ({ email }) => email !== null);
    await check("&q=%2B4915", ({ phone }) => phone !== null);
    await check("&q=X%40eXample", ({ email }) => email !== null);
    await check(`&q=${encodeURIComponent("guest_31x@example.com")}`, ({ email }) => email === "guest_31x@example.com");
  });

  it("refuse values that are none, naming the parameter [people.parameters]", async () => {
    const refused: [string, string][] = [
      ...["", "a".repeat(201)].map((q): [string, string] => [`q=${q}`, "query.q"]),
      ...["1", "yes", "TRUE", ""].map((flag): [string, string] => [`has_email=${flag}`, "query.has_email"]),
      ["from=2026-02-30", "query.from"],
      ["to=01-02-2026", "query.to"],
      ["from=2026-03-01T00:00:00Z", "query.from"],
      ["quiz_id=quiz_1", "query.quiz_id"],
      [`quiz_id=${newId("quiz")}`, "query.quiz_id"],
      ["limit=0", "query.limit"],
      ["limit=101", "query.limit"],
      ["has_mail=true", "query.has_mail"],
      ["match=any_session", "query.match"],
      ["cursor=", "query.cursor"],
      ["cursor=abc", "query.cursor"],
      ["is_returning=true&is_returning=true", "query.is_returning"],
    ];
    for (const [query, field] of refused) {
      const answer = await api.get(`/v1/profiles?${query}`);
      expect([query, answer.status, answer.body.title]).toEqual([query, 422, "validation_error"]);
      expect([query, answer.body.errors?.map((error) => error.field)]).toEqual([query, [field]]);
    }
  });
});

describe("pages", () => {
  it("walk the whole list once, in order, at every size [people.list-pages]", async () => {
    const whole = await list("");
    for (const limit of [1, 3, 7, 100]) {
      const pages = await pagesOf<Person>(api, `/v1/profiles?limit=${limit}`);
      expect(pages.flat()).toEqual(whole);
      expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true);
    }
    expect((await pagesOf<Person>(api, "/v1/profiles"))[0]).toHaveLength(20);
  });

  it("keep the filters, and refuse a cursor under others, of another route and changed by a letter [api.cursors]", async () => {
    const query = `/v1/profiles?limit=2&has_phone=true&quiz_id=${quizzes[0]?.quiz_id}`;
    const pages = await pagesOf<Person>(api, query);
    expect(pages.flat().map(nameOf)).toEqual(await names(`&has_phone=true&quiz_id=${quizzes[0]?.quiz_id}`));
    const cursor = (await api.get<ListOf<Person>>("/v1/profiles?limit=2&has_phone=true")).body.next_cursor ?? "";
    expect(cursor.length).toBeLessThanOrEqual(200);
    const middle = Math.floor(cursor.length / 2);
    const letter = cursor[middle] === "A" ? "B" : "A";
    const changed = `${cursor.slice(0, middle)}${letter}${cursor.slice(middle + 1)}`;
    const wrong = [
      `/v1/profiles?limit=2&has_phone=false&cursor=${cursor}`,
      `/v1/profiles?limit=2&cursor=${cursor}`,
      `/v1/quizzes?cursor=${cursor}`,
      `/v1/profiles?limit=2&has_phone=true&cursor=${changed}`,
      `/v1/profiles?limit=2&has_phone=true&cursor=${cursor}${"a".repeat(200)}`,
    ];
    for (const path of wrong) {
      const answer = await api.get(path);
      expect([path, answer.status, answer.body.errors?.[0]?.field]).toEqual([path, 422, "query.cursor"]);
    }
    expect((await api.get(`/v1/profiles?has_phone=true&limit=5&cursor=${cursor}`)).status).toBe(200);
  });

  it("are not disturbed by a person who comes mid-walk [people.list-pages]", async () => {
    const whole = (await list("")).map(({ id }) => id);
    const first = (await api.get<ListOf<Person>>("/v1/profiles?limit=10")).body;
    const v = new Visit(quizzes[0] as Live);
    await v.send(v.chose("first", "pick", "one"), v.wrote("contact", "mail", "newcomer@example.com"));
    const second = (await api.get<ListOf<Person>>(`/v1/profiles?limit=100&cursor=${first.next_cursor}`)).body;
    expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(whole);
    expect((await list(""))[0]?.email).toBe("newcomer@example.com");
  });
});
