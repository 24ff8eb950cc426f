import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { batchShape, eventShapes, type ShopperEvent } from "../contract/storefront.ts";
import { normaliseAnswer } from "../engine/answers.ts";
import { compileQuiz } from "../engine/compile-quiz.ts";
import type { AnswerValue } from "../engine/document.ts";
import { missingRequired } from "../engine/missing.ts";
import { firstStep, isFinishPage, nextStep } from "../engine/path.ts";
import { productsToShow } from "../engine/products.ts";
import type { Quiz } from "../engine/quiz.ts";
import { newValidator } from "../server/platform/http/shapes.ts";
import { arbitraryDocument } from "../testkit/documents.ts";
import { createAnswering } from "./answering.ts";
import { instantSession } from "./browser.ts";
import { devices } from "./devices.ts";
import { demoQuizzes } from "./quizzes.ts";
import { createRandom } from "./random.ts";
import type { ShopperSession } from "./session.ts";
import { type PlannedQuiz, planShoppers } from "./shoppers.ts";

const day = 86_400_000;
const to = Date.UTC(2026, 4, 31, 15, 20);
const from = to - 60 * day;
const hex = (letter: string) => letter.repeat(32);

const quizzes: PlannedQuiz[] = demoQuizzes.map(({ share, versions }, quiz) => ({
  quiz_id: `quiz_${hex(String(quiz + 1))}`,
  share,
  versions: versions.map(({ document, publishedDaysBeforeEnd }, index) => ({
    version_id: `ver_${hex(`${quiz + 1}${index + 1}`).slice(0, 32)}`,
    version_number: index + 1,
    document,
    from: publishedDaysBeforeEnd === null ? from : to - publishedDaysBeforeEnd * day,
  })),
}));
const compiled = new Map(
  quizzes.flatMap(({ versions }) => versions.map((version) => [version.version_id, compileQuiz(version.document)])),
);
const plan = (seed: string | number, sessions: number) => [...planShoppers({ seed, quizzes, from, to, sessions })];

const ajv = newValidator();
const isBatch = ajv.compile(batchShape);
const isEvent = Object.fromEntries(Object.entries(eventShapes).map(([type, shape]) => [type, ajv.compile(shape)]));

/** A session's events once each, by `seq`. */
const eventsOf = ({ batches }: ShopperSession): ShopperEvent[] =>
  [...new Map(batches.flatMap(({ events }) => events).map((event) => [event.id, event])).values()].sort(
    (a, b) => a.seq - b.seq,
  );

/** What a legal walk is, written a second time without the walk's own code. */
function checkWalk(quiz: Quiz, events: ShopperEvent[]): void {
  const answers = new Map<string, AnswerValue>();
  const stayed = new Set<string>();
  const trail: string[] = [];
  let here = "";
  let timedOut = false;
  let before = Date.parse(events[0]!.at);
  for (const [index, event] of events.entries()) {
    const at = Date.parse(event.at);
    expect(event.seq).toBe(index);
    expect(at).toBeGreaterThanOrEqual(before);
    timedOut ||= at - before >= 30 * 60_000;
    before = at;
    if (event.type === "page_entered") {
      const expected =
        index === 1 || event.cause === "restart" ? firstStep(quiz, answers) : nextStep(quiz, here, answers);
      if (event.cause === "back") expect(trail).toContain(event.page_key);
      else {
        expect(expected).toMatchObject({ kind: "page", page_key: event.page_key });
        if (event.cause !== "skip" && event.cause !== "restart") expect(expected).toMatchObject({ cause: event.cause });
        expect((expected.kind === "page" && expected.hidden_page_keys) || []).toEqual(event.hidden_page_keys ?? []);
      }
      if (event.cause === "back" || event.cause === "skip") expect(timedOut).toBe(false);
      if (event.cause === "skip") expect(quiz.pages.get(here)?.page.skippable).toBe(true);
      if (event.cause === "skip") stayed.delete(here);
      if (event.cause === "next" || event.cause === "jump") expect(missingRequired(quiz, answers, [here])).toEqual([]);
      here = event.page_key;
      stayed.add(here);
      trail.push(here);
    } else if (event.type === "answer_saved") {
      const question = quiz.questions.get(event.component_key);
      expect(question?.placed.page.page_key).toBe(here);
      expect(event.page_key).toBe(here);
      const checked = normaliseAnswer(question!.component, event);
      expect(checked).toMatchObject({ ok: true });
      if (checked.ok && checked.value) answers.set(event.component_key, checked.value);
      else answers.delete(event.component_key);
      const box = "consent" in question!.component ? question!.component.consent : undefined;
      if (box === null) expect(event.consent).toBeNull();
      else if (box) expect(event.consent).toBe(box.required || event.consent);
      else expect(event.consent).toBeUndefined();
    } else if (event.type === "products_shown") {
      expect(event.page_key).toBe(here);
      expect(event.products).toEqual(productsToShow(quiz, event.block_key, answers));
    } else if (event.type === "quiz_finished") {
      expect(event.page_key).toBe(here);
      expect(isFinishPage(quiz, here, answers)).toBe(true);
      expect(answers.size).toBeGreaterThan(0);
      expect(missingRequired(quiz, answers, stayed)).toEqual([]);
    }
  }
}

