import type { Page } from "playwright-core";

/** The dashboard's screens to take pictures of, on the demo shop. */
export interface PicturedScreen {
  name: string;
  path: string;
  /** interacts with the screen first */
  open?: (page: Page) => Promise<unknown>;
  dark?: true;
  /** also takes a picture at phone size */
  phone?: true;
}

const firstPerson = async (page: Page): Promise<void> => {
  await page.locator("table a[href*='/profiles/prof_']").first().click();
  await page.waitForURL(/profiles\/prof_/);
  await page.waitForLoadState("networkidle");
};

const toTokens = (page: Page): Promise<void> =>
  page.getByRole("heading", { name: "Personal tokens" }).scrollIntoViewIfNeeded();

export const dashboardScreens = (quiz: string): readonly PicturedScreen[] => [
  { name: "home", path: "/", phone: true },
  { name: "home-dark", path: "/", dark: true },
  { name: "quizzes", path: "/quizzes" },
  ...["overview", "funnel", "paths", "answers", "products", "traffic", "breakdown"].map((tab) => ({
    name: tab,
    path: `/quizzes/${quiz}?tab=${tab}`,
  })),
  { name: "analytics", path: "/analytics" },
  { name: "editor", path: `/quizzes/${quiz}/edit` },
  { name: "people", path: "/profiles" },
  { name: "person", path: "/profiles", open: firstPerson, phone: true },
  { name: "exports", path: "/exports" },
  ...["keys", "webhooks", "events"].map((screen) => ({ name: screen, path: `/developers/${screen}` })),
  ...["store", "commerce", "people", "audit", "plan"].map((screen) => ({
    name: `settings-${screen}`,
    path: `/settings/${screen}`,
  })),
  { name: "account", path: "/account", phone: true },
  { name: "account-tokens", path: "/account", open: toTokens },
];
