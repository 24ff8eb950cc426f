import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Browser } from "../../testkit/accounts.ts";
import { openBrowser } from "../../testkit/browser.ts";
import { type DashboardPage, openDashboard } from "../../testkit/dashboard.ts";
import { addPeople, peopleQuiz } from "../../testkit/dashboard-people.ts";
import { choose, openScreens, type Screens, sentTo, soon } from "../../testkit/dashboard-screens.ts";
import type { TestQuiz } from "../../testkit/quizzes.ts";
import { textOfBody } from "./search-link.ts";

const path = "/v1/profiles/search";

describe.skipIf(!(await openBrowser()))("the search of people", () => {
  let screens: Screens;
  let owner: Browser;
  let quiz: TestQuiz;
  beforeAll(async () => {
    screens = await openScreens();
    quiz = await peopleQuiz(screens);
    await addPeople(screens, quiz);
    owner = await screens.member("owner");
  });
  afterAll(() => screens?.close());

  const on = async (at: string, work: (opened: DashboardPage, sent: unknown[]) => Promise<void>) => {
    const opened = await openDashboard(screens.t, owner);
    const sent = sentTo(opened.page, path);
    await opened.open(at);
    await work(opened, sent);
    expect(opened.faults).toEqual([]);
    await opened.close();
  };

  it("is built by clicks and sent as the body that one would write, and its link shows it again [dashboard-people.same-body, dashboard-people.links, dashboard-people.total]", () =>
    on("/profiles/search", async ({ page }, sent) => {
      await page.getByRole("status").filter({ hasText: "3 people" }).waitFor();
      await page.getByLabel("Email", { exact: true }).selectOption("Left an email");
      await page.getByRole("button", { name: "Add a condition about answers" }).click();
      const terms = page.getByRole("group", { name: "Condition" });
      await choose(terms.nth(0), "What", "Tone?");
      await choose(terms.nth(0), "Answers", "Dry");
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "And: add a condition" }).click();
      await choose(terms.nth(1), "What", "Age?");
      await terms.nth(1).getByLabel("How").selectOption("is between");
      await terms.nth(1).getByLabel("From").fill("20");
      await terms.nth(1).getByLabel("To").fill("40.5");
      await page.getByRole("button", { name: "Or: add an alternative" }).nth(1).click();
      await choose(terms.nth(2), "What", "How it ended");
      await terms.nth(2).getByLabel("Ending").selectOption("Left before the end");
      await page.getByLabel("Which attempts at a quiz count").selectOption("Any time they took it");
      const place = { quiz_id: quiz.id, page_key: "start" };
      const body = {
        has_email: true,
        groups: [
          {
            all: [
              { ...place, kind: "choice", op: "in", component_key: "tone", option_ids: ["o1"] },
              {
                any: [
                  { ...place, kind: "number", op: "between", component_key: "years", min: 20, max: 40.5 },
                  { quiz_id: quiz.id, kind: "session", op: "equals", value: "abandoned" },
                ],
              },
            ],
          },
        ],
      };
      // the one person was already found by fewer conditions
      await expect.poll(() => sent.at(-1), soon).toEqual(body);
      const found = await screens.t.request("POST", path, { key: screens.store.key, body });
      await page
        .getByRole("status")
        .filter({ hasText: /^1 person,/ })
        .waitFor();
      expect(await page.getByRole("rowheader").allInnerTexts()).toEqual([
        expect.stringContaining(found.body.data[0].email),
      ]);
      const link = page.url();
      expect(new URL(link).searchParams.get("search")).toMatch(/^[\w-]+$/);
      sent.splice(0);
      await page.goto("about:blank");
      await page.goto(link);
      await page
        .getByRole("status")
        .filter({ hasText: /^1 person,/ })
        .waitFor();
      expect(sent).toEqual([body]);
      await terms.nth(2).getByRole("button", { name: "Remove the condition" }).click();
      await expect.poll(() => sent.length, soon).toBe(2);
      const [group] = body.groups;
      const [first, second] = group?.all ?? [];
      expect(sent[1]).toEqual({ ...body, groups: [{ all: [first, second?.any?.[0]] }] });
    }));

  it("says at the field what is missing and what the API refuses, and asks nothing before [dashboard-people.problems-at-fields]", async () => {
    const term = {
      quiz_id: quiz.id,
      kind: "number",
      op: "gt",
      page_key: "end",
      component_key: "years",
      value: 1,
    } as const;
    const search = textOfBody({ groups: [{ all: [term] }] });
    await on(`/profiles/search?search=${search}`, async ({ page }, sent) => {
      await page.getByText("is not a number component of this page").first().waitFor();
      const row = page.getByRole("group", { name: "Condition" });
      expect(await row.getByText("This is not a number component of this page").count()).toBe(1);
      expect(await page.getByText(/^Request req_/).count()).toBe(1);
      sent.splice(0);
      await row.getByLabel("Number").fill("many");
      await row.getByText("Type a number, such as 12 or 1.5").waitFor();
      await page.getByText("Fill in the marked fields").waitFor();
      expect(sent).toEqual([]);
    });
  });

  it("keeps a search that is too long for a server behind #, and says of a link that it was cut off [dashboard-people.links]", async () => {
    const term = { quiz_id: quiz.id, page_key: "start", component_key: "note", kind: "text", op: "contains" } as const;
    const terms = Array.from({ length: 50 }, (_, index) => ({ ...term, value: `${index}`.padEnd(190, "x") }));
    const body = { groups: [{ all: [{ any: terms }] }] };
    await on(`/profiles/search#${textOfBody(body)}`, async ({ page }, sent) => {
      await page
        .getByRole("status")
        .filter({ hasText: /^0 people,/ })
        .waitFor();
      expect(sent).toEqual([body]);
    });
    await on(`/profiles/search?search=${textOfBody(body).slice(0, 3_001)}`, async ({ page }) => {
      await page.getByText("This link holds no search that can be read").waitFor();
    });
  });
});
