import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
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

  const count = ({ page }: DashboardPage) => {
    const sent: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("/dashboard/api/")) sent.push(new URL(request.url()).pathname);
    });
    return sent;
  };
  const figures = () => `/quizzes/${quiz.id}?tab=overview`;
  const rest = (page: DashboardPage["page"]) => page.waitForTimeout(4_000);
  /** Waits until nothing was sent for eight seconds, for half a minute at most. */
  const quiet = async (page: DashboardPage["page"], sent: string[]) => {
    for (let [tries, before] = [0, -1]; tries < 4 && before !== sent.length; tries += 1) {
      before = sent.length;
      await rest(page);
      await rest(page);
    }
  };
  const isAsking = async (on: DashboardPage, sent: string[]) => {
    const before = sent.length;
    // the figures are looked at: their clock stands unless it is moved
    t.calendar.advance(20_000);
    await on.page.bringToFront();
    await expect.poll(() => sent.length, { timeout: 30_000 }).toBeGreaterThan(before);
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
      const on = await openDashboard(t, owner);
      await on.open(screen === "figures" ? figures() : screen);
      const sent = count(on);
      await isAsking(on, sent);
      await on.page.context().clearCookies();
      await on.page.getByText("Please sign in again").waitFor({ timeout: 60_000 });
      // what is asked for every five seconds is refused once more
      await quiet(on.page, sent);
      const before = sent.length;
      for (let n = 0; n < 3; n += 1) {
        t.calendar.advance(20_000);
        await rest(on.page);
      }
      expect(sent.slice(before)).toEqual([]);
      await on.page.getByLabel("Password").fill(password);
      await on.page.getByRole("button", { name: "Sign in" }).click();
      await on.page.getByText("Please sign in again").waitFor({ state: "detached", timeout: 30_000 });
      await isAsking(on, sent);
      await on.close();
    },
  );

  it("whose person lost the store stops asking for it [dashboard.polling]", { timeout: 120_000 }, async () => {
    const boss = await signedIn(t, "boss@shop.example", { store, role: "owner", password });
    const gone = await signedIn(t, "gone@shop.example", { store, role: "editor", password });
    const on = await openDashboard(t, gone);
    await on.open(figures());
    const sent = count(on);
    await isAsking(on, sent);
    const { body } = await boss.request("GET", "/members", { store });
    const { user_id } = body.data.find(({ email }: { email: string }) => email === "gone@shop.example");
    expect((await boss.request("DELETE", `/members/${user_id}`, { store })).status).toBeLessThan(300);
    await quiet(on.page, sent);
    const before = sent.length;
    for (let n = 0; n < 2; n += 1) {
      t.calendar.advance(20_000);
      await rest(on.page);
    }
    expect(sent.slice(before)).toEqual([]);
    await on.close();
  });
});
