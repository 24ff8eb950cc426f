import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Browser } from "../../testkit/accounts.ts";
import type { Body } from "../../testkit/app.ts";
import { openBrowser } from "../../testkit/browser.ts";
import { type DashboardPage, openDashboard } from "../../testkit/dashboard.ts";
import { addPeople, peopleQuiz } from "../../testkit/dashboard-people.ts";
import { openScreens, password, type Screens, soon } from "../../testkit/dashboard-screens.ts";

const minutes = 60_000;

describe.skipIf(!(await openBrowser()))("the list of people and a person", () => {
  let screens: Screens;
  let owner: Browser;
  let listed: Body[];
  beforeAll(async () => {
    screens = await openScreens();
    await addPeople(screens, await peopleQuiz(screens));
    owner = await screens.member("owner");
    listed = (await screens.t.request("GET", "/v1/profiles", { key: screens.store.key })).body.data;
  });
  afterAll(() => screens?.close());

  /** giving the password makes a new session, so that who gave it once is somebody else's browser */
  const on = async (at: string, work: (opened: DashboardPage) => Promise<void>, as = owner) => {
    const opened = await openDashboard(screens.t, as);
    await opened.open(at);
    await work(opened);
    expect(opened.faults).toEqual([]);
    await opened.close();
  };

  it("lists people as the API does, and keeps each filter in the address", () =>
    on("/profiles", async ({ page }) => {
      const names = () => page.getByRole("rowheader").allInnerTexts();
      const wanted = listed.map((person) => expect.stringContaining(person.email ?? person.phone));
      await expect.poll(names, soon).toEqual(wanted);
      await page.getByLabel("Phone", { exact: true }).selectOption("Left a phone number");
      await expect.poll(names, soon).toEqual([expect.stringContaining("+4915112345678")]);
      await expect.poll(() => new URL(page.url()).searchParams.get("has_phone"), soon).toBe("true");
      await page.getByLabel("Phone", { exact: true }).selectOption("All");
      await page.getByLabel("Email or phone").fill("ADA@");
      await expect.poll(names, soon).toEqual([expect.stringContaining("ada@example.com")]);
      await page.getByRole("button", { name: "Export…" }).click();
      await page.getByRole("dialog").getByText("“ADA@” does not narrow a file").waitFor();
      await page.reload();
      await expect.poll(names, soon).toEqual([expect.stringContaining("ada@example.com")]);
      expect(await page.getByLabel("Email or phone").inputValue()).toBe("ADA@");
      await page.getByLabel("Email or phone").fill("nobody at all");
      await page.getByText("Nobody matches these filters").waitFor();
      await page.getByRole("button", { name: "Clear the filters" }).click();
      await expect.poll(names, soon).toEqual(wanted);
      await page.getByLabel("First day (UTC)").fill("2026-03-02");
      await page.getByLabel("Last day (UTC)").fill("2026-03-01");
      await page.getByText("The first day comes after the last.").waitFor();
    }));

  it("shows what a person did, one visit after the other, as the API tells it [dashboard-people.timeline]", async () => {
    const ada = listed.find(({ email }) => email === "ada@example.com");
    await on(`/profiles/${ada.id}`, async ({ page }) => {
      const visit = page.getByRole("list", { name: /^Visit:/ });
      await visit.waitFor();
      const entries = await visit.getByRole("listitem").allInnerTexts();
      const answer = await owner.request("GET", `/profiles/${ada.id}/timeline`, { store: screens.store });
      expect(entries).toHaveLength(answer.body.data.length);
      const told = entries.join("\n").replaceAll(/\n+/g, "\n");
      for (const words of ["Finished", "Saw End", "Tone?\nDry", "Age?\n30", "Anything?\nDry skin", "Opened"])
        expect(told).toContain(words);
      expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe("ada@example.com");
      expect(await page.getByText("Agreed to marketing").count()).toBe(1);
    });
  });

  it("gives an owner all that is stored as a file, after the password [dashboard-people.erasure]", async () => {
    const ada = listed.find(({ email }) => email === "ada@example.com");
    await on(
      `/profiles/${ada.id}`,
      async ({ page }) => {
        screens.t.calendar.advance(11 * minutes);
        await page.getByRole("button", { name: "Download all data" }).click();
        await page.getByRole("textbox", { name: "Password" }).fill(password);
        const saving = page.waitForEvent("download");
        await page.getByRole("button", { name: "Confirm" }).click();
        const saved = await saving;
        expect(saved.suggestedFilename()).toBe(`${ada.id}.json`);
        const data = JSON.parse(await readFile(await saved.path(), "utf8"));
        expect(data.profile_id).toBe(ada.id);
        expect(JSON.stringify(data.data)).toContain("ada@example.com");
      },
      await screens.member("owner"),
    );
  });

  it("names whom and what an erasure destroys, asks, and asks for the password again [dashboard-people.erasure]", async () => {
    const gone = listed.find(({ phone }) => phone === "+4915112345678");
    await on(
      `/profiles/${gone.id}`,
      async ({ page }) => {
        await page.getByRole("button", { name: "Erase…" }).click();
        const question = page.getByRole("dialog", { name: "Erase this person?" });
        await question.getByText("1 email address or phone number").waitFor();
        expect(await question.innerText()).toContain("+4915112345678");
        await question.getByRole("button", { name: "Cancel" }).click();
        const still = await screens.t.request("GET", `/v1/profiles/${gone.id}`, { key: screens.store.key });
        expect(still.status).toBe(200);
        screens.t.calendar.advance(11 * minutes);
        await page.getByRole("button", { name: "Erase…" }).click();
        await question.getByRole("button", { name: "Erase for good" }).click();
        await page.getByRole("textbox", { name: "Password" }).fill(password);
        await page.getByRole("button", { name: "Confirm" }).click();
        await page.waitForURL(/\/dashboard\/profiles(\?|$)/);
        await page.getByText("The person was erased.").waitFor();
        const after = await screens.t.request("GET", `/v1/profiles/${gone.id}`, { key: screens.store.key });
        expect(after.status).toBe(404);
        await expect.poll(() => page.getByRole("rowheader").count(), soon).toBe(listed.length - 1);
        await page.goBack();
        await page.getByText("This is not here, or not in this store.").waitFor();
        expect(await page.content()).not.toContain("+4915112345678");
      },
      await screens.member("owner"),
    );
  });

  it("whose erasure was asked about is left by Back, and the question with them [dashboard.confirm]", async () =>
    on(
      "/profiles",
      async ({ page }) => {
        await page.getByRole("link", { name: "ada@example.com" }).click();
        await page.getByRole("button", { name: "Erase…" }).click();
        await page.getByRole("dialog", { name: "Erase this person?" }).waitFor();
        await page.goBack();
        await page.waitForURL(/\/dashboard\/profiles(\?|$)/);
        await expect.poll(() => page.getByRole("dialog").count(), soon).toBe(0);
        await page.getByRole("link", { name: "ada@example.com" }).click();
        await page.getByRole("button", { name: "Erase…" }).waitFor();
      },
      await screens.member("owner"),
    ));

  it("says of a person who is not there what went wrong, with the request's id", () =>
    on(`/profiles/prof_${"0".repeat(32)}`, async ({ page }) => {
      await page.getByText("This is not here, or not in this store.").waitFor();
      await page.getByText(/^Request req_/).waitFor();
    }));

  it("shows nobody to editors and analysts, and asks the API for nobody [dashboard-people.owners]", async () => {
    const ada = listed.find(({ email }) => email === "ada@example.com");
    for (const role of ["editor", "analyst"] as const) {
      const opened = await openDashboard(screens.t, await screens.member(role));
      const asked: string[] = [];
      opened.page.on("request", (request) => void asked.push(new URL(request.url()).pathname));
      for (const path of ["/profiles", "/profiles/search", `/profiles/${ada.id}`]) {
        await opened.open(path);
        await opened.page.getByText("People are shown to owners").waitFor();
        expect(await opened.page.getByRole("link", { name: "People" }).count()).toBe(0);
        expect(await opened.page.getByRole("button", { name: /Export|Erase/ }).count()).toBe(0);
      }
      expect(asked.filter((path) => path.includes("/v1/profiles"))).toEqual([]);
      expect(opened.faults).toEqual([]);
      await opened.close();
    }
  });
});
