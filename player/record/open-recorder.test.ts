import { describe, expect, it } from "vitest";
import { openedRecorder, recorderFacts, savedOn, say } from "../../testkit/opened-recorders.ts";
import { ShopperWorld, settled } from "../../testkit/shopper-browsers.ts";

const minute = 60_000;
const storedOf = (world: ShopperWorld) =>
  [...world.local.texts].filter(([key]) => key.includes(":sess_")).map(([, text]) => JSON.parse(text));
const arrived = (world: ShopperWorld) => [...world.taken.values()].flatMap((events) => [...events.values()]);

describe("a recorder's events", () => {
  it("are in storage, numbered, before they are sent, and out of it once they were taken [player.stored-first]", async () => {
    const world = new ShopperWorld();
    const { recorder } = await openedRecorder(world.openTab());
    say(recorder, 1);
    say(recorder, 2);
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
      session: { ...recorderFacts, id: recorder.sessionId, visitor_id: recorder.visitorId },
    });
    expect(storedOf(world)).toMatchObject([{ events: [], seq: 2, run: { page_key: "p" } }]);
  });

  it("go in batches of at most 100 and of 50 KB [player.batches]", async () => {
    const world = new ShopperWorld();
    const { recorder } = await openedRecorder(world.openTab());
    for (let value = 0; value < 250; value++) say(recorder, value);
    await world.pass(minute);
    expect(world.requests.map(({ batch }) => batch.events.length)).toEqual([100, 100, 50]);
    world.requests.length = 0;
    for (let value = 0; value < 7; value++) say(recorder, "ü".repeat(9_000));
    await world.pass(minute);
    expect(world.requests.map(({ batch }) => batch.events.length)).toEqual([2, 2, 2, 1]);
    expect(Math.max(...world.requests.map(({ bytes }) => bytes))).toBeLessThan(50_000);
    expect(arrived(world)).toHaveLength(257);
  });

  it("that the server refuses are dropped, and told once a reason; those that wait for an answer are no fault [player.refused]", async () => {
    const world = new ShopperWorld();
    const { recorder, faults } = await openedRecorder(world.openTab());
    for (const reason of ["unknown_page", "unknown_page", "too_many_events", "incomplete", "timed_out"]) {
      say(recorder, `refuse ${reason}`);
      await world.pass(minute);
    }
    expect(faults).toEqual(["refused unknown_page", "refused too_many_events"]);
    expect(storedOf(world)).toMatchObject([{ events: [] }]);
    world.mood = "refusing";
    say(recorder, 1);
    await world.pass(10 * minute);
    expect(faults.slice(2)).toEqual(["refused validation_error"]);
    expect(world.requests).toHaveLength(6);
    world.mood = "up";
    say(recorder, 2);
    await world.pass(minute);
    expect(arrived(world)).toMatchObject([{ value: 2, seq: 6 }]);
  });

  it("wait as long as the server asks, in other tabs and later pages too [player.retry-after]", async () => {
    const world = new ShopperWorld();
    const tab = world.openTab();
    const { recorder, faults } = await openedRecorder(tab);
    world.mood = "busy";
    world.retryAfter = 120;
    say(recorder, 1);
    await world.pass(1_000);
    world.mood = "up";
    const other = await openedRecorder(world.openTab());
    other.recorder.beginNext();
    say(other.recorder, 2);
    await world.pass(100 * 1_000);
    tab.load(true);
    await openedRecorder(tab);
    await world.pass(18 * 1_000);
    expect(world.requests).toHaveLength(1);
    await world.pass(5_000);
    expect(arrived(world)).toHaveLength(2);
    expect(faults).toEqual(["away rate_limited"]);
  });

  it("are sent again ever more seldom while the server is away, which is told once an outage [player.backoff]", async () => {
    for (const mood of ["down", "failing"] as const) {
      const world = new ShopperWorld();
      const { recorder, faults } = await openedRecorder(world.openTab());
      world.mood = mood;
      if (mood === "down") world.later(100, () => world.setOnline(true));
      say(recorder, 1);
      await world.pass(10 * minute);
      expect(world.requests.length).toBeGreaterThan(8);
      expect(world.requests.length).toBeLessThan(25);
      world.mood = "up";
      await world.pass(minute);
      expect(arrived(world)).toHaveLength(1);
      world.mood = mood;
      say(recorder, 2);
      await world.pass(minute);
      const reason = mood === "down" ? "null" : "internal_error";
      expect(faults).toEqual([`away ${reason}`, `away ${reason}`]);
    }
  });

  it("whose request ends with the page are no outage, of which one is told once the page is there again [player.backoff]", async () => {
    const world = new ShopperWorld();
    const tab = world.openTab();
    const { recorder, faults } = await openedRecorder(tab);
    say(recorder, 1);
    await world.pass(210);
    world.mood = "down";
    tab.tell("hide");
    await world.pass(minute);
    expect([world.requests.length > 1, faults]).toEqual([true, []]);
    tab.tell("show");
    await world.pass(minute);
    expect(faults).toEqual(["away null"]);
  });

  it("are tried as seldom as in an outage without a network, and go as soon as it is there [player.offline]", async () => {
    const world = new ShopperWorld();
    const { recorder, faults } = await openedRecorder(world.openTab());
    world.setOnline(false);
    say(recorder, 1);
    await world.pass(20 * minute);
    expect([world.requests.length < 35, faults]).toEqual([true, ["away null"]]);
    world.setOnline(true);
    await world.pass(100);
    expect(arrived(world)).toHaveLength(1);
  });

  it("go by beacon when the page goes, once, and are confirmed when it is there again [player.page-goes]", async () => {
    const world = new ShopperWorld();
    const tab = world.openTab();
    const { recorder } = await openedRecorder(tab);
    say(recorder, 1);
    tab.tell("hide");
    tab.tell("hide");
    say(recorder, 2);
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
    const other = await openedRecorder(world.openTab());
    world.mood = "down";
    say(other.recorder, 1);
    await settled();
    const { recorder } = await openedRecorder(tab);
    const foreign = recorder.sessionId;
    recorder.beginNext();
    const ids = [recorder.sessionId];
    say(recorder, 2);
    recorder.beginNext();
    ids.unshift(recorder.sessionId);
    say(recorder, 3);
    tab.tell("hide");
    tab.tell("hide");
    const beacons = world.requests.filter(({ via }) => via === "beacon");
    expect(beacons.map(({ batch }) => batch.session.id)).toEqual(ids);
    expect([foreign, beacons.map(({ batch }) => batch.events.length)]).toEqual([other.recorder.sessionId, [1, 1]]);
  });

  it("of an earlier visit that did not arrive are sent by the next page [player.delivery]", async () => {
    const world = new ShopperWorld();
    const tab = world.openTab();
    const { recorder } = await openedRecorder(tab);
    world.mood = "down";
    say(recorder, 1);
    await world.pass(1_000);
    tab.kill();
    await world.pass(31 * minute);
    world.mood = "up";
    const later = await openedRecorder(world.openTab(), { session: { quiz_id: `quiz_${"2".repeat(32)}` } });
    expect(later.recorder.earlier).toEqual({ kind: "none" });
    await world.pass(minute);
    expect([...world.taken.keys()]).toEqual([recorder.sessionId]);
  });

  it("are numbered on in two tabs of a session that a later visit cleared away, whose number it keeps for a day [player.numbers]", async () => {
    const world = new ShopperWorld();
    const one = await openedRecorder(world.openTab());
    say(one.recorder, 1);
    await world.pass(1_000);
    const other = await openedRecorder(world.openTab());
    say(other.recorder, 2);
    say(other.recorder, 3);
    await world.pass(40 * minute);
    const visit = () => openedRecorder(world.openTab(), { session: { quiz_id: `quiz_${"2".repeat(32)}` } });
    await visit();
    expect(storedOf(world)).toMatchObject([{ seq: 3, run: null, events: [] }]);
    // a finished session goes on as the same one
    say(one.recorder, 4);
    say(other.recorder, 5);
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
    const { recorder } = await openedRecorder(tab);
    say(recorder, 1);
    await world.pass(1_000);
    return { world, tab, id: recorder.sessionId, visitor: recorder.visitorId };
  };

  it("goes on unasked after a reload, in the same session [player.resume]", async () => {
    const { world, tab, id } = await left();
    await world.pass(29 * minute);
    tab.load(true);
    const { recorder } = await openedRecorder(tab);
    expect(recorder.earlier).toEqual({ kind: "reloaded", saved: savedOn("p") });
    say(recorder, 2);
    await world.pass(minute);
    expect([...(world.taken.get(id)?.values() ?? [])].map(({ seq }) => seq)).toEqual([0, 1]);
  });

  it("is asked on a later visit, and may start over as the same visitor [player.resume]", async () => {
    const { world, tab, id, visitor } = await left();
    tab.load(false);
    const { recorder } = await openedRecorder(tab);
    expect([recorder.earlier.kind, recorder.sessionId]).toEqual(["left", id]);
    // neither answer was given yet
    tab.load(false);
    const asked = await openedRecorder(tab);
    expect(asked.recorder.earlier.kind).toBe("left");
    asked.recorder.beginNext();
    expect([asked.recorder.sessionId === id, asked.recorder.visitorId]).toEqual([false, visitor]);
    say(asked.recorder, 2);
    await world.pass(1_000);
    const third = await openedRecorder(world.openTab());
    expect(third.recorder.sessionId).toBe(asked.recorder.sessionId);
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
      const { recorder } = await openedRecorder(tab, { session });
      expect([recorder.earlier.kind, recorder.sessionId === id, recorder.visitorId]).toEqual(["none", false, visitor]);
    }
  });

  it("runs two quizzes of one page apart, and goes on where a quiz was taken away and put back [player.page]", async () => {
    for (const consent of [true, false]) {
      const world = new ShopperWorld();
      const tab = world.openTab();
      const first = await openedRecorder(tab, { consent });
      say(first.recorder, 1);
      await settled();
      const second = await openedRecorder(tab, { consent });
      expect(second.recorder.earlier.kind).toBe("none");
      expect(second.recorder.sessionId).not.toBe(first.recorder.sessionId);
      first.recorder.close();
      const again = await openedRecorder(tab, { consent });
      expect([again.recorder.earlier.kind, again.recorder.sessionId]).toEqual(["reloaded", first.recorder.sessionId]);
    }
  });

  it("begins the session that a restart announced [player.restart]", async () => {
    const { world, tab } = await left();
    const { recorder } = await openedRecorder(tab);
    const next = recorder.nextSessionId();
    expect(recorder.nextSessionId()).toBe(next);
    recorder.add({ type: "quiz_restarted", next_session_id: next });
    recorder.beginNext();
    expect([recorder.sessionId, recorder.nextSessionId() === next]).toEqual([next, false]);
    say(recorder, 5);
    await world.pass(minute);
    expect([...(world.taken.get(next)?.values() ?? [])]).toMatchObject([{ seq: 0, value: 5 }]);
  });
});
