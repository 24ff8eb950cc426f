import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Browser } from "../../testkit/accounts.ts";
import { openBrowser } from "../../testkit/browser.ts";
import { type DashboardPage, lookAt, lookNames, wrongWith } from "../../testkit/dashboard.ts";
import { addPeople, peopleQuiz } from "../../testkit/dashboard-people.ts";
import { openScreens, type Screens } from "../../testkit/dashboard-screens.ts";
import { createEndpoint, putDelivery } from "../../testkit/endpoints.ts";
import { putExport } from "../../testkit/exports.ts";
import { swept } from "../../testkit/sweeps.ts";
import { textOfBody } from "./search-link.ts";

/** Screens of people, files and developers, each with what it can hold: long names, other scripts, open dialogs. */

const longName = "A name that goes on and on ".repeat(8).slice(0, 200);
const rightToLeft = "متجر العناية بالبشرة الجافة والمختلطة";

describe.skipIf(!(await openBrowser()))("every screen of people, files and developers", () => {
  let screens: Screens;
  let owner: Browser;
  let paths: { search: string; person: string; endpoint: string; delivery: string };
  beforeAll(async () => {
    screens = await openScreens();
    const { t, store, receiver } = screens;
    const quiz = await peopleQuiz(screens);
    await addPeople(screens, quiz);
    owner = await screens.member("owner");
    const [person] = (await t.request("GET", "/v1/profiles", { key: store.key })).body.data;
    const endpoint = await createEndpoint(t, store, {
      url: receiver.url(`/${"long/".repeat(30)}`),
      description: rightToLeft,
    });
    const delivery = await putDelivery(t, store, endpoint.id, { status: "dead", attempts: 8, last_error: longName });
    for (const name of [longName, rightToLeft]) {
      const made = await owner.request("POST", "/keys", { store, body: { name, scopes: ["quizzes:read"] } });
      expect([made.status, made.text]).toEqual([201, expect.anything()]);
    }
    for (const status of ["completed", "expired", "failed"]) await putExport(t, store, { status });
    const place = { quiz_id: quiz.id, page_key: "start" };
    const search = textOfBody({
      has_email: true,
      groups: [
        {
          all: [
            {
              ...place,
              kind: "choice",
              op: "in",
              component_key: "tone",
              option_ids: ["o3"],
              option_labels: [longName],
            },
            {
              any: [
                { ...place, kind: "number", op: "between", component_key: "years", min: 5, max: 1 },
                { quiz_id: quiz.id, kind: "session", op: "equals", value: "completed" },
              ],
            },
          ],
        },
        { all: [{ ...place, kind: "text", op: "matches", component_key: "note", value: rightToLeft }, {}] },
      ],
    });
    const at = `/developers/webhooks/${endpoint.id}`;
    paths = {
      search: `/profiles/search?search=${search}`,
      person: `/profiles/${person.id}`,
      endpoint: at,
      delivery: `${at}?delivery=${delivery}`,
    };
  });
  afterAll(() => screens?.close());

  const click = (path: string, button: string, wait: string) => ({
    path,
    act: async ({ page }: DashboardPage) => {
      await page.getByRole("button", { name: button }).first().click();
      await page.getByRole("dialog").getByText(wait).first().waitFor();
    },
  });

  it.for(swept(lookNames, ["phone"]))(
    "has no fault that axe knows, and fits: %s [dashboard-people.looks]",
    async (look) => {
      const { search, person, endpoint, delivery } = paths;
      const looked = await lookAt(screens.t, owner, look, [
        "/profiles",
        "/profiles?q=nobody",
        "/profiles/search",
        search,
        person,
        click(person, "Erase…", "Erase for good"),
        "/exports",
        click("/exports", "New export…", "Make the file"),
        "/developers/keys",
        click("/developers/keys", "New key…", "Make the key"),
        "/developers/webhooks",
        click("/developers/webhooks", "Add an endpoint…", "Add the endpoint"),
        endpoint,
        delivery,
        "/developers/events",
      ]);
      expect(wrongWith(looked)).toEqual([]);
      expect(looked.found.map(({ heading }) => heading)).not.toContain(null);
    },
  );
});
