import { afterAll, expect, it } from "vitest";
import { type Deadline, Deadlines } from "./deadline.ts";
import { Problem } from "./problems.ts";
import { SingleFlight } from "./single-flight.ts";

const deadlines = new Deadlines(() => 0);
afterAll(() => deadlines.stop());
const open = () => deadlines.open(30_000);

/** Work that is done, or fails, when the test says so, and is cancelled by its deadline. */
function controlled() {
  const runs: { deadline: Deadline; done: (value: string) => void; failed: (error: Error) => void }[] = [];
  const work = (deadline: Deadline) => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    deadline.onExpiry(() => reject(new Problem("timeout")));
    runs.push({ deadline, done: resolve, failed: reject });
    return promise;
  };
  return { runs, work };
}

it("does the same work once for all who ask while it is under way [analytics.shared-work]", async () => {
  const shared = new SingleFlight<string>();
  const { runs, work } = controlled();
  const asked = [1, 2, 3].map(() => shared.run("a", open(), work));
  const other = shared.run("b", open(), work);
  expect([runs.length, shared.has("a"), shared.has("c")]).toEqual([2, true, false]);
  runs[0]?.done("figures");
  runs[1]?.done("others");
  expect(await Promise.all([...asked, other])).toEqual(["figures", "figures", "figures", "others"]);
  expect(shared.has("a")).toBe(false);
  const again = shared.run("a", open(), work);
  runs[2]?.done("newer");
  expect(await again).toBe("newer");
});

it("goes on when the first asker leaves, and gives each no more than its own time [analytics.shared-work]", async () => {
  const shared = new SingleFlight<string>();
  const { runs, work } = controlled();
  const first = open();
  const leaving = shared.run("a", first, work);
  const staying = shared.run("a", open(), work);
  first.expire();
  await expect(leaving).rejects.toMatchObject({ title: "timeout" });
  expect(runs[0]?.deadline.expired).toBe(false);
  runs[0]?.done("figures");
  expect(await staying).toBe("figures");
});

it("is cancelled when the last asker leaves, and begun anew by the next [analytics.shared-work]", async () => {
  const shared = new SingleFlight<string>();
  const { runs, work } = controlled();
  const [one, two] = [open(), open()];
  const both = [shared.run("a", one, work), shared.run("a", two, work)].map((each) =>
    each.catch((error) => error.title),
  );
  one.expire();
  two.expire();
  expect(runs[0]?.deadline.expired).toBe(true);
  const next = shared.run("a", open(), work);
  expect(await Promise.all(both)).toEqual(["timeout", "timeout"]);
  expect(shared.has("a")).toBe(true);
  runs[1]?.done("figures");
  expect(await next).toBe("figures");
});

it("tells all askers of a failure, and forgets it", async () => {
  const shared = new SingleFlight<string>();
  const { runs, work } = controlled();
  const asked = [1, 2].map(() => shared.run("a", open(), work).catch((error) => error.message));
  runs[0]?.failed(new Error("no memory"));
  expect(await Promise.all(asked)).toEqual(["no memory", "no memory"]);
  expect(shared.has("a")).toBe(false);
});

it("begins nothing for an asker who is gone already", async () => {
  const { runs, work } = controlled();
  const gone = open();
  gone.expire();
  await expect(new SingleFlight<string>().run("a", gone, work)).rejects.toMatchObject({ title: "timeout" });
  expect(runs).toEqual([]);
});
