import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { openEndedQuiz, shortQuiz } from "./documents.ts";
import type { Client, ListOf, Person, PersonDetail, PersonSession, StoreObject } from "./http.ts";
import type { Place } from "./program.ts";
import { sharedProgram } from "./shared-program.ts";
import { openShopWithKey, publishQuiz, type Shop } from "./shop.ts";
import { type Live, newId, Visit, type VisitOptions } from "./visit.ts";

/** What the storefront takes, in whatever order and shape it arrives. */

let program: Place;
let shop: Shop;
let api: Client;
let live: Live;
let openEnded: Live;

beforeAll(async () => {
  program = await sharedProgram();
  ({ shop, api } = await openShopWithKey(program));
  live = await publishQuiz(program, shop, shortQuiz, "Short quiz");
  openEnded = await publishQuiz(program, shop, openEndedQuiz, "Open-ended quiz");
}, 120_000);

const visit = (options: VisitOptions = {}, where = live): Visit => new Visit(where, options);
const clean = (accepted: number) => ({ accepted, duplicates: 0, rejected: [] });
let names = 0;
const newName = (): string => {
  names += 1;
  return `shopper${names}.${randomUUID().slice(0, 8)}`;
};

const findPeople = async (q: string): Promise<Person[]> =>
  (await api.get<ListOf<Person>>(`/v1/profiles?q=${encodeURIComponent(q)}`)).body.data;

const detailOf = async (q: string): Promise<PersonDetail> => {
  const [found] = await findPeople(q);
  expect(found, `nobody with ${q}`).toBeDefined();
  return (await api.get<PersonDetail>(`/v1/profiles/${found?.id}`)).body;
};

const sessionOf = async (q: string): Promise<PersonSession | undefined> => (await detailOf(q)).sessions[0];

/** Opens, answers, leaves a contact, finishes: nine events in order. */
function wholeTake(v: Visit, name: string) {
  const first = [v.opened(), v.entered("first", "start"), v.chose("first", "pick", "one")];
  const contact = [v.entered("contact"), v.wrote("contact", "mail", `${name}@example.com`, false)];
  return [...first, ...contact, v.entered("result"), v.finished("result")];
}

