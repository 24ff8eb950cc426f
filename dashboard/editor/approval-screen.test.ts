import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Browser, signedIn } from "../../testkit/accounts.ts";
import type { TestStore } from "../../testkit/app.ts";
import { openBrowser } from "../../testkit/browser.ts";
import {
  type DashboardApp,
  lookAt,
  lookNames,
  openDashboard,
  openDashboardApp,
  wrongWith,
} from "../../testkit/dashboard.ts";
import { page as pageOf, quizDocument, text } from "../../testkit/document-parts.ts";
import { makeQuiz } from "../../testkit/quizzes.ts";
import { swept } from "../../testkit/sweeps.ts";

describe.skipIf((await openBrowser()) === null)("publishing that an assistant asks for", () => {
  let t: DashboardApp;
  let store: TestStore;
  let editor: Browser;
  let analyst: Browser;
  beforeAll(async () => {
    t = await openDashboardApp();
    store = await t.store();
    await t.store();
    editor = await signedIn(t, "editor@shop.example", { store, role: "editor" });
    analyst = await signedIn(t, "analyst@shop.example", { store, role: "analyst" });
  }, 120_000);
  afterAll(() => t?.close());

  const quizWith = (title: string) =>
    quizDocument([pageOf("one", [text("why")], { title }), pageOf("end", [], { title: "End", kind: "result" })]);

  /** A quiz whose second version waits for approval; the path of the screen that the link opens. */
  async function asked() {
    const quiz = await makeQuiz(t, store, { document: quizWith("Before"), publish: true, name: "Find <b>yours</b>" });
    await makeQuiz(t, store, { document: quizWith("After"), quizId: quiz.id, name: "Find <b>yours</b>" });
    const saved = await t.request("POST", `/v1/quizzes/${quiz.id}/versions`, {
      key: store.key,
      body: { label: "New" },
    });
    const path = `/v1/quizzes/${quiz.id}/versions/${saved.body.id}/approvals`;
    const { body } = await t.request("POST", path, { key: store.key });
    const { pathname, search } = new URL(body.url);
    const live = async () =>
      (await t.request("GET", `/v1/quizzes/${quiz.id}`, { key: store.key })).body.published_version;
    return { screen: pathname.replace("/dashboard", "") + search, version: saved.body.id, first: quiz.versionId, live };
  }

  it("shows what changes, and is published by the person who approves [mcp.approval-screen]", async () => {
    const { screen, version, first, live } = await asked();
    const on = await openDashboard(t, editor);
    await on.open(screen);
    const main = on.page.getByRole("main");
    await main.getByText("Find <b>yours</b>").waitFor({ timeout: 20_000 });
    await expect.poll(() => main.textContent()).toContain("in place of version 1");
    const row = on.page.getByRole("region", { name: "What differs from what is live" }).getByRole("row").nth(1);
    expect(await row.textContent()).toMatch(/Before.*After/);
    expect(await live()).toBe(first);
    await main.getByRole("button", { name: "Approve and publish version 2" }).click();
    await main.getByText("This was approved: the version was published.").waitFor({ timeout: 20_000 });
    expect(await live()).toBe(version);
    expect(await main.getByRole("button", { name: /Approve|Decline/ }).count()).toBe(0);
    expect(on.faults).toEqual([]);
    await on.close();
  });

  it("leaves everything as it is for the person who declines, and for who comes late [mcp.approval-screen]", async () => {
    const { screen, first, live } = await asked();
    const on = await openDashboard(t, editor);
    await on.open(screen);
    await on.page.getByRole("button", { name: "Decline" }).click();
    await on.page.getByText("This was declined: nothing was published.").waitFor({ timeout: 20_000 });
    const late = await asked();
    await on.open(late.screen);
    await on.page.getByRole("button", { name: "Decline" }).waitFor({ timeout: 20_000 });
    t.calendar.advance(10 * 60_000);
    await on.page.getByRole("button", { name: /^Approve/ }).click();
    await on.page.getByText("The ten minutes to decide have passed").waitFor({ timeout: 20_000 });
    expect([await live(), await late.live()]).toEqual([first, late.first]);
    await on.close();
  });

  it("is for editors and owners: others are told, and nothing is requested [mcp.approval-screen]", async () => {
    const { screen } = await asked();
    const on = await openDashboard(t, analyst);
    await on.open(screen);
    await on.page.getByText("Publishing is approved by editors and owners").waitFor({ timeout: 20_000 });
    expect(await on.page.getByRole("button", { name: /^Approve/ }).count()).toBe(0);
    expect(on.faults).toEqual([]);
    await on.close();
  });

  for (const look of swept(lookNames, ["phone"])) {
    it(`has nothing that axe finds: ${look} [dashboard.accessible]`, async () => {
      expect(wrongWith(await lookAt(t, editor, look, [(await asked()).screen]))).toEqual([]);
    });
  }
});
