import { beforeEach, describe, expect, it } from "vitest";
import { pagesNamed } from "../../../testkit/quizzes.ts";
import { keepMs, longestMs, openAutosave, quietMs } from "./autosave.ts";
import { type Draft, type LocalCopy, NotSaved, type Refusal, type SavedAnswer } from "./types.ts";

/** A server that holds one draft, a browser's storage, and time that is moved by hand. */

let now = 0;
let due: { at: number; run: () => void }[] = [];
let stored: LocalCopy | null = null;
let kept: { name: string; revision: number };
let refusal: Refusal | null = null;
let held: (() => void)[] | null = null;
/** whether it takes what it is sent and nobody hears so */
let isUnheard = false;
const puts: { name: string; revision: number }[] = [];

beforeEach(() => {
  now = 0;
  due = [];
  stored = null;
  kept = { name: "0", revision: 1 };
  refusal = null;
  held = null;
  isUnheard = false;
  puts.length = 0;
});

const timers = {
  now: () => now,
  after: (ms: number, run: () => void) => {
    const timer = { at: now + ms, run };
    due.push(timer);
    return () => {
      due = due.filter((other) => other !== timer);
    };
  },
};

/** Lets time pass, and whatever follows from it. */
async function pass(ms: number): Promise<void> {
  const end = now + ms;
  for (;;) {
    await settled();
    const next = due.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
    if (!next) break;
    due = due.filter((timer) => timer !== next);
    now = Math.max(now, next.at);
    next.run();
  }
  now = end;
  await settled();
}
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

const server = {
  async put(draft: Draft, revision: number): Promise<SavedAnswer> {
    puts.push({ name: draft.name, revision });
    if (held) await new Promise<void>((resolve) => held?.push(resolve));
    if (refusal) throw new NotSaved(refusal);
    if (revision !== kept.revision) throw new NotSaved({ kind: "changed", by: "noor", at: "then" });
    kept = { name: draft.name, revision: revision + 1 };
    if (isUnheard) throw new NotSaved({ kind: "away" });
    return { revision: revision + 1, saved_at: `at ${now}`, saved_by: "mira", findings: [], document: null };
  },
  get: async () => ({ ...kept, document: pagesNamed(), saved_at: "", saved_by: null, assistant: null }),
};
const copies = {
  write: (copy: LocalCopy) => {
    stored = copy;
    return true;
  },
  clear: () => {
    stored = null;
  },
};
const open = () =>
  openAutosave({ server, copies, timers, opened: { revision: kept.revision, saved_at: "before", saved_by: "mira" } });
const draft = (name: string): Draft => ({ name, document: pagesNamed() });

