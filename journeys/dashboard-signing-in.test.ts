import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openBrowser } from "../testkit/browser.ts";
import { type DashboardPage, openDashboard } from "../testkit/dashboard.ts";
import { installedFolder } from "./installed.ts";
import { cleanUp, type Demo, startDemo } from "./program.ts";

/** A merchant starts the program, opens the link that it prints, invites somebody, and each sees what is theirs. */

const browser = await openBrowser();

let data: string;
let program: Demo;
let url: string;
let link: string;

beforeAll(async () => {
  if (browser === null) return;
  data = await installedFolder();
  program = await startDemo(data);
  ({ url, ownersLink: link } = program);
}, 120_000);
afterAll(async () => {
  await program?.stop();
  if (data) await cleanUp(data);
});

const heading = (on: DashboardPage, name: string) => on.page.getByRole("heading", { level: 1, name }).waitFor();

describe.skipIf(browser === null)("a merchant", () => {
  it("waits for the dashboard to be built, signs in by the printed link, and invites an analyst, who sees less [dashboard.build, dashboard.link-click, accounts.invitations]", async () => {
    const owner = await openDashboard({ url });
    // the page says that it is being made, and comes by itself
    await owner.page.goto(link);
    await owner.page.getByRole("button", { name: "Sign in" }).click({ timeout: 90_000 });
    await heading(owner, "Home");
    await owner.page.getByRole("link", { name: "Settings" }).click();
    await owner.page.getByRole("navigation", { name: "Settings" }).getByRole("link", { name: "Team" }).click();
    await heading(owner, "Team and invitations");
    await owner.page.getByLabel("Email").fill("analyst@lumen-fern.example");
    await owner.page.getByRole("button", { name: "Invite" }).click();
    const invitation = await owner.page.getByText(/^http\S+\/dashboard\/link\/\S+$/).textContent();
    await owner.page.getByRole("button", { name: "Withdraw the invitation of analyst@lumen-fern.example" }).waitFor();

    const analyst = await openDashboard({ url });
    await analyst.page.goto(invitation ?? "");
    await heading(analyst, "You are invited to Lumen & Fern");
    await analyst.page.getByLabel("Your name").fill("Ana Lyst");
    await analyst.page.getByLabel("Password").fill("a long pass phrase");
    await analyst.page.getByRole("button", { name: "Accept" }).click();
    await heading(analyst, "Home");
    const navigation = analyst.page.getByRole("navigation", { name: "Main" });
    expect(await navigation.getByRole("link").allTextContents()).toEqual([
      "Home",
      "Quizzes",
      "Analytics",
      "Exports",
      "Settings",
    ]);
    await analyst.open("/settings/people");
    await analyst.page.getByText("This is for owners").waitFor();
    expect(await analyst.page.getByLabel("Email").count()).toBe(0);

    await analyst.page.goto(invitation ?? "");
    await heading(analyst, "This link is used or expired");
    await owner.open("/settings/people");
    await owner.page.getByText("Ana Lyst").waitFor();
    expect([...owner.faults, ...analyst.faults]).toEqual([]);
    await owner.close();
    await analyst.close();
  }, 180_000);

  it("is signed out by name, and signs in again by password [dashboard.return]", async () => {
    const on = await openDashboard({ url });
    await on.page.goto(`${url}/dashboard/exports?status=ready`);
    await heading(on, "Sign in");
    await on.page.getByText("Please sign in to go on to where you were going").waitFor();
    await on.page.getByLabel("Email").fill("analyst@lumen-fern.example");
    await on.page.getByLabel("Password").fill("not the pass phrase");
    await on.page.getByRole("button", { name: "Sign in" }).click();
    await on.page.getByText("Email, password or code are not right.").waitFor();
    await on.page.getByLabel("Password").fill("a long pass phrase");
    await on.page.getByRole("button", { name: "Sign in" }).click();
    await heading(on, "Exports");
    expect(on.page.url()).toContain("/dashboard/exports?status=ready");
    await on.page.getByRole("button", { name: "Ana Lyst" }).click();
    await on.page.getByRole("menuitem", { name: "Sign out" }).click();
    await on.page.getByText("You are signed out.").waitFor();
    await on.page.goBack();
    await heading(on, "Sign in");
    expect(on.faults).toEqual([]);
    await on.close();
  }, 60_000);
});
