import { describe, expect, it } from "vitest";
import { keeperFacts, openedKeeper, savedOn, say } from "../../testkit/opened-keepers.ts";
import { ShopperWorld, settled } from "../../testkit/shopper-browsers.ts";

const minute = 60_000;
const storedOf = (world: ShopperWorld) =>
  [...world.local.texts].filter(([key]) => key.includes(":sess_")).map(([, text]) => JSON.parse(text));
const arrived = (world: ShopperWorld) => [...world.taken.values()].flatMap((events) => [...events.values()]);

describe("a keeper's events", () => {
  it("are in storage, numbered, before they are sent, and out of it once they were taken [player.stored-first]", async () => {
    const world = new ShopperWorld();
    const { keeper } = await openedKeeper(world.openTab());
    say(keeper, 1);
    say(keeper, 2);
    await settled();
    expect(world.requests).toEqual([]);
    const [kept] = storedOf(world);
    expect(kept.events).toMatchObject([
      { seq: 0, value: 1 },
      { seq: 1, value: 2 },
    ]);
    expect(kept.events[0].id).toMatch(/^evt_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    await world.pass(minute);
    expect(arrived(world)).toEqual(kept.events);
    expect(world.requests).toHaveLength(1);
    expect(world.requests[0]?.batch).toMatchObject({
      store: "pub_1",
      session: { ...keeperFacts, id: keeper.sessionId, visitor_id: keeper.visitorId },
    });
    expect(storedOf(world)).toMatchObject([{ events: [], seq: 2, run: { page_key: "p" } }]);
  });

  it("go in batches of at most 100 and of 50 KB [player.batches]", async () => {
    const world = new ShopperWorld();
    const { keeper } = await openedKeeper(world.openTab());
    for (let value = 0; value < 250; value++) say(keeper, value);
    await world.pass(minute);
    expect(world.requests.map(({ batch }) => batch.events.length)).toEqual([100, 100, 50]);
    world.requests.length = 0;
    for (let value = 0; value < 7; value++) say(keeper, "ü".repeat(9_000));
    await world.pass(minute);
    expect(world.requests.map(({ batch }) => batch.events.length)).toEqual([2, 2, 2, 1]);
    expect(Math.max(...world.requests.map(({ bytes }) => bytes))).toBeLessThan(50_000);
    expect(arrived(world)).toHaveLength(257);
  });

  it("that the server refuses are dropped, and told once a reason; those that wait for an answer are no fault [player.refused]", async () => {
    const world = new ShopperWorld();
    const { keeper, faults } = await openedKeeper(world.openTab());
    for (const reason of ["unknown_page", "unknown_page", "too_many_events", "incomplete", "timed_out"]) {
      say(keeper, `refuse ${reason}`);
      await world.pass(minute);
    }
    expect(faults).toEqual(["refused unknown_page", "refused too_many_events"]);
    expect(storedOf(world)).toMatchObject([{ events: [] }]);
    world.mood = "refusing";
    say(keeper, 1);
    await world.pass(10 * minute);
    expect(faults.slice(2)).toEqual(["refused validation_error"]);
    expect(world.requests).toHaveLength(6);
    world.mood = "up";
    say(keeper, 2);
    await world.pass(minute);
    expect(arrived(world)).toMatchObject([{ value: 2, seq: 6 }]);
  });

  it("wait as long as the server asks, in other tabs and later pages too [player.retry-after]", async () => {
    const world = new ShopperWorld();
    const tab = world.openTab();
    const { keeper, faults } = await openedKeeper(tab);
    world.mood = "busy";
    world.retryAfter = 120;
    say(keeper, 1);
    await world.pass(1_000);
    world.mood = "up";
    const other = await openedKeeper(world.openTab());
    other.keeper.beginNext();
    say(other.keeper, 2);
    await world.pass(100 * 1_000);
    tab.load(true);
    await openedKeeper(tab);
    await world.pass(18 * 1_000);
    expect(world.requests).toHaveLength(1);
    await world.pass(5_000);
    expect(arrived(world)).toHaveLength(2);
    expect(faults).toEqual(["away rate_limited"]);
  });

  it("are sent again ever more seldom while the server is away, which is told once an outage [player.backoff]", async () => {
    for (const mood of ["down", "failing"] as const) {
      const world = new ShopperWorld();
      const { keeper, faults } = await openedKeeper(world.openTab());
      world.mood = mood;
      if (mood === "down") world.later(100, () => world.setOnline(true));
      say(keeper, 1);
      await world.pass(10 * minute);
      expect(world.requests.length).toBeGreaterThan(8);
      expect(world.requests.length).toBeLessThan(25);
      world.mood = "up";
      await world.pass(minute);
      expect(arrived(world)).toHaveLength(1);
      world.mood = mood;
      say(keeper, 2);
      await world.pass(minute);
      const reason = mood === "down" ? "null" : "internal_error";
      expect(faults).toEqual([`away ${reason}`, `away ${reason}`]);
    }
  });

  it("whose request ends with the page are no outage, of which one is told once the page is there again [player.backoff]", async () => {
    const world = new ShopperWorld();
    const tab = world.openTab();
    const { keeper, faults } = await openedKeeper(tab);
    say(keeper, 1);
    await world.pass(210);
    world.mood = "down";
    tab.tell("hide");
    await world.pass(minute);
    expect([world.requests.length > 1, faults]).toEqual([true, []]);
    tab.tell("show");
    await world.pass(minute);
    expect(faults).toEqual(["away null"]);
  });

  it("wait for the network, and go as soon as it is there [player.offline]", async () => {
    const world = new ShopperWorld();
    const { keeper, faults } = await openedKeeper(world.openTab());
    world.setOnline(false);
    say(keeper, 1);
    await world.pass(20 * minute);
    expect([world.requests, faults]).toEqual([[], ["away offline"]]);
    world.setOnline(true);
    await world.pass(100);
    expect(arrived(world)).toHaveLength(1);
  });

  it("go by beacon when the page goes, once, and are confirmed when it is there again [player.page-goes]", async () => {
    const world = new ShopperWorld();
    const tab = world.openTab();
    const { keeper } = await openedKeeper(tab);
    say(keeper, 1);
    tab.tell("hide");
    tab.tell("hide");
    say(keeper, 2);
    await world.pass(100);
    expect(world.requests.map(({ via, batch }) => [via, batch.events.length])).toEqual([
      ["beacon", 1],
      ["beacon", 1],
    ]);
    expect(arrived(world)).toHaveLength(2);
    expect(storedOf(world)[0].events).toHaveLength(2);
    tab.tell("show");
    await world.pass(minute);
    expect(storedOf(world)[0].events).toEqual([]);
    expect(arrived(world)).toHaveLength(2);
  });

  it("of a session that was restarted a moment ago go with those of the new one, as far as a beacon carries [player.page-goes]", async () => {
    const world = new ShopperWorld();
    const tab = world.openTab();
    const other = await openedKeeper(world.openTab());
    world.mood = "down";
    say(other.keeper, 1);
    await settled();
    const { keeper } = await openedKeeper(tab);
    const foreign = keeper.sessionId;
    keeper.beginNext();
    const ids = [keeper.sessionId];
    say(keeper, 2);
    keeper.beginNext();
    ids.unshift(keeper.sessionId);
    say(keeper, 3);
    tab.tell("hide");
    tab.tell("hide");
    const beacons = world.requests.filter(({ via }) => via === "beacon");
    expect(beacons.map(({ batch }) => batch.session.id)).toEqual(ids);
    expect([foreign, beacons.map(({ batch }) => batch.events.length)]).toEqual([other.keeper.sessionId, [1, 1]]);
  });

  it("of an earlier visit that did not arrive are sent by the next page [player.delivery]", async () => {
    const world = new ShopperWorld();
    const tab = world.openTab();
    const { keeper } = await openedKeeper(tab);
    world.mood = "down";
    say(keeper, 1);
    await world.pass(1_000);
    tab.kill();
    await world.pass(31 * minute);
    world.mood = "up";
    const later = await openedKeeper(world.openTab(), { session: { quiz_id: `quiz_${"2".repeat(32)}` } });
    expect(later.keeper.earlier).toEqual({ kind: "none" });
    await world.pass(minute);
    expect([...world.taken.keys()]).toEqual([keeper.sessionId]);
  });

  it("are numbered on in two tabs of a session that a later visit cleared away, whose number it keeps for a day [player.numbers]", async () => {
    const world = new ShopperWorld();
    const one = await openedKeeper(world.openTab());
    say(one.keeper, 1);
    await world.pass(1_000);
    const other = await openedKeeper(world.openTab());
    say(other.keeper, 2);
    say(other.keeper, 3);
    await world.pass(40 * minute);
    const visit = () => openedKeeper(world.openTab(), { session: { quiz_id: `quiz_${"2".repeat(32)}` } });
    await visit();
    expect(storedOf(world)).toMatchObject([{ seq: 3, run: null, events: [] }]);
    // a finished session goes on as the same one
    say(one.keeper, 4);
    say(other.keeper, 5);
    await world.pass(minute);
    expect(arrived(world).map(({ seq }) => seq)).toEqual([0, 1, 2, 3, 4]);
    await world.pass(25 * 60 * minute);
    await visit();
    await visit();
    expect(storedOf(world)).toEqual([]);
  });
});

describe("a shopper who comes again", () => {
  const left = async () => {
    const world = new ShopperWorld();
    const tab = world.openTab();
    const { keeper } = await openedKeeper(tab);
    say(keeper, 1);
    await world.pass(1_000);
    return { world, tab, id: keeper.sessionId, visitor: keeper.visitorId };
  };

  it("goes on unasked after a reload, in the same session [player.resume]", async () => {
    const { world, tab, id } = await left();
    await world.pass(29 * minute);
    tab.load(true);
    const { keeper } = await openedKeeper(tab);
    expect(keeper.earlier).toEqual({ kind: "reloaded", saved: savedOn("p") });
    say(keeper, 2);
    await world.pass(minute);
    expect([...(world.taken.get(id)?.values() ?? [])].map(({ seq }) => seq)).toEqual([0, 1]);
  });

  it("is asked on a later visit, and may start over as the same visitor [player.resume]", async () => {
    const { world, tab, id, visitor } = await left();
    tab.load(false);
    const { keeper } = await openedKeeper(tab);
    expect([keeper.earlier.kind, keeper.sessionId]).toEqual(["left", id]);
    // neither answer was given yet
    tab.load(false);
    const asked = await openedKeeper(tab);
    expect(asked.keeper.earlier.kind).toBe("left");
    asked.keeper.beginNext();
    expect([asked.keeper.sessionId === id, asked.keeper.visitorId]).toEqual([false, visitor]);
    say(asked.keeper, 2);
    await world.pass(1_000);
    const third = await openedKeeper(world.openTab());
    expect(third.keeper.sessionId).toBe(asked.keeper.sessionId);
  });

  it("begins anew after 30 idle minutes, with another version, and between a preview and a visit that counts [player.resume]", async () => {
    const cases = [
      { wait: 30, session: {} },
      { wait: 1, session: { version_id: `ver_${"2".repeat(32)}` } },
      { wait: 1, session: { preview: true } },
    ];
    for (const { wait, session } of cases) {
      const { world, tab, id, visitor } = await left();
      await world.pass(wait * minute);
      tab.load(true);
      const { keeper } = await openedKeeper(tab, { session });
      expect([keeper.earlier.kind, keeper.sessionId === id, keeper.visitorId]).toEqual(["none", false, visitor]);
    }
  });

  it("runs two quizzes of one page apart, and goes on where a quiz was taken away and put back [player.page]", async () => {
    for (const consent of [true, false]) {
      const world = new ShopperWorld();
      const tab = world.openTab();
      const first = await openedKeeper(tab, { consent });
      say(first.keeper, 1);
      await settled();
      const second = await openedKeeper(tab, { consent });
      expect(second.keeper.earlier.kind).toBe("none");
      expect(second.keeper.sessionId).not.toBe(first.keeper.sessionId);
      first.keeper.close();
      const again = await openedKeeper(tab, { consent });
      expect([again.keeper.earlier.kind, again.keeper.sessionId]).toEqual(["reloaded", first.keeper.sessionId]);
    }
  });

  it("begins the session that a restart announced [player.restart]", async () => {
    const { world, tab } = await left();
    const { keeper } = await openedKeeper(tab);
    const next = keeper.nextSessionId();
    expect(keeper.nextSessionId()).toBe(next);
    keeper.add({ type: "quiz_restarted", next_session_id: next });
    keeper.beginNext();
    expect([keeper.sessionId, keeper.nextSessionId() === next]).toEqual([next, false]);
    say(keeper, 5);
    await world.pass(minute);
    expect([...(world.taken.get(next)?.values() ?? [])]).toMatchObject([{ seq: 0, value: 5 }]);
  });
});