describe("arrival", () => {
  it("counts a repeated event as a duplicate that changes nothing, at any later time [storefront.repeated-events]", async () => {
    const name = newName();
    const v = visit();
    const events = wholeTake(v, name);
    expect((await v.send(...events)).body).toEqual(clean(events.length));
    const before = await detailOf(name);
    expect((await v.send(...events)).body).toEqual({ accepted: 0, duplicates: events.length, rejected: [] });
    const altered = events.map((event) => ("option_ids" in event ? { ...event, option_ids: ["two"] } : event));
    expect((await v.send(...altered)).body).toEqual({ accepted: 0, duplicates: events.length, rejected: [] });
    const twice = v.entered("first", "back");
    const answer = await v.send(twice, twice);
    expect([answer.body.accepted, answer.body.duplicates]).toEqual([1, 1]);
    const after = await detailOf(name);
    expect(after.latest_results).toEqual(before.latest_results);
    expect(after.sessions_count).toBe(1);
  });

  it("comes to the same in order, backwards, one by one, split and concurrent [sessions.event-set]", async () => {
    const from = Date.now() - 600_000;
    const take = async (post: (v: Visit, events: ReturnType<typeof wholeTake>) => Promise<unknown>) => {
      const name = newName();
      const v = visit({ from });
      await post(v, wholeTake(v, name));
      const { sessions, latest_results, ...person } = await detailOf(name);
      const [session] = sessions;
      const { started_at, completed_at, ended_at, session_id, ...facts } = session as PersonSession;
      expect(session_id).toBe(v.session.id);
      const length = Date.parse(completed_at ?? "") - Date.parse(started_at);
      const answers = latest_results[0]?.answers.map(({ value, values, component_key, ...rest }) =>
        component_key === "mail" ? { component_key, ...rest } : { component_key, value, values, ...rest },
      );
      const { completed_count, sessions_count, returning, identities } = person;
      const consents = identities.map(({ kind, consent }) => ({ kind, consent }));
      const ended = ended_at === completed_at;
      expect(Math.abs(length - 4000)).toBeLessThan(3000);
      return { facts, answers, completed_count, sessions_count, returning, consents, ended };
    };
    const whole = await take((v, events) => v.send(...events));
    expect(whole).toMatchObject({ facts: { status: "completed", pages_visited: 3 }, ended: true });
    const others = await Promise.all([
      take((v, events) => v.send(...events.reverse())),
      take(async (v, events) => {
        for (const event of events.reverse()) await v.send(event);
      }),
      take(async (v, events) => {
        await v.send(...events.slice(4));
        await v.send(...events.slice(0, 4));
      }),
      take((v, events) => Promise.all(events.map((event) => v.send(event)))),
    ]);
    for (const other of others) expect(other).toEqual(whole);
  });

  it("does not let invalid events spoil their batch [storefront.bad-events]", async () => {
    const name = newName();
    const v = visit();
    const events = wholeTake(v, name);
    const bad = [
      v.event("quiz_exploded"),
      v.event("page_entered", { page_key: "nowhere", cause: "next" }),
      v.event("page_entered", { page_key: "first", cause: "teleport" }),
      v.event("page_entered", { page_key: 7, cause: "next" }),
      v.chose("first", "pick", "no-such-option"),
      v.chose("first", "no-such-component", "one"),
      v.wrote("contact", "mail", { date: "2026-01-01", time: null }),
      { ...v.entered("first"), seq: -1 },
      { ...v.entered("first"), seq: 1.5 },
      { ...v.entered("first"), at: "yesterday" },
    ];
    const answer = await v.send(...bad.slice(0, 5), ...events, ...bad.slice(5));
    expect(answer.status).toBe(202);
    expect(answer.body.rejected.map(({ id }) => id).sort()).toEqual(bad.map(({ id }) => id).sort());
    expect(answer.body.rejected.every(({ reason }) => typeof reason === "string" && reason.length > 0)).toBe(true);
    expect([answer.body.accepted, answer.body.duplicates]).toEqual([events.length, 0]);
    expect((await sessionOf(name))?.status).toBe("completed");
  });

  it("does not reflect what was sent [storefront.bad-events]", async () => {
    const v = visit();
    const marked = [
      v.opened(),
      v.event("<script>mark</script>"),
      v.event("page_entered", { page_key: "<b>mark", cause: "next" }),
    ];
    expect((await v.send(...marked)).text).not.toContain("mark");
    const refused = await v.post({ ...v.batch([v.opened()]), store: "<b>mark", "<i>mark": 1 });
    expect(refused.status).toBeGreaterThanOrEqual(400);
    expect(refused.text).not.toContain("<b>mark");
  });

  it("takes text/plain, as sendBeacon sends it [storefront.body-types]", async () => {
    const name = newName();
    const v = visit();
    const events = wholeTake(v, name);
    const answer = await v.post(JSON.stringify(v.batch(events)), { "content-type": "text/plain;charset=UTF-8" });
    expect([answer.status, answer.body]).toEqual([202, clean(events.length)]);
    expect((await findPeople(name)).length).toBe(1);
  });

  it("survives NUL characters in every text of a shopper [storefront.texts]", async () => {
    const name = newName();
    const texts = { page_url: "https://shop.example/\u0000x", referrer: "\u0000", placement: "a\u0000b" };
    const utm = { source: "\u0000", medium: "m\u0000", campaign: null, content: null, term: null };
    const v = visit({ session: { ...texts, utm } });
    const events = wholeTake(v, name);
    const nul = v.wrote("contact", "mail2", `nul\u0000${name}@example.com`);
    const answer = await v.send(...events, nul);
    expect(answer.status, answer.text).toBe(202);
    expect(answer.body.accepted).toBeGreaterThanOrEqual(events.length);
    expect((await detailOf(name)).sessions[0]?.status).toBe("completed");
  });

  it("refuses what is no batch with 422, and an unknown publishable key with 404, to every origin [storefront.request-shape, storefront.unknown-store, storefront.other-origins]", async () => {
    const v = visit();
    const good = v.batch([v.opened()]);
    const tooMany = Array.from({ length: 101 }, () => v.entered("first"));
    const { id: _id, ...nameless } = good.session;
    const { channel: _channel, ...withoutChannel } = good.session;
    const bodies: unknown[] = [
      ...["{", "", "[]", "null", {}, { ...good, events: [] }, { ...good, events: tooMany }],
      ...[
        { ...good, session: nameless },
        { ...good, session: withoutChannel },
        { ...good, sent_at: "now" },
      ],
    ];
    for (const body of bodies) {
      const answer = await v.post(body, { "content-type": "application/json" });
      expect([body, answer.status]).toEqual([body, 422]);
      expect(answer.headers.get("content-type")).toContain("application/problem+json");
      expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    }
    const unknown = await v.post({ ...good, store: newId("pub") });
    expect([unknown.status, unknown.body]).toMatchObject([404, { title: "not_found", status: 404 }]);
    expect(unknown.headers.get("access-control-allow-origin")).toBe("*");
  });
});

