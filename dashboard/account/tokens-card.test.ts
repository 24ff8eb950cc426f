import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Browser } from "../../testkit/accounts.ts";
import { openBrowser } from "../../testkit/browser.ts";
import { lookAt, lookNames, openDashboard, wrongWith } from "../../testkit/dashboard.ts";
import { openScreens, password, type Screens, sentTo, soon } from "../../testkit/dashboard-screens.ts";

const minutes = 60_000;

describe.skipIf(!(await openBrowser()))("personal tokens", () => {
  let screens: Screens;
  let owner: Browser;
  beforeAll(async () => {
    screens = await openScreens();
    owner = await screens.member("owner");
  }, 120_000);
  afterAll(() => screens?.close());

  const callWith = (token: string) =>
    screens.t.request("GET", "/dashboard/api/v1/profiles", { headers: { authorization: `Bearer ${token}` } });

  it("are made by clicks after the password, shown once, and work until they are revoked [accounts.tokens]", async () => {
    const on = await openDashboard(screens.t, owner);
    const { page } = on;
    await on.open("/account");
    const sent = sentTo(page, "/me/tokens");
    await page.getByText("No program acts for you.").waitFor();
    screens.t.calendar.advance(11 * minutes);
    await page.getByRole("button", { name: "New token…" }).click();
    const dialog = page.getByRole("dialog", { name: "New personal token" });
    expect(await dialog.getByRole("button", { name: "Make the token" }).isDisabled()).toBe(true);
    expect(await dialog.getByLabel("Store").innerText()).toContain("(owner)");
    await dialog.getByLabel("Name").fill("Assistant");
    await dialog.getByLabel("Expires").selectOption("In 30 days");
    await dialog.getByRole("button", { name: "Make the token" }).click();
    await page.getByRole("textbox", { name: "Password", exact: true }).fill(password);
    await page.getByRole("button", { name: "Confirm" }).click();
    const token = (await dialog.getByLabel("The new token").innerText()).trim();
    expect(sent.at(-1)).toEqual({ name: "Assistant", store_id: screens.store.id, expires_at: expect.any(String) });
    expect(await on.violations()).toEqual([]);
    await page.keyboard.press("Escape");
    expect((await callWith(token)).status).toBe(200);
    await dialog.getByRole("button", { name: "I have copied it" }).click();
    await page.reload();
    const row = page.getByRole("row").filter({ hasText: "Assistant" });
    await expect.poll(() => row.innerText(), soon).toMatch(/as owner[\s\S]*(now|ago|minute)/);
    expect(await page.content()).not.toContain(token);
    await row.getByRole("button", { name: "Revoke…" }).click();
    const question = page.getByRole("dialog", { name: "Revoke this token?" });
    expect(await question.innerText()).toContain("Assistant");
    await question.getByRole("button", { name: "Revoke" }).click();
    await page.getByText("The token was revoked.").waitFor();
    await page.getByText("No program acts for you.").waitFor();
    expect((await callWith(token)).status).toBe(401);
    expect(on.faults).toEqual([]);
    await on.close();
  }, 60_000);

  it("are read by everybody, whatever their screen is like [dashboard.accessible]", async () => {
    const analyst = await screens.member("analyst");
    const expires_at = new Date(screens.t.calendar.now() + 5 * 24 * 60 * minutes).toISOString();
    for (const name of ["Assistant", "A".repeat(200)])
      await analyst.request("POST", "/me/tokens", { body: { name, store_id: screens.store.id, expires_at } });
    const begin = {
      path: "/account",
      act: ({ page }: { page: import("playwright-core").Page }) =>
        page.getByRole("button", { name: "New token…" }).click(),
    };
    for (const look of lookNames)
      expect([look, wrongWith(await lookAt(screens.t, analyst, look, ["/account", begin]))]).toEqual([look, []]);
  }, 120_000);
});
