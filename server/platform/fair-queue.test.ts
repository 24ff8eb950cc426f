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
