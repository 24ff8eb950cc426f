import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { codeOf, stepAt } from "../../server/accounts/totp.ts";
import { signedIn } from "../../testkit/accounts.ts";
import { openBrowser } from "../../testkit/browser.ts";
import { type DashboardApp, openDashboard, openDashboardApp } from "../../testkit/dashboard.ts";

const browser = await openBrowser();
const email = "owner@shop.example";
const password = "a long pass phrase";

describe.skipIf(browser === null)("an authenticator", () => {
  let t: DashboardApp;
  beforeAll(async () => {
    t = await openDashboardApp();
  }, 120_000);
  afterAll(() => t?.close());

  it("is set up by its first code, asked for at the next sign-in, and replaced by a recovery code [accounts.second-factor]", async () => {
    const owner = await signedIn(t, email, { store: await t.store(), role: "owner", password });
    const on = await openDashboard(t, owner);
    const { page } = on;
    await on.open("/account");
    await page.getByRole("button", { name: "Set up" }).click();
    await page.getByRole("img", { name: /QR code/ }).waitFor();
    const seed = (await page.locator("code").first().textContent()) ?? "";
    const typeCode = (code: string) => page.getByLabel("Code", { exact: true }).fill(code);
    await typeCode("000000");
    await page.getByRole("button", { name: "Turn on" }).click();
    await page.getByText("The code is not right.").waitFor();
    await typeCode(codeOf(seed, stepAt(Date.now())));
    await page.getByRole("button", { name: "Turn on" }).click();
    await page.getByText("Keep these recovery codes").waitFor();
    const codes = await page.locator(".qs-codes li").allTextContents();
    expect(codes).toHaveLength(10);
    expect(await on.violations()).toEqual([]);

    const again = await openDashboard(t);
    const signIn = async () => {
      await again.open("/sign-in");
      await again.page.getByLabel("Email").fill(email);
      await again.page.getByLabel("Password").fill(password);
      await again.page.getByRole("button", { name: "Sign in" }).click();
      await again.page.getByLabel("Code", { exact: true }).waitFor();
    };
    await signIn();
    await again.page.getByLabel("Code", { exact: true }).fill("000000");
    await again.page.getByRole("button", { name: "Sign in" }).click();
    await again.page.getByText("Email, password or code are not right.").waitFor();
    await again.page.getByLabel("Code", { exact: true }).fill(codes[0] ?? "");
    await again.page.getByRole("button", { name: "Sign in" }).click();
    await again.page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    await again.open("/account");
    await again.page.getByText("Recovery codes left: 9").waitFor();

    await page.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove the authenticator" }).click();
    await page.getByRole("button", { name: "Set up" }).waitFor();
    expect(await page.getByText("Keep these recovery codes").count()).toBe(0);
    expect([...on.faults, ...again.faults]).toEqual([]);
    await on.close();
    await again.close();
  }, 90_000);
});
