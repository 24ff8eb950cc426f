import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { askedOf, at, type HandStore, openHandStore, uuid } from "../../../testkit/hand-copy.ts";
import { breakdown } from "./breakdown.ts";
import { traffic } from "./traffic.ts";

let hand: HandStore;
beforeAll(async () => {
  hand = await openHandStore();
});
beforeEach(() => hand.begin());
afterAll(() => hand.close());

let sessions = 0;
const session = (opened: string, more: Record<string, unknown> = {}) => {
  sessions += 1;
  return hand.copy.put("sessions", { session: sessions, visitor: uuid(sessions), opened: at(opened), ...more });
};
const march = (more: Parameters<typeof askedOf>[4] = {}) =>
  askedOf(hand, hand.quizId, "2026-03-01", "2026-03-31", more);
const nothing = { starts: 0, completions: 0, email_opt_ins: 0, phone_opt_ins: 0 };

it("counts each value's sessions on the day of each thing, most views first, then by value [figures.breakdown, figures.own-day, figures.unique-viewers]", async () => {
  await session("2026-03-01T10:00", { channel: "email", visitor: uuid(1) });
  await session("2026-03-02T10:00", { channel: "email", visitor: uuid(1) });
  await session("2026-03-02T10:00", {
    channel: "social",
    started: at("2026-03-02T10:00"),
    email_at: at("2026-03-02T10:01"),
  });
  await session("2026-03-02T10:00", {
    channel: "onsite",
    started: at("2026-04-01T00:00"),
    phone_at: at("2026-03-31T23:59"),
  });
  // opened before the range, finished in it
  await session("2026-02-28T23:59", { channel: "popup", completed: at("2026-03-01T00:00") });
  await session("2026-02-28T23:59", { channel: "none_of_it" });
  await session("2026-03-02T10:00", { channel: "email", quiz: 2 });
  const { rows, by, quiz_id } = await breakdown(hand.copy.query, hand.db, march(), "channel");
  expect([by, quiz_id]).toEqual(["channel", `quiz_${hand.quizId.replaceAll("-", "")}`]);
  expect(rows).toEqual([
    { value: "email", views: 2, unique_viewers_approx: 1, ...nothing },
    { value: "onsite", views: 1, unique_viewers_approx: 1, ...nothing, phone_opt_ins: 1 },
    { value: "social", views: 1, unique_viewers_approx: 1, ...nothing, starts: 1, email_opt_ins: 1 },
    { value: "popup", views: 0, unique_viewers_approx: 0, ...nothing, completions: 1 },
  ]);
});

it("splits by device, by new and returning, and by country with `unknown`, of the store too [figures.breakdown, figures.whole-store]", async () => {
  await session("2026-03-01T10:00", { device: "tablet", is_returning: true, country: "DE" });
  await session("2026-03-01T10:00", { quiz: 2 });
  const values = async (by: Parameters<typeof breakdown>[3]) => {
    const store = askedOf(hand, null, "2026-03-01", "2026-03-01");
    const { rows, quiz_id } = await breakdown(hand.copy.query, hand.db, store, by);
    expect(quiz_id).toBeNull();
    return rows.map(({ value }) => value);
  };
  expect(await values("device")).toEqual(["mobile", "tablet"]);
  expect(await values("new_returning")).toEqual(["new", "returning"]);
  expect(await values("country")).toEqual(["DE", "unknown"]);
  expect((await breakdown(hand.copy.query, hand.db, march({ country: "DE" }), "device")).rows).toHaveLength(1);
});

it("lists the sources with most views, and all others as one whose visitors are no sum [figures.traffic-sources, figures.traffic-other]", async () => {
  for (const host of ["a.example", "a.example", "b.example", "c.example", "direct", null]) {
    await session("2026-03-01T10:00", { referrer_host: host, visitor: uuid(7), started: at("2026-03-01T10:00") });
  }
  const body = await traffic(hand.copy.query, hand.db, march(), "referrer_host", 2);
  const two = { views: 2, unique_viewers: 1, ...nothing, starts: 2 };
  expect(body.rows).toEqual([
    { value: "a.example", ...two },
    { value: "direct", ...two },
  ]);
  expect(body.other).toEqual({ value: "other", ...two });
  const all = await traffic(hand.copy.query, hand.db, march(), "referrer_host", 1000);
  expect(all.rows.map(({ value, views }) => [value, views])).toEqual([
    ["a.example", 2],
    ["direct", 2],
    ["b.example", 1],
    ["c.example", 1],
  ]);
  expect(all.other).toEqual({ value: "other", views: 0, unique_viewers: 0, ...nothing });
});

it("calls what is empty `none` for any source but the referrer [figures.traffic-sources]", async () => {
  await session("2026-03-01T10:00", { utm_source: "news", page_url: "https://shop.example/a" });
  await session("2026-03-01T10:00", { utm_source: null });
  const values = async (by: Parameters<typeof traffic>[3]) =>
    (await traffic(hand.copy.query, hand.db, march(), by, 25)).rows.map(({ value }) => value);
  expect(await values("utm_source")).toEqual(["news", "none"]);
  expect(await values("page_url")).toEqual(["https://shop.example/a", "none"]);
  for (const by of ["utm_medium", "utm_campaign", "utm_content", "utm_term", "placement"] as const) {
    expect(await values(by)).toEqual(["none"]);
  }
});

it("has a row `other` and no rows without data [figures.traffic-other]", async () => {
  const body = await traffic(hand.copy.query, hand.db, march(), "referrer_host", 25);
  expect(body).toMatchObject({ by: "referrer_host", rows: [], other: { value: "other", views: 0 } });
});
