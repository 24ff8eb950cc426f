import { afterAll, beforeAll, expect, it } from "vitest";
import { type Body, openTestApp, type TestApp } from "../../testkit/app.ts";
import { buildDepsOf, MemoryFiles } from "../../testkit/export-files.ts";
import { inStore, TestPeople } from "../../testkit/members.ts";
import { settleTenant, type Tenant } from "../../testkit/tenants.ts";
import { buildDueExports } from "./writing/builds.ts";

let t: TestApp;
let tenant: Tenant;
const people = new TestPeople();
const headers: Record<string, Record<string, string>> = {};
const files = new MemoryFiles();
beforeAll(async () => {
  t = await openTestApp({ signedIn: people.signedIn, files });
  tenant = await settleTenant(t, "fern");
  for (const role of ["analyst", "editor", "owner"] as const)
    headers[role] = inStore(people.add(role, { in: [[tenant.store, role]] }), tenant.store);
}, 60_000);
afterAll(() => t.close());

const ask = (method: string, path: string, as: string, body?: unknown) =>
  t.request(method, `/dashboard/api/v1/exports${path}`, { headers: headers[as] ?? {}, body });

/** Asks for a file, builds it, and downloads it by the link that its asker is given. */
async function fileOf(as: string, body: object): Promise<string> {
  const asked = await ask("POST", "", as, body);
  expect([asked.status, asked.body.dataset]).toEqual([202, "responses"]);
  const read = async (): Promise<Body> => (await ask("GET", `/${asked.body.id}`, as)).body;
  for (let turns = 0; turns < 10 && (await read())["status"] !== "completed"; turns += 1)
    await buildDueExports(buildDepsOf(t, files));
  const { download_url: url } = await read();
  expect((await ask("GET", `/${asked.body.id}`, "analyst")).body.download_url).toBeUndefined();
  return (await t.request("GET", new URL(url).pathname + new URL(url).search)).text;
}

const contact = /fern\.\d@example\.com|202 ?555/;

it.each(["csv", "json"])(
  "an editor's file of responses, as %s, has every answer but contacts; an owner's has those too [dashboard-api.export-contacts]",
  async (format) => {
    const without = await fileOf("editor", { dataset: "responses", format });
    expect(without).toContain("a note of fern");
    expect(without).not.toMatch(contact);
    const whole = await fileOf("owner", { dataset: "responses", format });
    expect(whole).toContain("a note of fern");
    expect(whole).toMatch(contact);
  },
);

it("an editor asks neither for people nor for responses of a search, an analyst for no responses [dashboard-api.export-contacts]", async () => {
  const { quiz: quiz_id, page: page_key, component: component_key } = tenant.names;
  const term = { quiz_id, kind: "text", op: "contains", page_key, component_key, value: "fern" };
  const search = { groups: [{ all: [term] }] };
  for (const [as, body] of [
    ["editor", { dataset: "profiles" }],
    ["editor", { dataset: "responses", search }],
    ["analyst", { dataset: "responses" }],
  ] as const)
    expect((await ask("POST", "", as, body)).body.required).toEqual(["owner"]);
});
