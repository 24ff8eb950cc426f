import { expect, it } from "vitest";
import { Deadlines } from "../platform/deadline.ts";
import { HashTurns } from "./hash-turns.ts";

const patient = new Deadlines(() => performance.now());
const noHurry = patient.open(60_000);

/** Work that goes on until it is told to end, and who was served so far. */
function line(limits: { atOnce?: number; waitingAtMost?: number; longestWaitMs?: number } = {}) {
  const turns = new HashTurns({ atOnce: 1, waitingAtMost: 100, longestWaitMs: 60_000, ...limits });
  const served: string[] = [];
  const refused: string[] = [];
  const ends: (() => void)[] = [];
  const ask = async (name: string, deadline = noHurry) => {
    // a capital is of somebody who is known; the letter is the sender
    const sender = name.charAt(0).toLowerCase();
    const turn = { sender, isKnown: name.charAt(0) !== sender };
    const work = () => {
      served.push(name);
      return new Promise<void>((resolve) => ends.push(resolve));
    };
    await turns.run(turn, work, deadline).catch((error: { title: string }) => refused.push(`${name} ${error.title}`));
  };
  const endAll = async () => {
    for (let settled = 0; settled < 50; settled += 1) {
      for (const end of ends.splice(0)) end();
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { turns, served, refused, ask, ends, endAll };
}

it("are taken by as many at once as there are, by senders in turn, and by those who are known first [accounts.password-turns]", async () => {
  const { served, ask, ends, endAll } = line({ atOnce: 2 });
  const asked = ["a1", "a2", "a3", "a4", "b1", "b2", "c1", "D1", "A5"].map((name) => ask(name));
  expect([served, ends.length]).toEqual([["a1", "a2"], 2]);
  await endAll();
  await Promise.all(asked);
  expect(served).toEqual(["a1", "a2", "D1", "A5", "a3", "b1", "c1", "a4", "b2"]);
});

it("are refused to the sender who has most in a full line, so that a newcomer finds a place [accounts.password-turns]", async () => {
  const { turns, served, refused, ask, endAll } = line({ waitingAtMost: 4 });
  const asked = ["a0", "a1", "a2", "a3", "a4", "b1", "a5", "c1", "D1", "e1", "F1"].map((name) => ask(name));
  expect(turns.waiting).toBe(4);
  await endAll();
  await Promise.all(asked);
  expect(served).toEqual(["a0", "D1", "F1", "a1", "b1"]);
  expect(refused).toEqual(["a4", "a5", "a3", "a2", "e1", "c1"].map((name) => `${name} rate_limited`));
});

it("are refused to whoever waits too long or gives up, and go on when work fails [accounts.password-turns]", async () => {
  const { turns, served, refused, ask, endAll } = line({ longestWaitMs: 30 });
  const failing = turns.run({ sender: "z", isKnown: false }, () => Promise.reject(new Error("broken")), noHurry);
  await expect(failing).rejects.toThrow("broken");
  const first = ask("a1");
  const hurried = patient.open(60_000);
  const gone = ask("b1", hurried);
  hurried.expire();
  await Promise.all([gone, ask("c1"), ask("d1", hurried)]);
  expect(refused).toEqual(["b1", "d1", "c1"].map((name) => `${name} rate_limited`));
  await endAll();
  await first;
  const last = ask("e1");
  await endAll();
  await last;
  expect([served, turns.waiting]).toEqual([["a1", "e1"], 0]);
});
