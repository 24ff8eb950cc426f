import { describe, expect, it } from "vitest";
import type { ShopperEvent } from "../../contract/storefront.ts";
import { openedRecorder, say } from "../../testkit/opened-recorders.ts";
import { ShopperWorld, settled } from "../../testkit/shopper-browsers.ts";

const minute = 60_000;
const hour = 60 * minute;
const html =
  (status: number, headers: Record<string, string> = {}) =>
  () =>
    new Response("<html><h1>Sorry</h1></html>", { status, headers: { "content-type": "text/html", ...headers } });
const json =
  (status: number, body: unknown, type = "application/json") =>
  () =>
    new Response(JSON.stringify(body), { status, headers: { "content-type": type } });
const arrived = (world: ShopperWorld) =>
  [...world.taken.values()].flatMap((events) => [...events.values()].map((event) => Object(event).value));

/** What stands between a shopper and the server may answer in its place. */
describe("events that a proxy or firewall answers", () => {
  it.each([
    ["a firewall's 403", html(403)],
    ["a 400", html(400)],
    ["a router's 404", html(404)],
    ["405", html(405)],
    ["a proxy that asks for a password, 407", html(407)],
    ["a captive portal's 511", html(511)],
    ["a captive portal's page as 200", html(200)],
    ["an empty 200 of a blocker", () => new Response("", { status: 200 })],
    ["204", () => new Response(null, { status: 204 })],
    ["a redirect that is not followed", html(302, { location: "https://portal.example/" })],
    ["JSON of its own", json(403, { title: "Forbidden", message: "blocked" })],
    ["a problem of its own", json(403, { type: "about:blank", title: "Forbidden" }, "application/problem+json")],
    ["a problem with our title", json(404, { type: "about:blank", title: "not_found" }, "application/problem+json")],
    ["JSON that looks like an acceptance", json(200, { accepted: 1, duplicates: 0, rejected: [] })],
    ["an acceptance of another shape", json(202, { ok: true })],
  ])("are kept and tried again, ever more seldom: %s [player.proxies]", async (_what, proxy) => {
    const world = new ShopperWorld();
    const tab = world.openTab();
    const { recorder, faults } = await openedRecorder(tab);
    world.proxy = proxy;
    for (let value = 0; value < 5; value++) say(recorder, value);
    await world.pass(hour);
    expect(world.requests.length).toBeLessThan(100);
    expect(faults.map((fault) => fault.split(" ")[0])).toEqual(["away"]);
    // a later visit brings them, too
    tab.load(false);
    await openedRecorder(tab);
    world.proxy = () => null;
    await world.pass(2 * minute);
    expect(arrived(world)).toEqual([0, 1, 2, 3, 4]);
  });

  it("are sent in smaller batches where large ones are too large [player.proxies]", async () => {
    const world = new ShopperWorld();
    const { recorder } = await openedRecorder(world.openTab());
    world.proxy = (_batch, bytes) => (bytes > 8_000 ? html(413)() : null);
    for (let value = 0; value < 40; value++) say(recorder, `${value} ${"x".repeat(500)}`);
    await world.pass(5 * minute);
    expect(arrived(world)).toHaveLength(40);
  });

  it("that a firewall takes for an attack hold back no others [player.proxies]", async () => {
    const world = new ShopperWorld();
    const { recorder, faults } = await openedRecorder(world.openTab());
    world.proxy = (batch) => (JSON.stringify(batch).includes("<script>") ? html(403)() : null);
    for (let value = 0; value < 30; value++) say(recorder, value === 7 ? "<script>" : value);
    await world.pass(3 * minute);
    expect(arrived(world)).toHaveLength(29);
    for (let value = 100; value < 105; value++) say(recorder, value);
    await world.pass(3 * minute);
    expect(arrived(world)).toHaveLength(34);
    const before = world.requests.length;
    await world.pass(hour);
    expect(world.requests.length - before).toBeLessThan(130);
    expect(faults).toEqual(["away 403"]);
    world.proxy = () => null;
    await world.pass(2 * minute);
    expect(arrived(world)).toContain("<script>");
  });

  it("are given up after 72 hours, and the page hears of it [player.proxies]", async () => {
    const world = new ShopperWorld();
    const { recorder, faults } = await openedRecorder(world.openTab());
    world.proxy = html(403);
    say(recorder, 1);
    await world.pass(71 * hour);
    expect(faults).toEqual(["away 403"]);
    say(recorder, 2);
    await world.pass(2 * hour);
    expect(faults).toEqual(["away 403", "refused too_old"]);
    world.proxy = () => null;
    await world.pass(2 * minute);
    expect(arrived(world)).toEqual([2]);
  }, 60_000);

  it("are refused for good by a problem of the server alone [player.refused, player.proxies]", async () => {
    for (const title of ["validation_error", "not_found", "plan_required"]) {
      const world = new ShopperWorld();
      const { recorder, faults } = await openedRecorder(world.openTab());
      const body = { type: `https://quiz.example.com/errors/${title}`, title, status: 422, request_id: "req_1" };
      world.proxy = json(422, body, "application/problem+json");
      say(recorder, 1);
      await world.pass(10 * minute);
      expect([faults, world.requests.length]).toEqual([[`refused ${title}`], 1]);
    }
  });

  it("leave with the page in batches as small as the proxy takes [player.proxies, player.page-goes]", async () => {
    const world = new ShopperWorld();
    const tab = world.openTab();
    const { recorder } = await openedRecorder(tab);
    world.proxy = (_batch, bytes) => (bytes > 2_000 ? html(413)() : null);
    for (let value = 0; value < 12; value++) say(recorder, `${value} ${"x".repeat(500)}`);
    await world.pass(3_000);
    const seen = world.requests.length;
    tab.tell("hide");
    await settled();
    const sizes = world.requests.slice(seen).map(({ batch }) => (batch.events as ShopperEvent[]).length);
    expect(Math.max(0, ...sizes)).toBeLessThan(12);
  });
});
