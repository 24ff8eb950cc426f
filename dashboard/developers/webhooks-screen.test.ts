import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Browser } from "../../testkit/accounts.ts";
import { openBrowser } from "../../testkit/browser.ts";
import { type DashboardPage, openDashboard } from "../../testkit/dashboard.ts";
import { openScreens, type Screens, sentTo, soon } from "../../testkit/dashboard-screens.ts";
import { createEndpoint, putDelivery } from "../../testkit/endpoints.ts";
import { makeQuiz } from "../../testkit/quizzes.ts";
import { answers } from "../../testkit/receiver.ts";

describe.skipIf(!(await openBrowser()))("webhooks and events", () => {
  let screens: Screens;
  let owner: Browser;
  beforeAll(async () => {
    screens = await openScreens();
    // each test has its own, and the plan five
    await screens.t.update(screens.store, { limits: { webhook_endpoints: 50 } });
    owner = await screens.member("owner");
  });
  afterAll(() => screens?.close());

  const on = async (as: Browser, at: string, work: (opened: DashboardPage) => Promise<void>) => {
    const opened = await openDashboard(screens.t, as);
    await opened.open(at);
    await work(opened);
    expect(opened.faults).toEqual([]);
    await opened.close();
  };
  const byApi = async (method: string, path: string, body?: object) =>
    (await screens.t.request(method, path, { key: screens.store.key, ...(body ? { body } : {}) })).body;

  const publish = async () => {
    const { t, store } = screens;
    // a screen looks more often for what has just happened
    t.calendar.advance(Date.now() - t.calendar.now());
    const quiz = await makeQuiz(t, store, {});
    const version = await byApi("POST", `/v1/quizzes/${quiz.id}/versions`, {});
    await byApi("POST", `/v1/quizzes/${quiz.id}/versions/${version.id}/publish`);
    return quiz;
  };

  it("are added by clicks, fail, and are sent again with the receiver's answer shown [dashboard-developers.endpoint-form, dashboard-developers.deliveries, dashboard-developers.secret]", () =>
    on(owner, "/developers/webhooks", async ({ page }) => {
      const { receiver } = screens;
      receiver.answer(answers.status(500, {}, "the warehouse is closed"));
      await page.getByRole("button", { name: "Add an endpoint…" }).click();
      const dialog = page.getByRole("dialog", { name: "New endpoint" });
      await dialog.getByRole("button", { name: "Add the endpoint" }).click();
      await dialog.getByText("Type the address that events are sent to").waitFor();
      await dialog.getByLabel("Address").fill("http://example.com/plain");
      await dialog.getByRole("button", { name: "Add the endpoint" }).click();
      await dialog.getByText(/https/).last().waitFor();
      await dialog.getByLabel("Address").fill(receiver.url());
      await dialog.getByLabel("quiz.published", { exact: true }).check();
      const sent = sentTo(page, "/v1/webhooks");
      await dialog.getByRole("button", { name: "Add the endpoint" }).click();
      const secret = (await dialog.getByLabel("The signing secret").innerText()).trim();
      expect(sent.at(-1)).toEqual({
        url: receiver.url(),
        topics: ["quiz.finished", "quiz.published"],
        include_pii: false,
        quiz_ids: null,
        description: null,
      });
      await dialog.getByRole("button", { name: "Done" }).click();
      await page.getByRole("link", { name: receiver.url() }).click();
      await page.getByRole("button", { name: "Send a ping" }).click();
      await receiver.until(1);
      const row = page.getByRole("row").filter({ hasText: "ping" });
      await row.getByText("Will be retried").waitFor();
      await row.getByText("HTTP 500").waitFor();
      await row.getByText("next try").waitFor();
      await row.getByRole("button", { name: "Details" }).click();
      const drawer = page.getByRole("dialog", { name: "Delivery" });
      await drawer.getByText("the warehouse is closed").waitFor();
      expect(await drawer.getByLabel("Payload").innerText()).toContain('"type": "ping"');
      expect(JSON.parse(await drawer.getByLabel("Payload").innerText())).toEqual(
        JSON.parse(receiver.received[0]?.body.toString() ?? ""),
      );
      receiver.answer(answers.status(202, {}, "thanks"));
      await drawer.getByRole("button", { name: "Send again" }).click();
      await receiver.until(2);
      await drawer.getByText("thanks").waitFor();
      await drawer.getByText("Delivered").waitFor();
      await drawer.getByText("Attempts: 1 of 8").waitFor();
      await drawer.getByRole("button", { name: "Close" }).click();
      await page.getByRole("button", { name: "Show", exact: true }).click();
      expect((await page.getByLabel("The signing secret").innerText()).trim()).toBe(secret);
      await page.getByRole("button", { name: "Rotate…" }).click();
      await page.getByRole("button", { name: "Make a new secret" }).click();
      await page.getByText("The secret before this one signs along until").waitFor();
      const [{ id }] = (await byApi("GET", "/v1/webhooks")).data;
      const revealed = await byApi("POST", `/v1/webhooks/${id}/reveal-secret`);
      expect((await page.getByLabel("The signing secret").innerText()).trim()).toBe(revealed.secret);
      expect(revealed.secret).not.toBe(secret);
    }));

  it("list deliveries by state, and send all again that failed since a moment [dashboard-developers.deliveries]", async () => {
    const { t, store, receiver } = screens;
    receiver.answer(answers.status(204));
    const endpoint = await createEndpoint(t, store, { url: receiver.url("/failed") });
    await putDelivery(t, store, endpoint.id, { status: "dead", attempts: 8, last_error: "HTTP 503" });
    await putDelivery(t, store, endpoint.id, { status: "delivered" });
    await on(owner, `/developers/webhooks/${endpoint.id}`, async ({ page }) => {
      const rows = page.getByRole("row").filter({ hasText: "quiz.published" });
      await expect.poll(() => rows.count(), soon).toBe(2);
      await page.getByLabel("State", { exact: true }).selectOption("Failed");
      await expect.poll(() => rows.count(), soon).toBe(1);
      await expect.poll(() => new URL(page.url()).searchParams.get("status"), soon).toBe("dead");
      await rows.getByText("8 of 8").waitFor();
      await page.getByRole("button", { name: "Send failed ones again…" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Send again" }).click();
      await page.getByText("1 delivery is sent again.").waitFor();
      await page.getByText("No deliveries match these filters").waitFor();
      // what is under way is followed
      await page.getByLabel("State", { exact: true }).selectOption("All");
      await expect.poll(() => rows.filter({ hasText: "Delivered" }).count(), soon).toBe(2);
      await page.getByLabel("State", { exact: true }).selectOption("Delivered");
      await expect.poll(() => rows.count(), soon).toBe(2);
    });
  });

  it("say why an endpoint is disabled, and enable it again; deleting names what goes [dashboard-developers.enable, dashboard-developers.health]", async () => {
    const { t, store, receiver } = screens;
    const endpoint = await createEndpoint(t, store, { url: receiver.url("/gone") });
    receiver.answer(answers.status(410));
    await on(owner, `/developers/webhooks/${endpoint.id}`, async ({ page }) => {
      await page.getByRole("button", { name: "Send a ping" }).click();
      await page.getByText("answered 410 Gone").waitFor();
      expect(await page.getByRole("button", { name: "Send a ping" }).count()).toBe(0);
      receiver.answer(answers.status(204));
      await page.getByRole("button", { name: "Enable again" }).click();
      await page.getByText("The endpoint is enabled").waitFor();
      await page.getByRole("button", { name: "Send a ping" }).waitFor();
      await page.getByRole("button", { name: "Edit…" }).click();
      const form = page.getByRole("dialog", { name: "Change the endpoint" });
      await form.getByLabel("Note").fill("مستودع برلين");
      await form.getByRole("button", { name: "Save" }).click();
      await page.getByText("مستودع برلين").waitFor();
      expect(await byApi("GET", `/v1/webhooks/${endpoint.id}`)).toMatchObject({
        status: "enabled",
        description: "مستودع برلين",
        topics: ["quiz.published"],
      });
      await page.getByRole("button", { name: "Delete…" }).click();
      const question = page.getByRole("dialog", { name: "Delete this endpoint?" });
      expect(await question.innerText()).toContain(receiver.url("/gone"));
      await question.getByRole("button", { name: "Delete for good" }).click();
      await page.getByText("The endpoint was deleted.").waitFor();
      expect((await byApi("GET", `/v1/webhooks/${endpoint.id}`)).title).toBe("not_found");
    });
  });

  it("keep what was typed over a reload, and change nothing that somebody else changed meanwhile [dashboard.kept-forms, dashboard-developers.endpoint-form]", async () => {
    const { t, store } = screens;
    const endpoint = await createEndpoint(t, store, { topics: ["quiz.published"] });
    await on(owner, "/developers/webhooks", async ({ page }) => {
      const begin = () => page.getByRole("button", { name: "Add an endpoint…" }).click();
      const dialog = page.getByRole("dialog", { name: "New endpoint" });
      await begin();
      await dialog.getByLabel("Address").fill("https://example.com/half");
      await page.reload();
      await begin();
      expect(await dialog.getByLabel("Address").inputValue()).toBe("https://example.com/half");
      await dialog.getByRole("button", { name: "Cancel" }).click();
      await begin();
      expect(await dialog.getByLabel("Address").inputValue()).toBe("");
    });
    await on(owner, `/developers/webhooks/${endpoint.id}`, async ({ page }) => {
      const form = page.getByRole("dialog", { name: "Change the endpoint" });
      await page.getByRole("button", { name: "Edit…" }).click();
      await form.getByLabel("Note").fill("Berlin");
      await byApi("PATCH", `/v1/webhooks/${endpoint.id}`, { topics: ["quiz.published", "quiz.started"] });
      await page.reload();
      await page.getByRole("button", { name: "Edit…" }).click();
      expect(await form.getByLabel("Note").inputValue()).toBe("Berlin");
      expect(await form.getByLabel("quiz.started", { exact: true }).isChecked()).toBe(true);
      const sent = sentTo(page, `/v1/webhooks/${endpoint.id}`);
      await form.getByRole("button", { name: "Save" }).click();
      await page.getByText("The endpoint was changed.").waitFor();
      expect(sent).toEqual([{ description: "Berlin" }]);
      expect((await byApi("GET", `/v1/webhooks/${endpoint.id}`)).topics).toContain("quiz.started");
    });
  });

  it("stay on the screen while they cannot be asked for again, which is said above them [dashboard.problems]", async () => {
    const { t, store, receiver } = screens;
    receiver.answer(answers.status(204));
    const endpoint = await createEndpoint(t, store, { url: receiver.url("/kept") });
    await putDelivery(t, store, endpoint.id, { status: "dead", attempts: 8, last_error: "HTTP 503" });
    await on(owner, `/developers/webhooks/${endpoint.id}`, async ({ page }) => {
      const row = page.getByRole("row").filter({ hasText: "8 of 8" });
      await row.waitFor();
      await page.route("**/deliveries?*", (route) => route.fulfill({ status: 500, json: {} }));
      await page.getByRole("button", { name: "Send a ping" }).click();
      await page.getByRole("alert").getByRole("button", { name: "Try again" }).waitFor();
      expect(await row.count()).toBe(1);
      await page.unrouteAll();
      await page.getByRole("button", { name: "Send a ping" }).click();
      await expect.poll(() => page.getByRole("button", { name: "Try again" }).count(), soon).toBe(0);
      await row.waitFor();
    });
  });

  it("show the feed by topic, each event's payload, and lead to its deliveries [dashboard-developers.events]", async () => {
    const { t, store, receiver } = screens;
    receiver.answer(answers.status(204));
    await createEndpoint(t, store, { url: receiver.url("/feed") });
    const quiz = await publish();
    await on(owner, "/developers/events?type=quiz.published", async ({ page }) => {
      const row = page.getByRole("row").filter({ hasText: "quiz.published" }).first();
      await row.getByRole("button", { name: "Details" }).click();
      const drawer = page.getByRole("dialog", { name: "Event" });
      await drawer.getByLabel("Payload").waitFor();
      expect(JSON.parse(await drawer.getByLabel("Payload").innerText()).data.object.quiz_id).toBe(quiz.id);
      await drawer.getByRole("link", { name: receiver.url("/feed") }).click();
      await page.getByRole("dialog", { name: "Delivery" }).getByText("Delivered").waitFor();
      await page.goBack();
      await drawer.getByLabel("Payload").waitFor();
      await page.goto(`${t.url}/dashboard/developers/events?type=export.completed`);
      await page.getByText("No event of the last 30 days").waitFor();
    });
  });

  it("follow an event that was opened before any endpoint was told of it [dashboard-developers.events]", async () => {
    const { t, store, receiver } = screens;
    receiver.answer(answers.status(204));
    await createEndpoint(t, store, { url: receiver.url("/later") });
    await publish();
    const [event] = (await byApi("GET", "/v1/events?type=quiz.published&limit=1")).data;
    await on(owner, "/developers/webhooks", async ({ page }) => {
      const untold = { ...event, deliveries: [], data: null };
      await page.route(`**/events/${event.id}**`, (route) => route.fulfill({ json: untold }));
      await page.goto(`${t.url}/dashboard/developers/events?event=${event.id}`);
      const drawer = page.getByRole("dialog", { name: "Event" });
      await drawer.getByText("No endpoint listens to it").waitFor();
      await page.unrouteAll();
      await drawer.getByRole("link", { name: receiver.url("/later") }).waitFor();
      await drawer.getByLabel("Payload").waitFor();
    });
  });

  it("hide contacts from an editor, who may not have them sent either [dashboard-developers.roles]", async () => {
    const { t, store, receiver } = screens;
    const topics = ["identity.captured"];
    const endpoint = await createEndpoint(t, store, { url: receiver.url("/contacts"), include_pii: true, topics });
    const object = { identity: { kind: "email", value: "ada@example.com" } };
    const id = await putDelivery(t, store, endpoint.id, { topic: "identity.captured", object });
    await on(await screens.member("editor"), `/developers/webhooks/${endpoint.id}?delivery=${id}`, async ({ page }) => {
      const drawer = page.getByRole("dialog", { name: "Delivery" });
      await drawer.getByText("It holds contacts, which your role does not show.").waitFor();
      expect(await page.content()).not.toContain("ada@example.com");
    });
    await on(await screens.member("editor"), `/developers/webhooks/${endpoint.id}`, async ({ page }) => {
      await page.getByText("owners alone change, disable and enable it").waitFor();
      const names = await page.getByRole("button").allInnerTexts();
      expect(names).toContain("Delete…");
      expect(names.filter((name) => /Edit|Disable/.test(name))).toEqual([]);
    });
    await on(await screens.member("editor"), "/developers/webhooks", async ({ page }) => {
      await page.getByRole("button", { name: "Add an endpoint…" }).click();
      expect(await page.getByRole("dialog").getByLabel("Send contacts").isDisabled()).toBe(true);
    });
  });
});
