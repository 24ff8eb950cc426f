import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openBrowser } from "../../testkit/browser.ts";
import { type EmbeddedPage, type EmbeddedShop, embedded, toldBefore } from "../../testkit/browser-quiz.ts";
import { openPlayerApp } from "../../testkit/built-player.ts";
import { choice, option, page, quizDocument, text } from "../../testkit/document-parts.ts";
import { openProxy, type TcpProxy } from "../../testkit/proxy.ts";
import { storedEvents } from "../../testkit/storefront.ts";

const numbers = [1, 2, 3, 4, 5, 6];

/** A question a page, chosen and typed by turns, and no result. */
const sixQuestions = quizDocument(
  numbers.map((number) => {
    const options = [option(`yes${number}`, { label: "Yes" }), option(`no${number}`, { label: "No" })];
    const question = number % 2 === 1 ? choice(`a${number}`, options) : text(`a${number}`, { max_length: 10_000 });
    return page(`page${number}`, [{ ...question, question: "And?" }], { title: `Page ${number}` });
  }),
  { presentation: { advance: "button" } },
);

const expected = numbers.map((number) => [`a${number}`, number % 2 === 1 ? [`yes${number}`] : `answer ${number}`]);

const undelivered = (shopper: Page): Promise<number> =>
  shopper.evaluate(() => {
    const kept = Object.entries(localStorage).filter(([key]) => key.includes(":sess_"));
    return kept.reduce((sum, [, value]) => sum + JSON.parse(value).events.length, 0);
  });