const checkSession = (session: ShopperSession, quiz: Quiz) => {
  for (const { sentAt, events } of session.batches) {
    expect(events.length).toBeGreaterThan(0);
    expect(events.length).toBeLessThanOrEqual(8);
    for (const event of events) {
      expect(isEvent[event.type]!(event), JSON.stringify(isEvent[event.type]!.errors)).toBe(true);
      expect(Date.parse(event.at)).toBeLessThanOrEqual(sentAt);
    }
    const body = {
      store: `pub_${hex("0")}`,
      sent_at: new Date(sentAt).toISOString(),
      session: session.session,
      events,
    };
    expect(isBatch(body), JSON.stringify(isBatch.errors)).toBe(true);
  }
  const sentAts = session.batches.map(({ sentAt }) => sentAt);
  expect(sentAts).toEqual(sentAts.toSorted((a, b) => a - b));
  checkWalk(quiz, eventsOf(session));
};

describe("simulated shoppers", () => {
  it("are the same for the same seed, and others for another", () => {
    expect(plan("a", 60)).toEqual(plan("a", 60));
    expect(JSON.stringify(plan("a", 5))).not.toBe(JSON.stringify(plan("b", 5)));
  });

  it("are made one at a time", () => {
    const first = planShoppers({ seed: "a", quizzes, from, to, sessions: 500 }).next().value;
    expect(first).toEqual(plan("a", 500)[0]);
  });

  it("send valid events, legal walks and accepted answers, whatever the seed [engine.next-page, storefront.event-types]", () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        for (const session of plan(seed, 40)) checkSession(session, compiled.get(session.session.version_id)!);
      }),
      { numRuns: 15 },
    );
  });

  it("open in order of time, as many as asked for, on the version that is live", () => {
    const sessions = plan("order", 800);
    expect(sessions).toHaveLength(800);
    expect(new Set(sessions.map(({ session }) => session.id)).size).toBe(800);
    const openings = sessions.map((session) => Date.parse(eventsOf(session)[0]!.at));
    expect(openings).toEqual(openings.toSorted((a, b) => a - b));
    for (const [index, { session, batches }] of sessions.entries()) {
      const at = openings[index]!;
      expect(at).toBeGreaterThanOrEqual(from);
      expect(batches.at(-1)!.sentAt).toBeLessThanOrEqual(to);
      const live = quizzes
        .find(({ quiz_id }) => quiz_id === session.quiz_id)!
        .versions.filter((version) => version.from <= at);
      expect(session.version_id).toBe(live.at(-1)!.version_id);
    }
  });

  const many = plan("variety", 3000);

  it("show every kind of ending, cause, event and person", () => {
    const sessions = many;
    const all = sessions.map(eventsOf);
    const has = (test: (events: ShopperEvent[]) => boolean) => all.filter(test).length;
    for (const type of Object.keys(eventShapes))
      expect(has((events) => events.some((event) => event.type === type))).toBeGreaterThan(5);
    for (const cause of ["start", "next", "jump", "skip", "back", "restart"]) {
      expect(
        has((events) => events.some((event) => event.type === "page_entered" && event.cause === cause)),
      ).toBeGreaterThan(5);
    }
    const share = (ending: string) => sessions.filter((session) => session.ending === ending).length / 3000;
    expect(share("finished")).toBeGreaterThan(0.25);
    expect(share("finished")).toBeLessThan(0.7);
    for (const ending of ["left", "closed"]) expect(share(ending)).toBeGreaterThan(0.1);
    expect(share("restarted")).toBeGreaterThan(0.004);

    const gap = (events: ShopperEvent[]) =>
      events.some(
        (event, index) => index > 0 && Date.parse(event.at) - Date.parse(events[index - 1]!.at) >= 30 * 60_000,
      );
    expect(has(gap)).toBeGreaterThan(20);
    const ids = new Set(sessions.map(({ session }) => session.id));
    const next = all.flatMap((events) =>
      events.flatMap((event) => (event.type === "quiz_restarted" ? [event.next_session_id] : [])),
    );
    expect(next.every((id) => ids.has(id))).toBe(true);
    expect(
      sessions.some(({ batches }) => batches.some((batch, index) => batches[index - 1]?.events === batch.events)),
    ).toBe(true);

    const visits = Map.groupBy(sessions, ({ session }) => session.visitor_id);
    expect([...visits.values()].filter((own) => own.length > 1).length).toBeGreaterThan(100);
    const holders = (sign: (value: string) => boolean) => {
      const found = new Map<string, Set<string>>();
      for (const [index, events] of all.entries()) {
        for (const event of events) {
          if (
            event.type !== "answer_saved" ||
            typeof event.value !== "string" ||
            event.consent === undefined ||
            !sign(event.value)
          )
            continue;
          const key = event.value.trim().toLowerCase();
          found.set(key, (found.get(key) ?? new Set()).add(sessions[index]!.session.visitor_id));
        }
      }
      return [...found.values()].filter((visitors) => visitors.size > 1).length;
    };
    expect(holders((value) => value.includes("@"))).toBeGreaterThan(3);
    expect(holders((value) => /\d{4}/.test(value) && !value.includes("@"))).toBeGreaterThan(0);
    const corrected = has((events) => {
      const typed = events.flatMap((event) =>
        event.type === "answer_saved" && event.component_key === "email" ? [event.value] : [],
      );
      return new Set(typed).size > 1;
    });
    expect(corrected).toBeGreaterThan(10);
    const ticks = new Set(
      all.flatMap((events) => events.flatMap((event) => (event.type === "answer_saved" ? [event.consent] : []))),
    );
    expect(ticks).toEqual(new Set([true, false, null, undefined]));
    expect(new Set(sessions.map(({ session }) => session.channel)).size).toBe(4);
    expect(new Set(sessions.map(({ country }) => country)).size).toBeGreaterThan(8);
    const agents = new Set(sessions.map(({ userAgent }) => userAgent));
    expect(agents.size).toBeGreaterThan(20);
    const classes = new Set(
      devices.filter((device) => agents.has(device.userAgent)).map((device) => device.deviceClass),
    );
    expect(classes).toEqual(new Set(["mobile", "desktop", "tablet", "other"]));
  });

  it("reach every page of every quiz", () => {
    const entered = new Set(
      many.flatMap((session) =>
        eventsOf(session).flatMap((event) =>
          event.type === "page_entered" ? [`${session.session.version_id}/${event.page_key}`] : [],
        ),
      ),
    );
    const every = [...compiled].flatMap(([version, quiz]) =>
      [...quiz.pages.keys()].map((page) => `${version}/${page}`),
    );
    expect(every.filter((page) => !entered.has(page))).toEqual([]);
  });

  it("open no quiz before its first version", () => {
    const [one] = quizzes;
    const late = { ...one!, versions: one!.versions.map((version) => ({ ...version, from: to + day })) };
    expect([...planShoppers({ seed: 1, quizzes: [late], from, to, sessions: 20 })]).toEqual([]);
  });
});

