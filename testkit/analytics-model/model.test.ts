import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { splitNames } from "../../contract/analytics-filters.ts";
import { compileQuiz } from "../../engine/compile-quiz.ts";
import { modelSession } from "../session-model.ts";
import { noFilters, type Question, scopeOf, tellWorld, type World } from "./asked.ts";
import { dayOf, daysBetween } from "./days.ts";
import { funnel, paths } from "./funnel.ts";
import { arbitraryStoreHistory, zones } from "./histories.ts";
import { exact, money, total } from "./numbers.ts";
import { buckets, type ToldOrder } from "./orders.ts";
import { comparison, overview, sessionCounts, visitorsOf } from "./overview.ts";
import { products } from "./products.ts";
import { arbitraryQuestion, askable } from "./questions.ts";
import { breakdown, traffic } from "./splits.ts";

/** The model is held to what its figures must have in common, whatever they are, and to a few worked out by hand. */

const asked = arbitraryStoreHistory({ maxSessions: 25 }).chain((history) =>
  fc.tuple(arbitraryQuestion(history), fc.constantFrom(...askable(history))).map(([question, quiz]) => {
    return { world: tellWorld(history), question: { ...question, quiz } };
  }),
);

/** A failure tells the seed of its history, which is far too long to be printed or shrunk. */
const holds = (check: (given: { world: World; question: Question & { quiz: number } }) => void) =>
  fc.assert(
    fc.property(fc.noShrink(fc.nat()), (seed) => check(fc.sample(asked, { seed, numRuns: 1 })[0]!)),
    { numRuns: 40 },
  );

const minor = (amounts: readonly { amount: string }[]) => total(amounts.map(({ amount }) => exact(amount)));
const sum = (numbers: readonly number[]) => numbers.reduce((before, number) => before + number, 0);

const added = [
  "views",
  "starts",
  "completions",
  "email_opt_ins",
  "phone_opt_ins",
  "consent_denied",
  "orders",
  "orders_inside_window",
] as const;

