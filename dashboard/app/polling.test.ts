import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Request } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ConnectionError, type Problem, ProblemError } from "../../client/src/index.ts";
import { type Browser, signedIn } from "../../testkit/accounts.ts";
import type { TestStore } from "../../testkit/app.ts";
import { openBrowser } from "../../testkit/browser.ts";
import { type DashboardApp, type DashboardPage, openDashboard, openDashboardApp } from "../../testkit/dashboard.ts";
import { makeQuiz, type TestQuiz } from "../../testkit/quizzes.ts";
import { polled } from "./polling.ts";

const refusal = (status: number, title: string) =>
  new ProblemError(
    "call",
    { type: "about:blank", title, status, detail: "" } as Problem,
    new Response(null, { status }),
  );
const untilNext = (error: unknown, wanted: number | false = 250) =>
  polled({ state: { status: "error", error } }, wanted);

describe("an interval [dashboard.polling]", () => {
  it("is as wanted while the server answers", () => {
    for (const status of ["pending", "success"] as const)
      for (const wanted of [250, 10_000, false] as const)
        expect(polled({ state: { status, error: null } }, wanted)).toBe(wanted);
  });

  it("ends with a refusal, and is five seconds at least after what may pass", () => {
    for (const [status, title] of [
      [401, "not_signed_in"],
      [403, "insufficient_role"],
      [403, "plan_required"],
      [404, "not_found"],
      [422, "validation_error"],
    ] as const)
      expect([title, untilNext(refusal(status, title))]).toEqual([title, false]);
    for (const error of [
      refusal(429, "rate_limited"),
      refusal(503, "dependency_unavailable"),
      new ConnectionError("call", false, null),
    ]) {
      expect(untilNext(error)).toBe(5_000);
      expect(untilNext(error, 60_000)).toBe(60_000);
      expect(untilNext(error, false)).toBe(false);
    }
    expect(untilNext(new Error("a mistake on the page"))).toBe(false);
  });

  it("is what every screen asks by", () => {
    const folder = join(import.meta.dirname, "..");
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
      (name) => /\.tsx?$/.test(name) && !/\.test\.ts$/.test(name),
    );
    const texts = files.map((name) => [name, readFileSync(join(folder, name), "utf8")] as const);
    const intervals = texts.flatMap(([name, text]) =>
      [...text.matchAll(/refetchInterval\b:?\s*(.{0,40})/gs)].map(([, follows = ""]) => [name, follows] as const),
    );
    expect(intervals.length).toBeGreaterThan(8);
    expect(intervals.filter(([, follows]) => !/^\(query\) =>\s*polled\(/.test(follows))).toEqual([]);
    expect(texts.filter(([, text]) => text.includes("setInterval(")).map(([name]) => name)).toEqual([]);
  });
});

describe.skipIf((await openBrowser()) === null)("a tab", () => {
  let t: DashboardApp;
  let store: TestStore;
  let quiz: TestQuiz;
  const password = "a long pass phrase";
  beforeAll(async () => {
    t = await openDashboardApp();
    store = await t.store();
    quiz = await makeQuiz(t, store, { publish: true });
  }, 120_000);
  afterAll(() => t?.close());

  interface Watched extends DashboardPage {
    /** paths of the API's requests */
    sent: string[];
    /** lets the page's clock run, and waits for the answers to what it sent meanwhile */
    rest(ms: number): Promise<void>;
  }

  /** A page whose clock can be moved, so that nobody waits for its intervals. */
  const openWatched = async (as: Browser, screen: string): Promise<Watched> => {
    const on = await openDashboard(t, as);
    const { page } = on;
    const sent: string[] = [];
    const underWay = new Set<Request>();
    const isOfApi = (request: Request) => request.url().includes("/dashboard/api/");
    page.on("request", (request) => {
      if (!isOfApi(request)) return;
      sent.push(new URL(request.url()).pathname);
      underWay.add(request);
    });
    for (const end of ["requestfinished", "requestfailed"] as const)
      page.on(end as "requestfinished", (request) => underWay.delete(request));
    await page.clock.install();
    await on.open(screen === "figures" ? `/quizzes/${quiz.id}?tab=overview` : screen);
    const rest = async (ms: number) => {
      await page.clock.runFor(ms);
      // what an answer leads to is drawn, and sent, in the page's next turns
      for (let calm = 0; calm < 3; calm = underWay.size === 0 ? calm + 1 : 0) await page.waitForTimeout(50);
    };
    return { ...on, sent, rest };
  };
  /** Until nothing was sent for ten seconds of the page's, for a minute at most. */
  const quiet = async ({ sent, rest }: Watched) => {
    for (let [tries, before] = [0, -1]; tries < 6 && before !== sent.length; tries += 1) {
      before = sent.length;
      await rest(10_000);
    }
  };
  const isAsking = async ({ page, sent, rest }: Watched) => {
    const before = sent.length;
    // the figures are looked at: their clock stands unless it is moved
    t.calendar.advance(20_000);
    await page.bringToFront();
    for (let tries = 0; tries < 60 && sent.length === before; tries += 1) await rest(1_000);
    expect(sent.length).toBeGreaterThan(before);
  };
  /** What is sent in a minute, in which the figures grow old too. */
  const sentInAMinute = async ({ sent, rest }: Watched): Promise<string[]> => {
    const before = sent.length;
    for (let n = 0; n < 3; n += 1) {
      t.calendar.advance(20_000);
      await rest(20_000);
    }
    return sent.slice(before);
  };

  it.for(["/", "figures"])(
    "whose session ended elsewhere stops asking, says so and goes on after signing in: %s [dashboard.polling, dashboard.ended-session]",
    { timeout: 120_000 },
    async (screen) => {
      const owner: Browser = await signedIn(t, `owner.${screen.length}@shop.example`, {
        store,
        role: "owner",
        password,
      });
      const on = await openWatched(owner, screen);
      await isAsking(on);
      await on.page.context().clearCookies();
      await isAsking(on);
      await on.page.getByText("Please sign in again").waitFor();
      // what is asked for every five seconds is refused once more
      await quiet(on);
      expect(await sentInAMinute(on)).toEqual([]);
      await on.page.getByLabel("Password").fill(password);
      await on.page.getByRole("button", { name: "Sign in" }).click();
      await on.page.getByText("Please sign in again").waitFor({ state: "detached" });
      await isAsking(on);
      await on.close();
    },
  );

  it("whose person lost the store stops asking for it [dashboard.polling]", { timeout: 120_000 }, async () => {
    const boss = await signedIn(t, "boss@shop.example", { store, role: "owner", password });
    const gone = await signedIn(t, "gone@shop.example", { store, role: "editor", password });
    const on = await openWatched(gone, "figures");
    await isAsking(on);
    const { body } = await boss.request("GET", "/members", { store });
    const { user_id } = body.data.find(({ email }: { email: string }) => email === "gone@shop.example");
    expect((await boss.request("DELETE", `/members/${user_id}`, { store })).status).toBeLessThan(300);
    await quiet(on);
    expect(await sentInAMinute(on)).toEqual([]);
    await on.close();
  });
});
