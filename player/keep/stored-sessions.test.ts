import { describe, expect, it } from "vitest";
import { openedKeeper, say } from "../../testkit/opened-keepers.ts";
import { ShopperWorld, settled } from "../../testkit/shopper-browsers.ts";
import { toJson } from "../json.ts";

const minute = 60_000;
const arrived = (world: ShopperWorld) => [...world.taken.values()].flatMap((events) => [...events.values()]);
const keysOf = (world: ShopperWorld) => [...world.local.texts.keys()];

describe("what is kept in a browser", () => {
  it("is nothing without consent, then everything, then nothing again [player.consent]", async () => {
    const world = new ShopperWorld();
    const tab = world.openTab();
    const { keeper } = await openedKeeper(tab, { consent: false });
    const id = keeper.sessionId;
    world.mood = "down";
    say(keeper, 1);
    await world.pass(500);
    expect([keysOf(world), [...tab.session.texts]]).toEqual([[], []]);
    keeper.consent(true);
    expect(keysOf(world).sort()).toEqual([`quizstore:1:pub_1:${id}`, "quizstore:1:pub_1:visitor"]);
    expect(world.local.texts.get("quizstore:1:pub_1:visitor")).toBe(keeper.visitorId);
    say(keeper, 2);
    await settled();
    world.local.texts.set("theirs", "x");
    keeper.consent(false);
    expect([keysOf(world), [...tab.session.texts]]).toEqual([["theirs"], []]);
    say(keeper, 3);
    world.mood = "up";
    await world.pass(5 * minute);
    expect(arrived(world).map(({ seq }) => seq)).toEqual([0, 1, 2]);
    expect([keysOf(world), keeper.sessionId]).toEqual([["theirs"], id]);
  });

  it("is sent though consent is told of in the same moment [player.consent]", async () => {
    for (const granted of [true, false]) {
      const world = new ShopperWorld();
      const { keeper } = await openedKeeper(world.openTab());
      await world.pass(minute);
      say(keeper, 1);
      keeper.consent(granted);
      await world.pass(minute);
      expect(arrived(world)).toHaveLength(1);
    }
  });

  it("goes when consent is withdrawn in another tab, or the shopper clears the storage [player.consent]", async () => {
    const world = new ShopperWorld();
    const one = await openedKeeper(world.openTab());
    say(one.keeper, 1);
    await world.pass(minute);
    const other = await openedKeeper(world.openTab());
    other.keeper.consent(false);
    say(one.keeper, 2);
    await world.pass(minute);
    expect(keysOf(world)).toEqual([]);
    expect(arrived(world).map(({ seq }) => seq)).toEqual([0, 1]);
  });

  it("is of an earlier visit, too, when consent is refused without having been given [player.consent]", async () => {
    const world = new ShopperWorld();
    const tab = world.openTab();
    say((await openedKeeper(tab)).keeper, 1);
    await settled();
    tab.kill();
    const { keeper } = await openedKeeper(world.openTab(), { consent: false });
    expect([keeper.earlier.kind, keysOf(world).length]).toEqual(["none", 2]);
    keeper.consent(false);
    expect(keysOf(world)).toEqual([]);
    await world.pass(minute);
    expect(arrived(world)).toHaveLength(1);
  });

  it("is in memory where the storage is denied, or full, which is told once [player.no-storage]", async () => {
    const denied = new ShopperWorld();
    const tab = denied.openTab();
    tab.denial = "SecurityError";
    const one = await openedKeeper(tab);
    say(one.keeper, 1);
    one.keeper.consent(true);
    one.keeper.consent(false);
    await denied.pass(minute);
    expect([one.faults, arrived(denied).length]).toEqual([["storage SecurityError"], 1]);
    const full = new ShopperWorld();
    const two = await openedKeeper(full.openTab());
    say(two.keeper, 1);
    await full.pass(minute);
    full.local.room = 300;
    say(two.keeper, 2);
    say(two.keeper, 3);
    two.keeper.consent(true);
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
      const opened = await openedKeeper(tab);
      if (opened.keeper.earlier.kind !== "none") opened.keeper.beginNext();
      ids.push(opened.keeper.sessionId);
      for (let value = 0; value < 30; value++) say(opened.keeper, "x".repeat(9_000));
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
      const { keeper } = await openedKeeper(world.openTab());
      say(keeper, 1);
      await settled();
      world.local.texts.set(`quizstore:1:pub_1:${keeper.sessionId}`, text);
      world.local.texts.set("quizstore:0:pub_1:old", text);
      const later = await openedKeeper(world.openTab());
      expect([later.keeper.earlier.kind, later.faults]).toEqual(["none", ["storage malformed"]]);
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