describe("autosave", () => {
  it("sends what was typed a moment after the last key, and a second after the first at latest [editor.autosave]", async () => {
    const autosave = open();
    autosave.changed(draft("a"));
    await pass(quietMs - 1);
    expect(puts).toEqual([]);
    await pass(1);
    expect(puts).toEqual([{ name: "a", revision: 1 }]);
    expect(autosave.state).toMatchObject({ kind: "saved", by: "mira" });
    for (let typed = 0; typed < longestMs; typed += 100) {
      autosave.changed(draft(`b${typed}`));
      await pass(100);
    }
    expect(puts).toHaveLength(2);
    expect(kept.revision).toBe(3);
  });

  it("keeps what was typed in the browser within a fifth of a second, until the server has it [editor.killed-tab]", async () => {
    const autosave = open();
    held = [];
    for (let typed = 0; typed < 20; typed += 1) {
      autosave.changed(draft(`b${typed}`));
      await pass(100);
      // a tab that is killed now loses what was typed in the last moments alone
      const lost = typed - Number((stored as LocalCopy | null)?.name.slice(1) ?? -1);
      expect(lost * 100).toBeLessThanOrEqual(keepMs + 100);
    }
    expect((stored as LocalCopy | null)?.revision).toBe(1);
    for (const answer of held.splice(0)) answer();
    held = null;
    await pass(5_000);
    expect(kept.name).toBe("b19");
    expect(stored).toBeNull();
  });

  it("has one request under way, and sends what came meanwhile after it [editor.autosave]", async () => {
    const autosave = open();
    held = [];
    autosave.changed(draft("a"));
    await pass(quietMs);
    autosave.changed(draft("b"));
    autosave.changed(draft("c"));
    await pass(10_000);
    expect(puts).toEqual([{ name: "a", revision: 1 }]);
    for (const answer of held.splice(0)) answer();
    held = null;
    await pass(2_000);
    expect(puts).toEqual([
      { name: "a", revision: 1 },
      { name: "c", revision: 2 },
    ]);
  });

  it("overwrites nothing that somebody else did: it stops, and says who and when [editor.two-editors]", async () => {
    const autosave = open();
    kept = { name: "noor's", revision: 2 };
    autosave.changed(draft("mine"));
    await pass(60_000);
    expect(autosave.state).toEqual({ kind: "changed", by: "noor", at: "then" });
    autosave.changed(draft("mine too"));
    await pass(60_000);
    await autosave.flush();
    expect(kept.name).toBe("noor's");
    expect(puts).toHaveLength(1);
    expect((stored as LocalCopy | null)?.name).toBe("mine too");
    autosave.rebase({ revision: 2, saved_at: "then", saved_by: "noor" }, draft("both"));
    await pass(0);
    expect(kept).toEqual({ name: "both", revision: 3 });
    expect(autosave.state.kind).toBe("saved");
  });

  it("drops what was typed where the author takes the other's [editor.two-editors]", async () => {
    const autosave = open();
    kept = { name: "noor's", revision: 2 };
    autosave.changed(draft("mine"));
    await pass(1_000);
    autosave.rebase({ revision: 2, saved_at: "then", saved_by: "noor" }, null);
    await pass(60_000);
    expect([kept.name, stored, autosave.isDirty]).toEqual(["noor's", null, false]);
  });

  it("keeps edits while nobody answers, and sends them when somebody does [editor.offline]", async () => {
    const autosave = open();
    refusal = { kind: "away" };
    autosave.changed(draft("a"));
    await pass(1_000);
    autosave.changed(draft("b"));
    await pass(60_000);
    expect(autosave.state).toEqual({ kind: "away", isStoredHere: true });
    expect((stored as LocalCopy | null)?.name).toBe("b");
    expect(puts.length).toBeLessThan(12);
    refusal = null;
    autosave.retry();
    await pass(0);
    expect(kept.name).toBe("b");
    expect(stored).toBeNull();
    refusal = { kind: "away" };
    autosave.changed(draft("c"));
    await pass(1_000);
    autosave.changed(draft("d"));
    refusal = null;
    await pass(30_000);
    expect(kept.name).toBe("d");
  });

  it("is in nobody's way where an answer was lost on its way: it goes on from what it sent itself [editor.two-editors]", async () => {
    const autosave = open();
    isUnheard = true;
    autosave.changed(draft("a"));
    await pass(quietMs);
    expect([kept.name, autosave.state.kind]).toEqual(["a", "away"]);
    autosave.changed(draft("ab"));
    expect(stored).toMatchObject({ sent: { name: "a" } });
    isUnheard = false;
    await pass(10_000);
    expect(kept).toEqual({ name: "ab", revision: 3 });
    expect(autosave.state.kind).toBe("saved");
    // somebody else's is no such thing
    isUnheard = true;
    autosave.changed(draft("abc"));
    await pass(quietMs);
    kept = { name: "noor's", revision: 9 };
    isUnheard = false;
    autosave.changed(draft("abcd"));
    await pass(10_000);
    expect(autosave.state).toEqual({ kind: "changed", by: "noor", at: "then" });
    expect(kept.name).toBe("noor's");
  });

  it("waits for the assistant, and sends what was typed once its run is over [editor.assistant]", async () => {
    const autosave = open();
    refusal = { kind: "assistant", holder: "Mira's assistant", until: "soon" };
    autosave.changed(draft("a"));
    await pass(2_000);
    expect(autosave.state).toMatchObject({ kind: "assistant", holder: "Mira's assistant" });
    refusal = null;
    await pass(60_000);
    expect(kept.name).toBe("a");
  });

  it("tries again what was refused once it was changed, and not at each key [editor.autosave]", async () => {
    const autosave = open();
    refusal = { kind: "refused", sentence: "The name has too many characters" };
    autosave.changed(draft("far too long"));
    await pass(1_000);
    expect(autosave.state).toEqual(refusal);
    await pass(60_000);
    expect(puts).toHaveLength(1);
    for (const name of ["f", "fi", "fin", "fine"]) {
      autosave.changed(draft(name));
      await pass(100);
    }
    expect(puts).toHaveLength(1);
    refusal = null;
    await pass(1_000);
    expect(kept.name).toBe("fine");
    expect(autosave.state.kind).toBe("saved");
  });

  it("waits no longer for what cannot be sent than for one try [editor.offline]", async () => {
    const autosave = open();
    refusal = { kind: "away" };
    autosave.changed(draft("a"));
    await autosave.flush();
    expect(puts).toHaveLength(1);
    expect(autosave.state.kind).toBe("away");
  });

  it("is told at once of what is left when the page goes [editor.killed-tab]", async () => {
    const autosave = open();
    autosave.changed(draft("last words"));
    autosave.keepNow();
    expect((stored as LocalCopy | null)?.name).toBe("last words");
    autosave.close();
    await pass(60_000);
    expect(puts).toEqual([]);
  });
});
