import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openBrowser, openPage } from "../testkit/browser.ts";
import { type Json, type McpClient, overHttp, overStreams } from "./mcp-client.ts";
import { cleanUp, command, type Demo, startDemo, until } from "./program.ts";
import { filledDemoFolder } from "./shared-program.ts";

/** An assistant at the program that a newcomer has just started, over a client that is nobody's library. */

const browser = await openBrowser();

let data: string;
let program: Demo;
let url: string;
let assistant: McpClient;

beforeAll(async () => {
  data = await filledDemoFolder();
  program = await startDemo(data);
  url = program.url;
  assistant = await overHttp(url, program.key);
}, 600_000);
afterAll(async () => {
  await program?.stop();
  await cleanUp(data);
});

const use = async (name: string, given: object = {}): Promise<Json> => (await assistant.use(name, given)).told;

/** What the shop's owner does behind the link, signed in by the one that `start` printed. */
async function approve(link: string): Promise<void> {
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    fetch(`${url}/dashboard/api${path}`, {
      method: "POST",
      headers: { origin: url, "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  const token = /\/dashboard\/link\/(\S+)/.exec(program.stdout())?.[1] ?? "";
  const signedIn = await post("/links/use", { token });
  const { stores } = (await signedIn.json()) as Json;
  const cookie = signedIn.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const approved = await post(
    `/approvals/${new URL(link).pathname.split("/").at(-1)}/approve`,
    {},
    { cookie, "quizstore-store": stores[0].id },
  );
  expect([approved.status, await approved.text()]).toEqual([200, expect.stringContaining("published")]);
}

/** Four pages that ask, and one with a result: what an assistant writes after describe_documents. */
const asks = (page_key: string, title: string, ...labels: string[]) => ({
  ...{ page_key, title, kind: "question" },
  components: [
    {
      ...{ kind: "choice", component_key: `${page_key}_choice`, question: title },
      options: labels.map((label) => ({ option_id: label.toLowerCase(), label })),
    },
  ],
});
const pages = [
  asks("skin", "How is your skin?", "Dry", "Oily"),
  asks("sun", "How much sun do you get?", "Little", "Much"),
  asks("scent", "Do you like scents?", "Yes", "No"),
  asks("time", "How long may it take?", "Minutes", "Moments"),
  { page_key: "result", title: "Made for you", kind: "result", components: [] },
];

describe("an assistant at a fresh program", () => {
  it("is told which tools there are, and which of them change something [mcp.tools]", () => {
    expect(assistant.server).toMatchObject({ protocolVersion: "2025-11-25", serverInfo: { name: "quizstore" } });
    expect(assistant.server.instructions).toContain("list_quizzes");
    const kinds = (name: string) => assistant.tools.find((each) => each.name === name)?.annotations;
    expect(kinds("where_shoppers_leave")).toMatchObject({ readOnlyHint: true });
    expect(kinds("change_draft")).toMatchObject({ readOnlyHint: false, destructiveHint: false });
    expect(kinds("publish_version")).toMatchObject({ readOnlyHint: false, destructiveHint: true });
  });

  it("reads where a quiz loses shoppers, and finds people [mcp.api]", async () => {
    const listed = await use("list_quizzes");
    expect(listed.data.store).toMatchObject({ name: "Lumen & Fern", currency: "USD" });
    const { id: quiz_id } = listed.data.quizzes.at(-1);
    const funnel = await use("where_shoppers_leave", { quiz_id });
    const lost = funnel.data.pages.find(({ page_key }: Json) => page_key === funnel.data.most_lost[0]);
    expect(lost.reached).toBe(lost.went_on + lost.left_here);
    expect(funnel.units.rate).toContain("0 to 1");
    const linked = async () => (await fetch(funnel.links.dashboard)).status;
    // built while the API answers already
    expect(await until(linked, (status) => status === 200, 60)).toBe(200);
    const people = await use("find_people", { search: { has_order: false } });
    expect(people.texts_of_others).toContain("data.people[].email");
    const { data: person } = await use("read_person", { profile_id: people.data.people[0].id });
    expect(person.visits.length).toBeGreaterThan(0);
  }, 300_000);

  it("drafts five pages a little at a time, and a person publishes them [mcp.drafts, mcp.publish]", async () => {
    await use("describe_documents");
    const begun = await use("draft_quiz", { name: "Written by an assistant", holder: "Ines's assistant" });
    const { quiz_id, run_id } = begun.data;
    for (const value of pages) {
      const changes = [{ op: "insert", path: "/pages", value }];
      expect((await use("change_draft", { quiz_id, run_id, changes })).data.refused).toBe(undefined);
    }
    const changes = [
      { op: "set", path: "/pages/skin/components/skin_choice/question", value: "How does your skin feel today?" },
      { op: "move", path: "/pages/time", before: "sun" },
    ];
    await use("change_draft", { quiz_id, run_id, changes });
    expect((await use("lint_quiz", { quiz_id })).data.errors).toBe(0);

    const { links } = await use("preview_quiz", { quiz_id });
    expect((await fetch(links.preview)).status).toBe(200);
    const shown = await fetch(links.preview.replace("/preview/", "/storefront/v1/previews/"));
    expect(((await shown.json()) as Json).document.pages.map(({ page_key }: Json) => page_key)).toEqual([
      ...["skin", "time", "sun", "scent", "result"],
    ]);

    const { version_id } = (await use("finish_editing", { quiz_id, run_id, save: true, label: "First" })).data;
    const publishable = (await command<{ id: string; publishable_key: string }[]>(data, "store", "list"))[0];
    const live = () => fetch(`${url}/storefront/v1/quizzes/${quiz_id}?store=${publishable?.publishable_key}`);
    const asked = await use("publish_version", { quiz_id, version_id });
    expect([asked.data.published, (await live()).status]).toEqual([false, 404]);
    expect((await use("publish_version", { quiz_id, version_id, confirm: "yes" })).data.published).toBe(false);
    await approve(asked.links.approve);
    expect((await live()).status).toBe(200);
    expect((await use("publish_version", { quiz_id, version_id })).data.published).toBe(true);

    const history = await command<{ action: string; source: string }[]>(data, "quiz", "history", quiz_id);
    const [published, ...drafted] = history;
    expect(drafted.map(({ source }) => source)).toEqual(drafted.map(() => "assistant"));
    expect(published).toMatchObject({ action: "published", source: "dashboard" });
  }, 120_000);
});

describe.skipIf(browser === null)("a preview link of an assistant", () => {
  it("shows the draft in a browser, by the player itself [mcp.drafts]", async () => {
    const { quiz_id, run_id } = (await use("draft_quiz", { name: "To be looked at" })).data;
    const changes = pages.map((value) => ({ op: "insert", path: "/pages", value }));
    await use("change_draft", { quiz_id, run_id, changes });
    const { links } = await use("preview_quiz", { quiz_id });
    const script = await until(
      async () => (await fetch(`${url}/embed.js`)).headers.get("content-type") ?? "",
      (type) => type.includes("javascript"),
      60,
    );
    expect(script).toContain("javascript");
    const { page, faults, close } = await openPage({ viewport: { width: 375, height: 800 } });
    await page.goto(links.preview);
    await page.getByText("How is your skin?").first().waitFor();
    expect(faults).toEqual([]);
    await close();
    await use("finish_editing", { quiz_id, run_id, save: false });
  }, 120_000);
});

describe("an assistant that dies", () => {
  it("frees the quiz by itself, ten minutes after its last change [mcp.dead-run, test-stores.clock]", async () => {
    const stores = await command<{ store_id: string }[]>(data, "store", "list");
    const made = await command<{ key: string }>(
      data,
      ...["key", "create", "--store", stores[0]?.store_id ?? "", "--test"],
      ...["--scopes", "quizzes:read,quizzes:write,analytics:read"],
    );
    const dying = await overStreams(url, made.key);
    const { quiz_id, run_id } = (await dying.use("draft_quiz", { name: "Left behind" })).told.data;
    dying.child.kill("SIGKILL");
    await once(dying.child, "exit");

    const next = await overHttp(url, made.key);
    const kept = await next.use("begin_editing", { quiz_id });
    expect([kept.refused, kept.told.data.refused]).toEqual([true, "ai_run_in_progress"]);
    const headers = { authorization: `Bearer ${made.key}`, "content-type": "application/json" };
    const move = { method: "POST", headers, body: JSON.stringify({ advance_seconds: 601 }) };
    expect((await fetch(`${url}/v1/test/clock`, move)).status).toBe(200);
    const begun = await next.use("begin_editing", { quiz_id });
    expect(begun.refused).toBe(false);
    expect(begun.told.data.run_id).not.toBe(run_id);
    const late = await next.use("change_draft", { quiz_id, run_id, changes: [] });
    expect(late.refused).toBe(true);
  }, 120_000);
});
