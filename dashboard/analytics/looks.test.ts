import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Browser, signedIn } from "../../testkit/accounts.ts";
import { openBrowser } from "../../testkit/browser.ts";
import {
  type DashboardApp,
  type DashboardPage,
  lookAt,
  lookNames,
  openDashboardApp,
  wrongWith,
} from "../../testkit/dashboard.ts";
import { feedYear } from "../../testkit/dashboard-year.ts";
import { swept, triesOthers } from "../../testkit/sweeps.ts";

/** The screens of figures in every look. */

describe.skipIf(!(await openBrowser()))("the screens of figures", () => {
  let t: DashboardApp;
  let owner: Browser;
  let quizId: string;
  let days: string;

  beforeAll(async () => {
    t = await openDashboardApp();
    const { store, history, ...fed } = await feedYear(t);
    quizId = history.quizzes[0]!.id;
    ({ days } = fed);
    owner = await signedIn(t, "owner@shop.example", { store, role: "owner" });
  }, 180_000);
  afterAll(() => t?.close());

  const tabs = ["overview", "funnel", "paths", "answers", "products", "traffic", "breakdown"];

  it.each(swept(lookNames, ["desktop"]))("have no violations, look %s [dashboard-figures.accessible]", async (look) => {
    const asTable = {
      path: `/quizzes/${quizId}?tab=funnel&${days}&compare=previous`,
      act: async ({ page, settled }: DashboardPage) => {
        await page.locator('[data-figure="funnel-pages"]').getByRole("button", { name: "As a table" }).click();
        await settled();
      },
    };
    const screens = [
      "/",
      "/quizzes",
      ...["overview", "quizzes", "products", "breakdown"].map((tab) => `/analytics?tab=${tab}&${days}`),
      ...tabs.map((tab) => `/quizzes/${quizId}?tab=${tab}&${days}`),
      asTable,
    ];
    expect(wrongWith(await lookAt(t, owner, look, screens))).toEqual([]);
  });

  it.runIf(triesOthers)("have no violations in what opens over them [dashboard-figures.accessible]", async () => {
    const open = (name: string | RegExp) => ({
      path: `/quizzes/${quizId}?${days}`,
      act: async ({ page, settled }: DashboardPage) => {
        await page.getByRole("button", { name }).first().click();
        await page.waitForTimeout(300);
        await settled();
      },
    });
    const screens = [open(/^Days:/), open("Filter"), open(/^Series/), open(/^API call of/)];
    expect(wrongWith(await lookAt(t, owner, "desktop", screens))).toEqual([]);
  });
});