describe("the end of a session", () => {
  it("keeps an incomplete finish, which completes once the answer comes [sessions.waiting-finish]", async () => {
    const name = newName();
    const v = visit();
    const mail = v.wrote("contact", "mail", `${name}@example.com`);
    const events = [v.opened(), v.entered("first", "start"), v.entered("contact"), mail, v.entered("result")];
    await v.send(...events);
    const finish = v.finished("result");
    const incomplete = await v.send(finish);
    expect(incomplete.status).toBe(202);
    expect(incomplete.body.rejected).toEqual([{ id: finish.id, reason: "incomplete" }]);
    expect((await sessionOf(name))?.status).toBe("in_progress");
    const late = { ...v.chose("first", "pick", "two"), at: finish.at };
    await v.send(late);
    const session = await sessionOf(name);
    expect(session?.status).toBe("completed");
  });

  it("finishes a quiz without a result page on its last reachable page only [sessions.finish, engine.finish-page]", async () => {
    const name = newName();
    const v = visit({}, openEnded);
    await v.send(v.opened(), v.entered("first", "start"), v.chose("first", "pick", "one"));
    const early = v.finished("first");
    expect((await v.send(early)).body.rejected).toMatchObject([{ id: early.id }]);
    const mail = v.wrote("last", "mail", `${name}@example.com`);
    await v.send(v.entered("last"), mail);
    expect((await sessionOf(name))?.status).toBe("in_progress");
    const finish = v.finished("last");
    expect((await v.send(finish)).body.rejected).toEqual([{ id: finish.id, reason: "incomplete" }]);
    await v.send(v.chose("last", "also", "a"));
    expect((await sessionOf(name))?.status).toBe("completed");
  });

  it("does not count required questions of a skipped page, and never un-finishes [sessions.finish-answers, sessions.finish-stays]", async () => {
    const name = newName();
    const v = visit({}, openEnded);
    const start = [v.opened(), v.entered("first", "start"), v.entered("last", "skip")];
    const answers = [v.chose("last", "also", "b"), v.wrote("last", "mail", `${name}@example.com`)];
    const done = await v.send(...start, ...answers, v.finished("last"));
    expect(done.body.rejected).toEqual([]);
    expect((await sessionOf(name))?.status).toBe("completed");
    await v.send(v.entered("first", "back"), v.chose("last", "also"));
    expect((await sessionOf(name))?.status).toBe("completed");
  });

  it("needs at least one answer [sessions.finish-answers]", async () => {
    const v = visit();
    const finish = [v.opened(), v.entered("result", "start"), v.finished("result")];
    const answer = await v.send(...finish);
    expect(answer.body.rejected).toEqual([{ id: finish[2]?.id, reason: "incomplete" }]);
  });

  it("rejects Back and Skip after 30 idle minutes, stores the rest, and still completes [sessions.back-and-skip]", async () => {
    const name = newName();
    const v = visit({ from: Date.now() - 50 * 60_000 }, openEnded);
    const begun = [v.opened(), v.entered("first", "start"), v.chose("first", "pick", "one"), v.entered("last")];
    await v.send(...begun, v.wrote("last", "mail", `${name}@example.com`));
    const left = await sessionOf(name);
    expect(left?.status).toBe("left");
    expect(Date.parse(left?.ended_at ?? "") - Date.parse(left?.started_at ?? "")).toBe(30 * 60_000 + 2000);
    v.idle(40);
    const [back, skip] = [v.entered("first", "back"), v.entered("last", "skip")];
    const next = v.chose("last", "also", "a");
    const answer = await v.send(back, skip, next);
    expect(answer.body.rejected.map(({ id }) => id).sort()).toEqual([back.id, skip.id].sort());
    expect(answer.body.accepted).toBe(1);
    const stored = await sessionOf(name);
    expect([stored?.status, stored?.last_page_key]).toEqual(["left", "last"]);
    expect((await v.send(v.finished("last"))).body.rejected).toEqual([]);
    const done = await detailOf(name);
    expect(done.sessions[0]?.status).toBe("completed");
    expect(done.latest_results[0]?.answers.map(({ component_key }) => component_key).sort()).toEqual([
      "also",
      "mail",
      "pick",
    ]);
  });

  it("takes Back and Skip after 29 minutes [sessions.gap]", async () => {
    const v = visit({ from: Date.now() - 40 * 60_000 }, openEnded);
    const first = [v.opened(), v.entered("first", "start"), v.chose("first", "pick", "one"), v.entered("last")];
    const answer = await v.send(...first, v.idle(29).entered("first", "back"), v.entered("last", "skip"));
    expect(answer.body).toEqual(clean(6));
  });

  it("is left while closed, and goes on when the shopper does [sessions.closed]", async () => {
    const name = newName();
    const v = visit();
    const begun = [v.opened(), v.chose("first", "pick", "one")];
    await v.send(...begun, v.wrote("contact", "mail", `${name}@example.com`), v.event("quiz_closed"));
    expect(await sessionOf(name)).toMatchObject({ status: "left", completed_at: null, ended_at: expect.any(String) });
    await v.send(v.entered("contact"));
    expect(await sessionOf(name)).toMatchObject({ status: "in_progress", ended_at: null });
  });

  it("is left when restarted, and the next session stands alone [sessions.restarted]", async () => {
    const name = newName();
    const v = visit();
    const next = visit({ session: { visitor_id: v.session["visitor_id"] } });
    const mail = v.wrote("contact", "mail", `${name}@example.com`);
    const restart = v.event("quiz_restarted", { next_session_id: next.session.id });
    expect((await v.send(v.chose("first", "pick", "one"), mail, restart)).body).toEqual(clean(3));
    expect((await next.send(...wholeTake(next, name))).body).toEqual(clean(7));
    const person = await detailOf(name);
    expect(person).toMatchObject({ sessions_count: 2, completed_count: 1, quizzes_taken_count: 1, returning: false });
    const old = person.sessions.find(({ session_id }) => session_id === v.session.id);
    expect(old).toMatchObject({ status: "left", completed_at: null });
  });

  it("keeps corrected times out of the future and near the session's first [time.corrected, time.event-bounds]", async () => {
    const name = newName();
    const v = visit({ from: Date.now() - 60_000 });
    const start = [v.opened(), v.entered("first", "start"), v.chose("first", "pick", "one")];
    const mail = v.wrote("contact", "mail", `${name}@example.com`);
    const off = { ...v.entered("result"), at: "2031-01-01T00:00:00.000Z" };
    const early = { ...v.finished("result"), at: new Date(Date.now() - 48 * 3_600_000).toISOString() };
    const tooOld = { ...v.entered("first"), at: "2001-01-01T00:00:00.000Z" };
    await v.send(...start);
    const answer = await v.send(mail, off, early, tooOld);
    expect(answer.body).toMatchObject({ accepted: 3, rejected: [{ id: tooOld.id, reason: "too_old" }] });
    const session = await sessionOf(name);
    const open = Date.parse(start[0]?.at ?? "");
    expect(Date.parse((await detailOf(name)).last_seen_at)).toBeLessThanOrEqual(Date.now() + 1000);
    expect(Math.abs(Date.parse(session?.completed_at ?? "") - (open - 3_600_000))).toBeLessThan(5000);
  });

  it("corrects a wrong browser clock by the difference [time.corrected]", async () => {
    const name = newName();
    const wrong = Date.now() - 3 * 365 * 86_400_000;
    const v = visit({ from: wrong });
    const events = wholeTake(v, name);
    await v.post(v.batch(events, { sent_at: new Date(v.now).toISOString() }));
    const session = await sessionOf(name);
    expect(Math.abs(Date.now() - Date.parse(session?.completed_at ?? ""))).toBeLessThan(15_000);
  });
});

