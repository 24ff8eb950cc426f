import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { MailMessage } from "../../server/accounts/mail.ts";
import { invitedBy, linkFor, signedIn, tokenOf } from "../../testkit/accounts.ts";
import type { TestStore } from "../../testkit/app.ts";
import { openBrowser } from "../../testkit/browser.ts";
import {
  type DashboardApp,
  type DashboardPage,
  openDashboard,
  openDashboardApp,
  openTab,
} from "../../testkit/dashboard.ts";
import { oidcClient, type RunningProvider, runProvider } from "../../testkit/identity-provider.ts";
import { freePort } from "../../testkit/machine.ts";

const browser = await openBrowser();
const dayMs = 24 * 60 * 60 * 1_000;

describe.skipIf(browser === null)("ways in", () => {
  let t: DashboardApp;
  let store: TestStore;
  let provider: RunningProvider;
  /** with an identity provider and mail */
  let url: string;
  const letters: MailMessage[] = [];
  const mailer = {
    send: async (letter: MailMessage) => {
      letters.push(letter);
      return { accepted: true } as const;
    },
    close: async () => undefined,
  };
  beforeAll(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    provider = await runProvider(`${url}/dashboard/api/oidc/callback`);
    t = await openDashboardApp();
    const oidc = { oidcIssuer: provider.issuer, oidcName: "Example SSO" };
    const client = { oidcClientId: oidcClient.clientId, oidcClientSecret: oidcClient.clientSecret };
    const app = t.compose({ mailer, config: { ...t.foundations.config, baseUrl: url, ...oidc, ...client } });
    await app.listen({ host: "127.0.0.1", port });
    store = await t.store();
  }, 120_000);
  afterAll(async () => {
    await t?.close();
    await provider?.close();
  });
  beforeEach(() => {
    letters.length = 0;
    t.passTime(3_600_000);
  });

  const opened = async (path: string): Promise<DashboardPage> => {
    const on = await openDashboard({ url });
    // the provider's own page asks others for fonts
    await on.page.context().route(/^https:/, (route) => route.abort());
    await on.open(path);
    return on;
  };

  /** From our button to the provider, and through its two pages. */
  const byProvider = async ({ page }: DashboardPage, name: string) => {
    await page.getByRole("link", { name: "Sign in with Example SSO" }).click();
    await page.locator("input[name=login]").fill(name);
    await page.locator("input[name=password]").fill("any");
    await page.getByRole("button", { name: /sign-in/i }).click();
    await page.getByRole("button", { name: /continue/i }).click();
  };
  const heading = ({ page }: DashboardPage, name: string | RegExp) =>
    page.getByRole("heading", { level: 1, name }).waitFor();

  it("by the identity provider lead back to where somebody was going [accounts.oidc, dashboard.return]", async () => {
    await signedIn(t, "ada@sso.example", { store, role: "owner" });
    provider.accounts.set("ada", { email: "ada@sso.example", email_verified: true });
    const on = await opened("/exports");
    await heading(on, "Sign in");
    expect(await on.violations()).toEqual([]);
    await byProvider(on, "ada");
    await heading(on, "Exports");
    expect(new URL(on.page.url()).pathname).toBe("/dashboard/exports");
    await on.close();
  });

  it("by the identity provider say who is not known here, who can still come in otherwise [accounts.oidc, dashboard.return]", async () => {
    const password = "a long pass phrase";
    await signedIn(t, "known@sso.example", { store, role: "owner", password });
    provider.accounts.set("stranger", { email: "stranger@sso.example", email_verified: true });
    const on = await opened("/exports");
    await byProvider(on, "stranger");
    await on.page.getByText("Nobody here has the address that the provider knows.").waitFor();
    await on.page.getByLabel("Email").fill("known@sso.example");
    await on.page.getByLabel("Password").fill(password);
    await on.page.getByRole("button", { name: "Sign in", exact: true }).click();
    await heading(on, "Exports");
    await on.close();
  });

  it("by the identity provider open an invitation [accounts.oidc]", async () => {
    const token = await invitedBy(t, "new@sso.example", { store, role: "owner" });
    provider.accounts.set("new", { email: "new@sso.example", email_verified: true, name: "New" });
    const on = await opened(`/link/${token}`);
    await heading(on, /You are invited to/);
    await byProvider(on, "new");
    await heading(on, "Home");
    await on.open(`/link/${token}`);
    await heading(on, "This link is used or expired");
    await on.close();
  });

  it("by mail are asked for, opened and used; nobody learns who is known [accounts.mail, dashboard.link-click]", async () => {
    await signedIn(t, "mail@shop.example", { store, role: "owner" });
    const on = await opened("/sign-in");
    const ask = async (email: string) => {
      await on.page.getByLabel("Email").fill(email);
      await on.page.getByRole("button", { name: "Mail me a link" }).click();
      await on.page.getByText("If we know this address, a link is on its way to it.").waitFor();
    };
    await ask("nobody@shop.example");
    expect(await on.violations()).toEqual([]);
    await on.page.reload();
    await ask("mail@shop.example");
    await expect.poll(() => letters.map(({ to }) => to)).toEqual(["mail@shop.example"]);
    const token = /\/link\/([\w-]+)/.exec(letters[0]?.text ?? "")?.[1];
    await on.open(`/link/${token}`);
    await on.page.getByText("This link signs you in as").waitFor();
    await on.page.getByRole("button", { name: "Sign in" }).click();
    await heading(on, "Home");
    expect(on.faults).toEqual([]);
    await on.close();
  });

  it("by mail are not asked for without end, which is said [accounts.mail]", async () => {
    const on = await opened("/sign-in");
    await on.page.getByLabel("Email").fill("often@shop.example");
    for (let asked = 0; asked < 6; asked += 1) {
      const answered = on.page.waitForResponse(/links\/mail/);
      await on.page.getByRole("button", { name: "Mail me a link" }).click();
      await answered;
    }
    await on.page.getByRole("status").getByText("That was too much at once.").waitFor();
    await on.close();
  });

  it("by a link that has expired say what to do, also where its page was open before [dashboard.link-click]", async () => {
    await signedIn(t, "late@shop.example", { store, role: "owner" });
    const token = await linkFor(t, "late@shop.example");
    const on = await opened(`/link/${token}`);
    t.calendar.advance(dayMs);
    await on.page.getByRole("button", { name: "Sign in" }).click();
    await on.page.getByText("This link was used meanwhile, or has expired.").waitFor();
    expect(await on.violations()).toEqual([]);
    await on.page.reload();
    await heading(on, "This link is used or expired");
    await on.page.getByRole("link", { name: "Sign in" }).click();
    await heading(on, "Sign in");
    expect(on.faults).toEqual([]);
    await on.close();
  });

  it("by an invitation of somebody else are said to be that [accounts.invitation-no-key]", async () => {
    const password = "a long pass phrase";
    const owner = await signedIn(t, "asks@shop.example", { store, role: "owner", password });
    await signedIn(t, "guest@shop.example", { store: await t.store(), role: "analyst", password });
    const body = { email: "guest@shop.example", role: "editor" };
    const made = await owner.request("POST", "/invitations", { store, body });
    const on = await opened(`/link/${tokenOf(made.body.url)}`);
    const signIn = async (email: string) => {
      await on.page.getByLabel("Email").fill(email);
      await on.page.getByLabel("Password").fill(password);
      await on.page.getByRole("button", { name: "Sign in", exact: true }).click();
    };
    await signIn("asks@shop.example");
    await on.page.getByText("You signed in as asks@shop.example, whom this invitation is not for.").waitFor();
    expect(await on.violations()).toEqual([]);
    await signIn("guest@shop.example");
    await on.page.getByRole("button", { name: "Accept" }).click();
    await heading(on, "Home");
    expect(on.faults).toEqual([]);
    await on.close();
  });

  it("are not asked for again where one request alone was refused: its cookie was replaced on its way [dashboard.ended-session]", async () => {
    const on = await openDashboard({ url }, await signedIn(t, "quick@shop.example", { store, role: "owner" }));
    await on.open("/");
    const problem = {
      type: "x",
      title: "not_signed_in",
      status: 401,
      detail: "Nobody is signed in",
      request_id: "req_1",
    };
    const body = JSON.stringify(problem);
    await on.page.route(
      /\/v1\/exports/,
      (route) => route.fulfill({ status: 401, contentType: "application/problem+json", body }),
      { times: 1 },
    );
    const looked = on.page.waitForResponse(/\/dashboard\/api\/me$/);
    await on.page.getByRole("link", { name: "Exports" }).click();
    expect((await looked).status()).toBe(200);
    await on.page.getByRole("button", { name: "Try again" }).click();
    await heading(on, "Exports");
    await on.settled();
    expect(await on.page.getByText("Please sign in again").count()).toBe(0);
    // now it has ended
    await on.page.context().clearCookies();
    await on.page.getByRole("link", { name: "Home" }).click();
    await on.page.getByText("Please sign in again").waitFor();
    await on.close();
  });

  describe("of another person in another tab of the browser", () => {
    const ways: Record<string, (tab: DashboardPage, email: string) => Promise<void>> = {
      link: async (tab, email) => {
        await tab.open(`/link/${await linkFor(t, email)}`);
        await tab.page.getByRole("button", { name: "Sign in" }).click();
      },
      provider: async (tab, email) => {
        provider.accounts.set("next", { email, email_verified: true });
        await tab.open("/sign-in");
        await byProvider(tab, "next");
      },
    };
    for (const [way, come] of Object.entries(ways)) {
      it(`leave nothing of whoever was here on an open screen: by ${way} [dashboard.ended-session]`, async () => {
        const [before, email] = [`before-${way}@shop.example`, `next-${way}@shop.example`];
        const on = await openDashboard({ url }, await signedIn(t, before, { store, role: "owner" }));
        await on.page.context().route(/^https:/, (route) => route.abort());
        await on.open("/settings/people");
        await on.page.getByLabel("Email").fill("secret-guest@shop.example");
        await signedIn(t, email, { store, role: "owner" });
        const tab = await openTab({ url }, on, "/sign-in");
        await come(tab, email);
        await heading(tab, "Home");
        await heading(on, "Home");
        expect(new URL(on.page.url()).pathname).toBe("/dashboard");
        await on.open("/account");
        await on.page.getByText(email).first().waitFor();
        expect(await on.page.getByText(before).count()).toBe(0);
        await on.open("/settings/people");
        expect(await on.page.getByLabel("Email").inputValue()).toBe("");
        expect(on.faults).toEqual([]);
        await on.close();
      });
    }
  });
});