describe("an instant session", () => {
  it("ends now, is valid, and neither restarts nor times out", () => {
    fc.assert(
      fc.property(fc.integer(), fc.constantFrom(...quizzes), (seed, { quiz_id, versions }) => {
        const { document, version_id } = versions[0]!;
        const made = () =>
          instantSession({
            random: createRandom(seed),
            answering: createAnswering(),
            document,
            quiz_id,
            version_id,
            now: to,
          });
        const session = made();
        expect(made()).toEqual(session);
        const events = eventsOf(session);
        expect(Date.parse(events.at(-1)!.at)).toBe(to);
        expect(events.some(({ type }) => type === "quiz_restarted")).toBe(false);
        checkSession(session, compiled.get(version_id)!);
      }),
      { numRuns: 60 },
    );
  });

  it("walks any valid quiz, not only the demo's [engine.next-page]", () => {
    fc.assert(
      fc.property(fc.integer(), arbitraryDocument(), (seed, document) => {
        const ids = { quiz_id: `quiz_${hex("e")}`, version_id: `ver_${hex("e")}` };
        const random = createRandom(seed);
        const session = instantSession({ random, answering: createAnswering(), document, ...ids, now: to });
        checkSession(session, compileQuiz(document));
      }),
      { numRuns: 150 },
    );
  });
});