describe("the naive model of analytics", () => {
  it("agrees with the model of sessions about pages and moves", () => {
    holds(({ world }) => {
      for (const session of world.sessions) {
        const model = modelSession(compileQuiz(session.document), session.given.events, world.history.now);
        expect(session.moves.map((move) => `${move.from} > ${move.to} (${move.cause}, ${move.rule})`)).toEqual(
          model.moves,
        );
        expect(session.exit?.page ?? null).toBe(model.exitPage);
        const pages = [...session.pages].map(([key, { entries, byJump, ms }]) => [key, { entries, byJump, ms }]);
        expect(Object.fromEntries(pages)).toEqual(model.pages);
      }
    });
  });

  it("has days that add up to the totals, but for distinct visitors [figures.unique-viewers]", () => {
    holds(({ world, question }) => {
      const { series, totals } = overview(world, question);
      for (const name of added) expect([name, sum(series.map((point) => point[name]))]).toEqual([name, totals[name]]);
      expect(minor(series.map((point) => point.revenue))).toBe(minor([totals.revenue]));
      expect(Math.max(0, ...series.map((point) => point.unique_viewers_approx))).toBeLessThanOrEqual(
        totals.unique_viewers_approx,
      );
      expect(sum(series.map((point) => point.unique_viewers_approx))).toBeGreaterThanOrEqual(
        totals.unique_viewers_approx,
      );
    });
  });

  it("has a funnel in which every start is accounted for [funnel.balance]", () => {
    holds(({ world, question }) => {
      const { pages, starts, completions, in_progress, views, not_started } = funnel(world, question);
      expect(starts).toBe(completions + sum(pages.map((page) => page.sessions_dropped)) + in_progress);
      expect(views).toBe(starts + not_started);
      for (const page of pages) {
        expect(page.sessions_reached).toBeLessThanOrEqual(starts);
        expect(page.sessions_continued).toBeGreaterThanOrEqual(0);
      }
    });
  });

  it("has pages whose entries are exits, finishes, sessions still there and moves out [paths.balance]", () => {
    holds(({ world, question }) => {
      for (const cohort of ["all", "finished", "left"] as const) {
        const { nodes, edges, sessions } = paths(world, question, cohort);
        for (const node of nodes) {
          const out = sum(edges.filter((edge) => edge.from_page_key === node.page_key).map((edge) => edge.moves));
          const ends = node.exits_closed + node.exits_restarted + node.exits_timed_out;
          expect(node.entries).toBe(ends + node.finished_here + node.still_here + out);
        }
        const firsts = sum(nodes.map((node) => node.entries)) - sum(edges.map((edge) => edge.moves));
        expect(firsts).toBe(sessions);
        const finished = sum(nodes.map((node) => node.finished_here));
        if (cohort === "finished") expect(finished).toBe(sessions);
        if (cohort === "left") expect(finished + sum(nodes.map((node) => node.still_here))).toBe(0);
      }
    });
  });

  it("splits the overview without loss [figures.breakdown, figures.traffic-other]", () => {
    holds(({ world, question }) => {
      const { totals } = overview(world, question);
      const counts = ["views", "starts", "completions", "email_opt_ins", "phone_opt_ins"] as const;
      const { rows, other } = traffic(world, question, "utm_source", 2);
      for (const name of counts) {
        for (const by of splitNames) {
          expect(sum(breakdown(world, question, by).rows.map((row) => row[name]))).toBe(totals[name]);
        }
        expect(sum([...rows, other].map((row) => row[name]))).toBe(totals[name]);
      }
    });
  });

  it("puts every line's revenue in one bucket, of the overview and of the products alike [figures.revenue-by-bucket, products.lines-without-product]", () => {
    holds(({ world, question }) => {
      const { totals } = overview(world, question);
      const all = products(world, question, null);
      expect(all.totals_by_bucket).toEqual(totals.revenue_by_bucket);
      expect(minor([all.line_revenue])).toBe(minor(Object.values(all.totals_by_bucket)));
      // a line without a product, such as a tip, is in the totals and in no row
      const lines = (order: ToldOrder) => order.lines.filter((line) => line.product !== null);
      const withoutTips = { ...world, orders: world.orders.map((order) => ({ ...order, lines: lines(order) })) };
      expect(minor([products(withoutTips, question, null).line_revenue])).toBe(
        minor(all.rows.map((row) => row.line_revenue)),
      );
      for (const row of all.rows) expect(minor([row.line_revenue])).toBe(minor(Object.values(row.revenue_by_bucket)));
      for (const bucket of buckets) {
        expect(products(world, question, bucket).line_revenue).toEqual(all.totals_by_bucket[bucket]);
      }
    });
  });

  it("has quizzes that add up to the store [figures.whole-store]", () => {
    holds(({ world, question }) => {
      const { totals } = overview(world, { ...question, quiz: null });
      const quizzes = world.history.quizzes.map((quiz) => ({ ...quiz, deleted: false }));
      const { rows } = comparison({ ...world, history: { ...world.history, quizzes } }, question, "");
      for (const name of ["views", "starts", "completions", "orders"] as const) {
        expect(sum(rows.map(({ row }) => row[name]))).toBe(totals[name]);
      }
    });
  });

  it("meets what it is there for: its histories are not of one kind only", () => {
    const seen = new Map<string, number>();
    const see = (what: string, yes: boolean) => seen.set(what, (seen.get(what) ?? 0) + Number(yes));
    for (const { world } of fc.sample(asked, { numRuns: 120, seed: 7 })) {
      for (const session of world.sessions) {
        for (const reason of ["finished", "closed", "restarted", "timed_out", "still_here"]) {
          see(reason, session.exit?.reason === reason);
        }
        see("days later", (session.completed ?? 0) - session.opened > 86_400_000);
        see("hidden", session.hidden.length > 0);
        see(
          "jump",
          session.moves.some((move) => move.rule !== null),
        );
        see(
          "skip",
          [...session.pages.values()].some((page) => page.skipped),
        );
        see(
          "back",
          [...session.pages.values()].some((page) => page.wentBack),
        );
        see("email", session.emailAt !== null);
        see("denied", session.deniedAt !== null);
        see("returning", !session.isNew);
        see("no answer", session.started === null);
        see("removed page", session.given.version < (world.history.quizzes[session.given.quiz]?.versions.length ?? 0));
        see("midnight", dayOf(session.opened, "UTC") !== dayOf(session.lastEventAt, "UTC"));
      }
      for (const order of world.orders) {
        see(`tier ${order.tier}`, true);
        see("outside", order.session !== null && !order.insideWindow);
        see("foreign", order.session !== null && !order.inCurrency);
        for (const line of order.lines) if (order.session) see(line.bucket, true);
      }
    }
    const tiers = ["line_item", "cart", "visitor", "email", "phone"].map((tier) => `tier ${tier}`);
    for (const what of [...seen.keys(), ...tiers, ...buckets]) {
      expect([what, (seen.get(what) ?? 0) >= 10]).toEqual([what, true]);
    }
  });
});

