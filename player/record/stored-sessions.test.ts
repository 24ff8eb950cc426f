import { describe, expect, it } from "vitest";
import { openedRecorder, say } from "../../testkit/opened-recorders.ts";
import { ShopperWorld, settled } from "../../testkit/shopper-browsers.ts";
import { toJson } from "../json.ts";

const minute = 60_000;
const arrived = (world: ShopperWorld) => [...world.taken.values()].flatMap((events) => [...events.values()]);
const keysOf = (world: ShopperWorld) => [...world.local.texts.keys()];

describe("what is kept in a browser", () => {
  it("is nothing without consent, then everything, then nothing again [player.consent]", async () => {
    const world = new ShopperWorld();
    const tab = world.openTab();
    const { recorder } = await openedRecorder(tab, { consent: false });
    const id = recorder.sessionId;
    world.mood = "down";
    say(recorder, 1);
    await world.pass(500);
    expect([keysOf(world), [...tab.session.texts]]).toEqual([[], []]);
    recorder.consent(true);
    expect(keysOf(world).sort()).toEqual([`quizstore:1:pub_1:${id}`, "quizstore:1:pub_1:visitor"]);
    expect(world.local.texts.get("quizstore:1:pub_1:visitor")).toBe(recorder.visitorId);
    say(recorder, 2);
    await settled();
    world.local.texts.set("theirs", "x");
    recorder.consent(false);
    expect([keysOf(world), [...tab.session.texts]]).toEqual([["theirs"], []]);
    say(recorder, 3);
    world.mood = "up";
    await world.pass(5 * minute);
    expect(arrived(world).map(({ seq }) => seq)).toEqual([0, 1, 2]);
    expect([keysOf(world), recorder.sessionId]).toEqual([["theirs"], id]);
  });

  it("is sent though consent is told of in the same moment [player.consent]", async () => {
    for (const granted of [true, false]) {
      const world = new ShopperWorld();
      const { recorder } = await openedRecorder(world.openTab());
      await world.pass(minute);
      say(recorder, 1);
      recorder.consent(granted);
      await world.pass(minute);
      expect(arrived(world)).toHaveLength(1);
    }
  });

  it("goes when consent is withdrawn in another tab, or the shopper clears the storage [player.consent]", async () => {
    const world = new ShopperWorld();
    const one = await openedRecorder(world.openTab());
    say(one.recorder, 1);
    await world.pass(minute);
    const other = await openedRecorder(world.openTab());
    other.recorder.consent(false);
    say(one.recorder, 2);
    await world.pass(minute);
    expect(keysOf(world)).toEqual([]);
    expect(arrived(world).map(({ seq }) => seq)).toEqual([0, 1]);
  });

  it("is of an earlier visit, too, when consent is refused without having been given [player.consent]", async () => {
    const world = new ShopperWorld();
    const tab = world.openTab();
    say((await openedRecorder(tab)).recorder, 1);
    await settled();
    tab.kill();
    const { recorder } = await openedRecorder(world.openTab(), { consent: false });
    expect([recorder.earlier.kind, keysOf(world).length]).toEqual(["none", 2]);
    recorder.consent(false);
    expect(keysOf(world)).toEqual([]);
    await world.pass(minute);
    expect(arrived(world)).toHaveLength(1);
  });

  it("is in memory where the storage is denied, or full, which is told once [player.no-storage]", async () => {
    const denied = new ShopperWorld();
    const tab = denied.openTab();
    tab.denial = "SecurityError";
    const one = await openedRecorder(tab);
    say(one.recorder, 1);
    one.recorder.consent(true);
    one.recorder.consent(false);
    await denied.pass(minute);
    expect([one.faults, arrived(denied).length]).toEqual([["storage SecurityError"], 1]);
    const full = new ShopperWorld();
    const two = await openedRecorder(full.openTab());
    say(two.recorder, 1);
    await full.pass(minute);
    full.local.room = 300;
    say(two.recorder, 2);
    say(two.recorder, 3);
    two.recorder.consent(true);
    await full.pass(minute);
    expect(two.faults).toEqual(["storage QuotaExceededError"]);
    expect(arrived(full).map(({ seq }) => seq)).toEqual([0, 1, 2]);
    // an older state of the session would be gone on with under numbers that are taken
    expect(keysOf(full).filter((key) => key.includes(":sess_"))).toEqual([]);
  });

  it("is at most a million characters: the oldest sessions go, which is told [player.stored-bound]", async () => {
    const world = new ShopperWorld();
    world.mood = "down";
    const ids: string[] = [];
    const faults: string[] = [];
    for (let visit = 0; visit < 5; visit++) {
      const tab = world.openTab();
      const opened = await openedRecorder(tab);
      if (opened.recorder.earlier.kind !== "none") opened.recorder.beginNext();
      ids.push(opened.recorder.sessionId);
      for (let value = 0; value < 30; value++) say(opened.recorder, "x".repeat(9_000));
      await world.pass(1_000);
      faults.push(...opened.faults.filter((fault) => fault.startsWith("storage")));
      tab.kill();
    }
    const kept = ids.map((id) => world.local.texts.has(`quizstore:1:pub_1:${id}`));
    expect(kept).toEqual([false, false, true, true, true]);
    expect(faults).toEqual(["storage full", "storage full"]);
  });

  it("is dropped where it cannot be read, which is told [player.stored-version]", async () => {
    for (const text of ["{", "null", '{"session":{"id":"other"}}', '{"events":[]}']) {
      const world = new ShopperWorld();
      const { recorder } = await openedRecorder(world.openTab());
      say(recorder, 1);
      await settled();
      world.local.texts.set(`quizstore:1:pub_1:${recorder.sessionId}`, text);
      world.local.texts.set("quizstore:0:pub_1:old", text);
      const later = await openedRecorder(world.openTab());
      expect([later.recorder.earlier.kind, later.faults]).toEqual(["none", ["storage malformed"]]);
      expect(keysOf(world).sort()).toEqual(["quizstore:0:pub_1:old", "quizstore:1:pub_1:visitor"]);
    }
  });
});

describe("JSON on a page whose library gave lists and texts a toJSON", () => {
  it("is JSON all the same, and the library stays as it was [player.foreign-json]", () => {
    const owners: { toJSON?: unknown }[] = [Array.prototype as object, String.prototype as object];
    const foreign = () => "foreign";
    try {
      for (const owner of owners) owner.toJSON = foreign;
      expect(toJson({ list: [1, "two"], text: "three" })).toBe('{"list":[1,"two"],"text":"three"}');
      expect(owners.map(({ toJSON }) => toJSON)).toEqual([foreign, foreign]);
    } finally {
      for (const owner of owners) delete owner.toJSON;
    }
  });
});
