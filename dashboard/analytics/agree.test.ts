import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AnalyticsPaths } from "../../client/src/index.ts";
import { signedIn } from "../../testkit/accounts.ts";
import type { Body, TestStore } from "../../testkit/app.ts";
import { openBrowser } from "../../testkit/browser.ts";
import { type DashboardApp, type DashboardPage, openDashboard, openDashboardApp } from "../../testkit/dashboard.ts";
import {
  readAxis,
  readBars,
  readEdges,
  readLine,
  readNodes,
  readRows,
  readSparkline,
  readStats,
  told,
  toldRow,
  watchQuestions,
} from "../../testkit/dashboard-figures.ts";
import { feedYear } from "../../testkit/dashboard-year.ts";
import { allSeries } from "./series.ts";

/** What is drawn, read from the page, against what the API answers to a key, figure by figure. */

/** Of any question: its fields are compared by their names. */
type Answer = Body;

const browser = await openBrowser();

describe.skipIf(browser === null)("figures on the screen", () => {
  let t: DashboardApp;
  let store: TestStore;
  let on: DashboardPage;
  let lastAsked: (end: string) => string;
  let quizId: string;
  let days: string;

  beforeAll(async () => {
    t = await openDashboardApp();
    const fed = await feedYear(t);
    ({ store, days } = fed);
    const taken = fed.history.quizzes.filter(({ deleted, versions }) => !deleted && versions.length > 0);
    quizId = taken[0]!.id;
    const owner = await signedIn(t, "owner@shop.example", { store, role: "owner" });
    on = await openDashboard(t, owner);
    lastAsked = watchQuestions(on.page);
  }, 180_000);

  afterAll(async () => {
    await on?.close();
    await t?.close();
  });

  /** What the API answers to the very question that the screen put. */
  async function answerOf(end: string): Promise<Answer> {
    const { status, body } = await t.request("GET", lastAsked(end), { key: store.key });
    expect(status).toBe(200);
    return body;
  }

  const show = (path: string) => on.open(path);
  const asTable = async (figure: string) => {
    await on.page.locator(`[data-figure="${figure}"]`).getByRole("button", { name: "As a table" }).click();
    return readRows(on.page, `[data-figure="${figure}"]`);
  };

  /** Bars are as long as their figures beside the one that fills the track. */
  async function expectBars(figure: string, columns: readonly string[], most: number, rows: Record<string, Answer>) {
    const bars = await readBars(on.page, figure);
    expect(bars).toHaveLength(Object.keys(rows).length * columns.length);
    for (const { row, column, value, length } of bars) {
      const drawn = toldRow(rows[row]!)[column]!;
      expect([row, column, value]).toEqual([row, column, drawn]);
      expect(length).toBeCloseTo(most === 0 ? 0 : Number.parseFloat(drawn) / most, 2);
    }
  }

  const byKey = (rows: readonly Answer[], key: string): Record<string, Answer> =>
    Object.fromEntries(rows.map((row) => [row[key], row]));

  const toldBy = (rows: readonly Answer[], key: string): Record<string, Record<string, string>> =>
    Object.fromEntries(rows.map((row) => [row[key], toldRow(row)]));

  it.each(["", "&country=unknown", "&device=mobile&new_returning=new"])(
    "of the funnel agree, with %o [dashboard-figures.agree]",
    async (filters) => {
      await show(`/quizzes/${quizId}?tab=funnel&${days}${filters}`);
      const answer = await answerOf("/funnel");
      const { views, not_started, starts, completions, in_progress, pages } = answer;
      if (views === 0) return;
      expect(await readStats(on.page, "funnel-whole")).toEqual(
        toldRow({ views, not_started, starts, completions, in_progress }),
      );
      const most = Math.max(starts, ...pages.map((page: Answer) => page.sessions_reached));
      await expectBars("funnel-pages", ["sessions_continued", "sessions_dropped"], most, byKey(pages, "page_key"));
      expect(await asTable("funnel-pages")).toEqual(toldBy(pages, "page_key"));
    },
  );

  it("of the overview agree, as figures, lines and tables [dashboard-figures.agree, dashboard-figures.series]", async () => {
    const counts = ["views", "unique_viewers_approx", "starts", "completions", "email_opt_ins", "phone_opt_ins"];
    counts.push("consent_denied", "orders", "orders_inside_window");
    const buckets = ["added_from_quiz", "shown_bought_later", "bought_not_shown"];
    const panels = {
      count: counts,
      money: ["revenue", "refunded", "net_revenue", ...buckets.map((name) => `revenue_${name}`)],
      duration: ["avg_time_to_complete_ms", "median_time_to_complete_ms"],
    };
    const all = Object.values(panels).flat();
    expect(all.toSorted()).toEqual(allSeries.map(({ name }) => name).toSorted());
    await show(`/quizzes/${quizId}?${days}&series=${all.join(",")}`);
    await on.page.waitForSelector(".qs-line-median_time_to_complete_ms path.recharts-line-curve");
    const { series, totals } = await answerOf("/overview");
    const shown = { ...(await readStats(on.page, "totals")), ...(await readStats(on.page, "more-totals")) };
    expect(shown).toEqual(toldRow(totals));
    const drawn = series.map((point: Answer) => ({
      ...point,
      ...Object.fromEntries(buckets.map((name) => [`revenue_${name}`, point.revenue_by_bucket?.[name] ?? null])),
    }));
    for (const [panel, names] of Object.entries(panels)) await expectLines(panel, names, drawn);
    expect(await asTable("series")).toEqual(toldBy(series, "day"));
  });

  /** Every point is where its figure belongs on its panel's axis, which begins at zero, or at the lowest figure below it. */
  async function expectLines(panel: string, names: readonly string[], series: readonly Answer[]) {
    const axis = await readAxis(on.page, panel);
    const points: { value: number; y: number }[] = [];
    for (const name of names) {
      const values = series.map((point) => point[name]).map((one) => (one?.amount ? Number(one.amount) : one));
      const there = values.filter((value) => value !== null);
      const ended = await readLine(on.page, name);
      // today is not over: its point is apart, at the end of a line from the day before
      const line = [...ended, ...(await readLine(on.page, `${name}_today`)).slice(-1)];
      expect([name, line.length]).toEqual([name, there.length]);
      points.push(...line.map(({ y }, index) => ({ value: there[index]!, y })));
    }
    const highest = points.reduce((best, point) => (point.value > best.value ? point : best));
    expect(highest.value).toBeGreaterThan(0);
    const lowest = points.reduce((least, point) => (point.value < least.value ? point : least));
    const bottom = Math.max(...axis.map(({ y }) => y));
    const unit =
      lowest.value < 0 ? (lowest.y - highest.y) / (highest.value - lowest.value) : (bottom - highest.y) / highest.value;
    const zero = highest.y + highest.value * unit;
    for (const { value, y } of points) expect(Math.abs(zero - y - value * unit)).toBeLessThan(0.02);
    const top = axis.reduce((best, tick) => (tick.y < best.y ? tick : best));
    // the axis counts in the same unit as the lines
    if (panel === "count") expect(Number(top.text)).toBeCloseTo((zero - top.y) / unit, 1);
  }

  it("of the days before agree, beside those of the range [dashboard-figures.compare]", async () => {
    const today = t.calendar.now();
    const day = (ago: number) => new Date(today - ago * 86_400_000).toISOString().slice(0, 10);
    await show(`/quizzes/${quizId}?from=${day(99)}&to=${day(0)}&compare=previous`);
    await on.page.waitForSelector('[data-stat="views"] [data-before]');
    const askedOf = async (from: string, to: string): Promise<Answer> => {
      const url = lastAsked("/overview")
        .replace(/from=[^&]*/, `from=${from}`)
        .replace(/to=[^&]*/, `to=${to}`);
      return (await t.request("GET", url, { key: store.key })).body;
    };
    const now = await askedOf(day(99), day(0));
    const before = await askedOf(day(199), day(100));
    expect([now.totals.views > 0, before.totals.views > 0]).toEqual([true, true]);
    expect((await readStats(on.page, "totals"))["views"]).toBe(told(now.totals.views));
    const beside = await on.page.getAttribute('[data-stat="views"] [data-before]', "data-before");
    expect(beside).toBe(told(before.totals.views));
    await on.page.waitForSelector(".qs-line-completions_before path.recharts-line-curve");
    const both = now.series.map((point: Answer, index: number) => {
      const { views, starts, completions } = before.series[index];
      return { ...point, views_before: views, starts_before: starts, completions_before: completions };
    });
    const names = ["views", "starts", "completions"];
    await expectLines("count", [...names, ...names.map((name) => `${name}_before`)], both);
    const rows = await asTable("series");
    expect(Object.values(rows).map((row) => [row["views"], row["views_before"]])).toEqual(
      now.series.map((point: Answer, index: number) => [told(point.views), told(before.series[index].views)]),
    );
  });

  it.each(["all", "finished", "left"])(
    "of the paths of %s agree with the answer, and with the funnel [dashboard-figures.paths-balance]",
    async (cohort) => {
      await show(`/quizzes/${quizId}?tab=paths&${days}&cohort=${cohort}`);
      await on.page.waitForSelector("[data-graph] [data-node]");
      const answer: AnalyticsPaths = await answerOf("/paths");
      const most = Math.max(1, ...answer.edges.map((edge) => edge.sessions_moved));
      const edges = await readEdges(on.page);
      expect(edges.map(({ kind, count, weight, stroke }) => ({ kind, count, weight, stroke }))).toEqual(
        answer.edges.map((edge) => ({
          kind: edge.cause,
          count: told(edge.moves),
          weight: told(edge.sessions_moved),
          stroke: expect.closeTo(Math.max(1.25, (18 * edge.sessions_moved) / most), 6),
        })),
      );
      const nodes = await readNodes(on.page);
      const left = (page: AnalyticsPaths["nodes"][number]) =>
        page.exits_closed + page.exits_restarted + page.exits_timed_out;
      expect(nodes.map(({ id, count, ends: { other: _, ...ends } }) => ({ id, count, ends }))).toEqual(
        answer.nodes.map((page) => ({
          id: page.page_key,
          count: told(page.entries),
          ends: Object.fromEntries(
            Object.entries({ left: left(page), finished: page.finished_here, still: page.still_here }).flatMap(
              ([kind, count]) => (count === 0 ? [] : [[kind, told(count)]]),
            ),
          ),
        })),
      );
      const sumOf = (end: string) => nodes.reduce((sum, { ends }) => sum + Number(ends[end] ?? 0), 0);
      expect(sumOf("other")).toBe(answer.other_paths.moves);
      // what leaves a page by the drawn lines, and what ends at it, is what came to it
      for (const { id, count, ends } of nodes) {
        const moved = answer.edges
          .filter((edge) => edge.from_page_key === id)
          .reduce((sum, edge) => sum + edge.moves, 0);
        expect(Object.values(ends).reduce((sum, end) => sum + Number(end), moved)).toBe(Number(count));
      }
      if (cohort !== "all") return;
      const asked = lastAsked("/paths").replace("/paths", "/funnel").replace("&cohort=all", "");
      const { body: funnel } = await t.request("GET", asked, { key: store.key });
      expect([answer.sessions, sumOf("finished"), sumOf("left"), sumOf("still")]).toEqual([
        funnel.starts,
        funnel.completions,
        funnel.pages.reduce((sum: number, page: Answer) => sum + page.sessions_dropped, 0),
        funnel.in_progress,
      ]);
    },
  );

  it("of the paths agree as tables [dashboard-figures.agree]", async () => {
    await show(`/quizzes/${quizId}?tab=paths&${days}`);
    const answer: AnalyticsPaths = await answerOf("/paths");
    const rows = Object.values(await asTable("paths"));
    const pages = rows.filter((row) => "page_key" in row);
    expect(
      pages.map(({ page_key, entries, still_here, median_time_on_page_ms }) => ({
        page_key,
        entries,
        still_here,
        median_time_on_page_ms,
      })),
    ).toEqual(
      answer.nodes.map((page) => ({
        page_key: page.page_key,
        entries: told(page.entries),
        still_here: told(page.still_here),
        median_time_on_page_ms: told(page.median_time_on_page_ms),
      })),
    );
    const moves = rows.filter((row) => "moves" in row);
    const other = answer.other_paths.routes > 0 ? [told(answer.other_paths.moves)] : [];
    expect(moves.map((row) => row["moves"])).toEqual([...answer.edges.map((edge) => told(edge.moves)), ...other]);
    await expect(readRows(on.page, '[data-figure="jump-rules"]')).resolves.toMatchObject(
      Object.fromEntries(answer.rules.map((rule) => [rule.jump_rule_key, { fired: told(rule.fired) }])),
    );
  });

  it("of every question's answers agree [dashboard-figures.agree]", async () => {
    await show(`/quizzes/${quizId}?tab=answers&${days}`);
    const { questions } = await answerOf("/answers");
    expect(questions.length).toBeGreaterThan(1);
    for (const { component_key } of questions) {
      await show(`/quizzes/${quizId}?tab=answers&${days}&component_key=${component_key}`);
      const answer = await answerOf("/answers");
      expect(answer.question.component_key).toBe(component_key);
      expect(await on.page.getAttribute('[data-stat="answered"]', "data-value")).toBe(told(answer.answered));
      if (answer.answered === 0) continue;
      const isNumber = answer.question.kind === "number";
      const rows = isNumber
        ? Object.fromEntries(answer.buckets.map((row: Answer) => [`${row.low} ${row.high}`, row]))
        : byKey(answer.options, "option_id");
      await expectBars("answers", [isNumber ? "answered" : "chose"], answer.answered, rows);
      for (const [key, shown] of Object.entries(await asTable("answers"))) {
        const { kind: _, image_url: __, ...figures } = rows[key];
        expect(shown).toEqual(toldRow(figures));
      }
    }
  });

  it.each(["", "&bucket=shown_bought_later", "&sort=times_shown&limit=10"])(
    "of products agree, with %o [dashboard-figures.agree]",
    async (more) => {
      for (const where of [`/quizzes/${quizId}`, "/analytics"]) {
        await show(`${where}?tab=products&${days}${more}`);
        const answer = await answerOf("/products");
        const { rows, total_products, orders_matched_by_email, ...money } = answer;
        const { line_revenue, refunded, net_revenue, totals_by_bucket } = money;
        expect(await readStats(on.page, "product-totals")).toEqual(
          toldRow({
            ...{ total_products, orders_matched_by_email, line_revenue },
            ...{ refunded, net_revenue, totals_by_bucket },
          }),
        );
        expect(rows.length).toBeGreaterThan(0);
        const buckets = ["added_from_quiz", "shown_bought_later", "bought_not_shown"];
        const sold = (row: Answer) =>
          buckets.reduce((sum, name) => sum + Number(row.revenue_by_bucket[name]?.amount ?? 0), 0);
        const columns = buckets.map((name) => `revenue_${name}`);
        await expectBars("products", columns, Math.max(...rows.map(sold)), byKey(rows, "product_id"));
        for (const [id, shown] of Object.entries(await asTable("products"))) {
          const { shown_on, ...figures } = byKey(rows, "product_id")[id];
          expect(shown).toEqual({ ...toldRow(figures), shown_on_page: shown_on.page_title ?? shown_on.page_key ?? "" });
        }
      }
    },
  );

  it.each(["referrer_host", "utm_source", "page_url"])(
    "of traffic by %s agree [dashboard-figures.agree]",
    async (by) => {
      await show(`/quizzes/${quizId}?tab=traffic&${days}&by=${by}&limit=10`);
      const answer = await answerOf("/traffic");
      const rows = { ...byKey(answer.rows, "value"), "\u0000other": answer.other };
      const most = Math.max(...Object.values(rows).map((row) => row.views));
      await expectBars("traffic", ["views"], most, rows);
      expect(await asTable("traffic")).toEqual(
        Object.fromEntries(Object.entries(rows).map(([key, row]) => [key, toldRow(row)])),
      );
    },
  );

  it.each(["channel", "device", "new_returning", "country", "outcome"])(
    "by %s agree [dashboard-figures.agree]",
    async (by) => {
      for (const where of [`/quizzes/${quizId}`, "/analytics"]) {
        await show(`${where}?tab=breakdown&${days}&by=${by}`);
        const answer = await answerOf("/breakdown");
        const most = Math.max(...answer.rows.map((row: Answer) => row.views));
        await expectBars("breakdown", ["views"], most, byKey(answer.rows, "value"));
        expect(await asTable("breakdown")).toEqual(toldBy(answer.rows, "value"));
      }
    },
  );

  it("of the store and its quizzes agree [dashboard-figures.agree]", async () => {
    await show(`/analytics?${days}`);
    const overview = await answerOf("/analytics/overview");
    const shown = { ...(await readStats(on.page, "totals")), ...(await readStats(on.page, "more-totals")) };
    expect(shown).toEqual(toldRow(overview.totals));
    for (const path of ["/quizzes?", "/analytics?tab=quizzes&"]) {
      await show(`${path}${days}`);
      const { data } = await answerOf("/analytics/quizzes");
      expect(await asTable("quizzes")).toEqual(toldBy(data, "quiz_id"));
    }
  });

  it.each(["7d", "30d"])("of Home agree, for %s [dashboard-figures.agree]", async (period) => {
    await show(period === "7d" ? "/" : `/?period=${period}`);
    const answer = await answerOf("/summary");
    const names = ["views", "starts", "completions", "opt_ins", "orders", "revenue", "refunded", "net_revenue"];
    expect(await readStats(on.page, "summary")).toEqual(
      Object.fromEntries(names.map((name) => [name, told(answer[name].current)])),
    );
    for (const name of names) {
      const values: number[] = answer[name].sparkline.map((one: Answer) => (one.amount ? Number(one.amount) : one));
      const line = await readSparkline(on.page, name);
      expect(line.values).toBe(values.join(" "));
      const least = Math.min(0, ...values);
      const most = Math.max(least + 1, ...values);
      const drawn = (value: number) => 34 - ((value - least) / (most - least)) * 31;
      expect(line.points).toEqual(values.map((value) => expect.closeTo(drawn(value), 2)));
      const tile = `[data-stat="${name}"] [data-delta]`;
      expect(await on.page.getAttribute(tile, "data-delta")).toBe(told(answer[name].delta_pct));
      expect(await on.page.getAttribute(tile, "data-before")).toBe(told(answer[name].previous));
    }
    const { data } = await answerOf("/analytics/quizzes");
    const most = Math.max(...data.map((row: Answer) => Number(row.revenue.amount)));
    await expectBars("best-quizzes", ["revenue"], most, byKey(data, "quiz_id"));
  });

  it("mark each publish in the range, in the chart and above it [dashboard-figures.markers]", async () => {
    await show(`/quizzes/${quizId}?${days}`);
    await on.page.waitForSelector(".qs-line-views");
    const { markers } = await answerOf("/overview");
    expect(markers.length).toBeGreaterThan(0);
    const named = await on.page.$$eval("[data-marker]", (all) =>
      all.map((one) => [one.getAttribute("data-marker"), one.getAttribute("data-version")]),
    );
    expect(named).toEqual(markers.map((one: Answer) => [one.published_at, told(one.version_number)]));
    const lines = await on.page.locator(".recharts-reference-line").count();
    expect(lines).toBe(new Set(markers.map((one: Answer) => one.day)).size);
  });

  it("left no fault behind", () => expect(on.faults).toEqual([]));
});
