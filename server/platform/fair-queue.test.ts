import { expect, it } from "vitest";
import { Deadlines } from "./deadline.ts";
import { FairQueue } from "./fair-queue.ts";

it("runs as many as it may at once, the stores in turn [copy.turns]", async () => {
  const queue = new FairQueue(2);
  const done: string[] = [];
  let running = 0;
  let most = 0;
  const work = (name: string) => async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setTimeout(resolve, 1));
    running -= 1;
    done.push(name);
  };
  const names = ["a1", "a2", "a3", "a4", "a5", "b1", "c1", "b2"];
  await Promise.all(names.map((name) => queue.run(name.charAt(0), work(name))));
  expect(most).toBe(2);
  expect(done).toEqual(["a1", "a2", "a3", "b1", "c1", "a4", "b2", "a5"]);
});

it("runs all of them, however many fail, and never more at once than it may [copy.turns, webhooks.fair-turns]", async () => {
  const queue = new FairQueue(3);
  let running = 0;
  let most = 0;
  const work = (fails: boolean) => async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setTimeout(resolve, 1));
    running -= 1;
    if (fails) throw new Error("broken");
    return "done";
  };
  const all = Array.from({ length: 40 }, (_, n) => queue.run(`${n % 7}`, work(n % 3 === 0)));
  const ended = await Promise.allSettled(all);
  expect(ended.map(({ status }) => status)).toEqual(all.map((_, n) => (n % 3 === 0 ? "rejected" : "fulfilled")));
  expect([most, queue.running, queue.waiting]).toEqual([3, 0, 0]);
});

it("lets who fails or gives up make room [copy.turns]", async () => {
  let now = 0;
  const deadlines = new Deadlines(() => now);
  const queue = new FairQueue(1);
  const { promise, reject } = Promise.withResolvers<never>();
  const first = queue.run("a", () => promise);
  const impatient = queue.run("a", async () => "never", deadlines.open(10));
  const patient = queue.run("a", async () => "done");
  now = 20;
  await expect(impatient).rejects.toMatchObject({ title: "timeout" });
  reject(new Error("broken"));
  await expect(first).rejects.toThrow("broken");
  expect(await patient).toBe("done");
  await expect(queue.run("a", async () => "late", deadlines.open(-1))).rejects.toMatchObject({ title: "timeout" });
  deadlines.stop();
});