describe("answers", () => {
  it("are cleared by null and by an empty list [engine.clearing]", async () => {
    const name = newName();
    const v = visit({}, openEnded);
    const picked = [v.chose("first", "pick", "one"), v.chose("last", "also", "a")];
    await v.send(...picked, v.wrote("last", "mail", `${name}@example.com`), v.chose("first", "pick"));
    const finish = v.finished("last");
    expect((await v.send(finish)).body.rejected).toEqual([{ id: finish.id, reason: "incomplete" }]);
    await v.send(v.chose("first", "pick", "two"));
    const [result] = (await detailOf(name)).latest_results;
    expect(result?.answers.find(({ component_key }) => component_key === "pick")?.values).toEqual(["Label of two"]);
    const cleared = await v.send(v.wrote("last", "mail", null));
    expect(cleared.body).toEqual(clean(1));
  });

  it("enter their page where nothing said so [sessions.pages]", async () => {
    const name = newName();
    const v = visit();
    await v.send(v.chose("first", "pick", "one"), v.wrote("contact", "mail", `${name}@example.com`));
    expect(await sessionOf(name)).toMatchObject({ pages_visited: 2, last_page_key: "contact", last_page_position: 2 });
  });

  it("are the last by seq, not by arrival or time [sessions.answers, sessions.order]", async () => {
    const name = newName();
    const v = visit();
    const [older, newer] = [v.chose("first", "pick", "one"), v.chose("first", "pick", "two")];
    const rest = [v.wrote("contact", "mail", `${name}@example.com`), v.entered("result"), v.finished("result")];
    await v.send({ ...newer, at: new Date(v.now - 30_000).toISOString() }, ...rest);
    await v.send(older);
    const [result] = (await detailOf(name)).latest_results;
    expect(result?.answers[0]?.values).toEqual(["Label of two"]);
  });
});

describe("a preview", () => {
  it("leaves no trace: no person, no credit [sessions.previews, people.new-person]", async () => {
    const name = newName();
    const credits = async () => (await api.get<StoreObject>("/v1/store")).body.credits.used;
    const before = await credits();
    const v = visit({ session: { preview: true } });
    expect((await v.send(...wholeTake(v, name))).status).toBe(202);
    expect(await findPeople(name)).toEqual([]);
    expect(await credits()).toBe(before);
  });
});