describe("a day of the model", () => {
  it("is the zone's own, 23 and 25 hours long where clocks change, half and quarter hours apart [time.days]", () => {
    const moment = (text: string) => Date.parse(text);
    expect(dayOf(moment("2026-03-08T04:59:59Z"), "America/New_York")).toBe("2026-03-07");
    expect(dayOf(moment("2026-03-08T05:00:00Z"), "America/New_York")).toBe("2026-03-08");
    expect(dayOf(moment("2026-03-09T03:59:59Z"), "America/New_York")).toBe("2026-03-08");
    expect(dayOf(moment("2026-03-09T04:00:00Z"), "America/New_York")).toBe("2026-03-09");
    expect(dayOf(moment("2026-05-01T18:14:59Z"), "Asia/Kathmandu")).toBe("2026-05-01");
    expect(dayOf(moment("2026-05-01T18:15:00Z"), "Asia/Kathmandu")).toBe("2026-05-02");
    // midnight of 24 April does not exist in Cairo: the day begins at one
    expect(dayOf(moment("2026-04-23T21:59:59Z"), "Africa/Cairo")).toBe("2026-04-23");
    expect(dayOf(moment("2026-04-23T22:00:00Z"), "Africa/Cairo")).toBe("2026-04-24");
    expect(daysBetween("2026-04-23", "2026-04-25")).toEqual(["2026-04-23", "2026-04-24", "2026-04-25"]);
    expect(zones).toHaveLength(8);
  });

  it("adds money exactly, and rounds only what is divided [figures.zero-money]", () => {
    expect(money(total(Array.from({ length: 10 }, () => exact("0.10"))), "USD")).toEqual({
      amount: "1.00",
      currency: "USD",
    });
    expect(money(exact("10"), "USD", 3).amount).toBe("3.33");
    expect(money(exact("-0.005"), "USD").amount).toBe("-0.01");
    expect(money(exact("1250"), "JPY").amount).toBe("1250");
    expect(money(exact("1.2345"), "KWD").amount).toBe("1.235");
  });

  it("counts one session on each of the days on which something happened to it", () => {
    const world = tellWorld(fc.sample(arbitraryStoreHistory(), { numRuns: 1, seed: 3 })[0]!);
    const scope = scopeOf(world, { quiz: null, from: "0001-01-01", to: "9999-12-31", tz: "UTC", filters: noFilters });
    expect(sessionCounts(scope).views).toBe(world.sessions.length);
    expect(sessionCounts(scope).unique_viewers_approx).toBe(visitorsOf(world.sessions));
  });
});