describe.skipIf((await openBrowser()) === null)("what a shopper answers", () => {
  let shop: EmbeddedShop;
  let network: TcpProxy;
  beforeAll(async () => {
    const t = await openPlayerApp();
    network = await openProxy({ port: Number(new URL(t.url).port) });
    shop = await embedded({ ...t, url: `http://127.0.0.1:${network.port}` }, await t.store(), sixQuestions);
  });
  afterAll(async () => {
    await network.close();
    await shop.close();
  });

  const arrive = async (attributes = "") => {
    const opened = await shop.open(shop.tag(`consent="always" ${attributes}`), { pages: { "/other": "Other" } });
    return { opened, id: (await opened.heard("opened")).session_id ?? "" };
  };

  /** Answers a page once it is there. */
  const answer = async (shopper: Page, number: number): Promise<void> => {
    await shopper.getByRole("heading", { name: `Page ${number}` }).waitFor();
    if (number % 2 === 1) await shopper.getByLabel("Yes").check();
    else await shopper.getByRole("textbox").fill(`answer ${number}`);
  };

  const goOn = (shopper: Page): Promise<void> => shopper.getByRole("button", { name: /^(Next|Finish)$/ }).click();

  const take = async (shopper: Page, from: number, to = numbers.length): Promise<void> => {
    for (let number = from; number <= to; number += 1) {
      await answer(shopper, number);
      await goOn(shopper);
    }
  };

  /** Each answer up to that page once, and the finish after the last, under numbers without holes. */
  const allArrived = async (id: string, to = numbers.length): Promise<void> => {
    const find = async () => {
      const events = await storedEvents(shop.t, shop.store, id);
      const answers = events.filter(({ type }) => type === "answer_saved");
      return {
        answers: answers.map(({ data }) => [data["component_key"], data["option_ids"] ?? data["value"]]),
        finishes: events.filter(({ type }) => type === "quiz_finished").length,
        isNumbered: events.every(({ seq }, index) => seq === index),
      };
    };
    const finishes = to === numbers.length ? 1 : 0;
    const all = { answers: expected.slice(0, to), finishes, isNumbered: true };
    await expect.poll(find, { timeout: 20_000 }).toEqual(all);
  };

  it("is there once, though the browser was offline in the middle [player.offline, player.delivery]", async () => {
    const { opened, id } = await arrive();
    const shopper = opened.page;
    await take(shopper, 1, 2);
    await shopper.context().setOffline(true);
    await take(shopper, 3, 5);
    await shopper.context().setOffline(false);
    await take(shopper, 6);
    await allArrived(id);
    await expect.poll(() => undelivered(shopper)).toBe(0);
    await opened.close();
  });

  it("is there once, though the server was away, and swallowed requests before it went [player.backoff, player.delivery]", async () => {
    const { opened, id } = await arrive();
    const shopper = opened.page;
    await take(shopper, 1, 1);
    network.swallow(true);
    await take(shopper, 2, 2);
    await shopper.waitForTimeout(500);
    await network.cut();
    network.swallow(false);
    await take(shopper, 3, 3);
    // some attempts fail
    await shopper.waitForTimeout(4_000);
    await take(shopper, 4, 4);
    expect(await opened.heard("error")).toMatchObject({ kind: "away" });
    await network.restore();
    await take(shopper, 5);
    await allArrived(id);
    const errors = (await opened.told()).filter(({ name }) => name === "error");
    expect([errors.length, await undelivered(shopper)]).toEqual([1, 0]);
    await opened.close();
  }, 40_000);

  it("is there once, though the server took it and its answer was lost [storefront.repeated-events, player.delivery]", async () => {
    const { opened, id } = await arrive();
    const shopper = opened.page;
    let lost = 0;
    await shopper.route("**/storefront/v1/events", async (route) => {
      await route.fetch();
      lost += 1;
      await (lost < 3 ? route.abort() : route.continue());
    });
    await take(shopper, 1);
    await allArrived(id);
    await expect.poll(() => undelivered(shopper), { timeout: 10_000 }).toBe(0);
    expect(lost).toBeGreaterThan(2);
    await opened.close();
  }, 20_000);

  it("is there once, though the tab was killed while the server was away [player.stored-first, player.delivery]", async () => {
    const { opened, id } = await arrive();
    await take(opened.page, 1, 1);
    await network.cut();
    await take(opened.page, 2, 3);
    const context = opened.page.context();
    const protocol = await context.newCDPSession(opened.page);
    const isGone = new Promise<void>((resolve) => opened.page.once("crash", () => resolve()));
    protocol.send("Page.crash").catch(() => {});
    await isGone;
    await network.restore();
    const shopper = await context.newPage();
    await shopper.goto(`${opened.site.origin}/`);
    await shopper.getByRole("button", { name: "Continue" }).click();
    await take(shopper, 4);
    await allArrived(id);
    await opened.close();
  }, 40_000);

  it("is there once, though the page was loaded anew on each page of the quiz, before and after each answer [player.resume, player.delivery]", async () => {
    const { opened, id } = await arrive();
    const shopper = opened.page;
    for (const number of numbers) {
      await answer(shopper, number);
      await shopper.reload();
      await shopper.getByRole("heading", { name: `Page ${number}` }).waitFor();
      await goOn(shopper);
      await shopper.reload();
    }
    await shopper.getByRole("button", { name: "Take the quiz again" }).waitFor();
    await allArrived(id);
    await opened.close();
  }, 40_000);

  it("is on its way as the page is loaded anew, which is no error [player.backoff]", async () => {
    const { opened, id } = await arrive();
    const shopper = opened.page;
    await shopper.route("**/storefront/v1/events", async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      await route.continue().catch(() => {});
    });
    await answer(shopper, 1);
    await shopper.waitForRequest("**/storefront/v1/events");
    await shopper.reload();
    expect((await toldBefore(shopper)).filter(({ name }) => name === "error")).toEqual([]);
    await shopper.unroute("**/storefront/v1/events");
    await allArrived(id, 1);
    await opened.close();
  });

  it("is there as the shopper leaves for good, of the session before a restart too [player.page-goes]", async () => {
    const { opened, id } = await arrive();
    const shopper = opened.page;
    await take(shopper, 1, 2);
    await expect.poll(() => undelivered(shopper)).toBe(0);
    await take(shopper, 3, 3);
    await shopper.evaluate(() => {
      (window as { quizstore?: { restart(): void } }).quizstore?.restart();
      location.href = "about:blank";
    });
    await allArrived(id, 3);
    await opened.close();
  });

  describe("beyond what a session may hold", () => {
    /** Chooses by turns, `times` times. */
    const change = (shopper: Page, times: number) =>
      shopper.evaluate(async (most) => {
        const root = document.querySelector("quiz-store")?.shadowRoot;
        for (let at = 0; at < most; at += 1) {
          root?.querySelectorAll<HTMLInputElement>("input[type=radio]")[at % 2]?.click();
          await new Promise((resolve) => setTimeout(resolve));
        }
      }, times);

    const refused = async ({ told }: EmbeddedPage) =>
      (await told()).flatMap(({ name, detail }) => (name === "error" ? [detail.reason] : []));

    it("is refused once, told once, and the quiz goes on to its end [player.refused]", async () => {
      const requests: string[] = [];
      const { opened, id } = await arrive();
      const shopper = opened.page;
      shopper.on("request", (request) => request.method() === "POST" && requests.push(request.postData() ?? ""));
      await shopper.getByRole("heading", { name: "Page 1" }).waitFor();
      await change(shopper, 320);
      await expect.poll(() => undelivered(shopper), { timeout: 15_000 }).toBe(0);
      const sent = requests.length;
      await shopper.waitForTimeout(1_500);
      expect(requests.length).toBe(sent);
      expect((await storedEvents(shop.t, shop.store, id)).length).toBe(300);
      await take(shopper, 1);
      await shopper.getByRole("heading", { name: "Thank you" }).waitFor();
      await expect.poll(() => undelivered(shopper)).toBe(0);
      expect(await refused(opened)).toEqual(["too_many_events"]);
      await opened.close();
    }, 40_000);

    it("is refused by its size, where the smaller that follows still fits [player.refused]", async () => {
      const { opened, id } = await arrive();
      const shopper = opened.page;
      await take(shopper, 1, 1);
      const field = shopper.getByRole("textbox");
      for (let at = 0; at < 9; at += 1) {
        await field.fill(`${at}${"ü€".repeat(4_990)}`);
        await field.blur();
      }
      await field.fill(`${"€".repeat(9_999)}`);
      await field.blur();
      await field.fill(`x${"€".repeat(9_999)}`);
      await field.blur();
      await take(shopper, 2);
      await shopper.getByRole("heading", { name: "Thank you" }).waitFor();
      await expect.poll(() => undelivered(shopper)).toBe(0);
      expect(await refused(opened)).toEqual(["session_too_large"]);
      const events = await storedEvents(shop.t, shop.store, id);
      expect(events.at(-1)?.type).toBe("quiz_finished");
      await opened.close();
    }, 40_000);
  });
});
