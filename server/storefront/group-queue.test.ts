import { setTimeout as pause } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Deadlines } from "../platform/deadline.ts";
import { Problem, retryLater } from "../platform/problems.ts";
import { GroupQueue, type QueueLimits, queueLimits } from "./group-queue.ts";

const size = { bytes: 10, events: 5, sender: null };
const tick = () => new Promise((resolve) => setImmediate(resolve));

/** A queue whose commits last until they are let go. */
function heldQueue(limits: Partial<QueueLimits> = {}) {
  const groups: { storeId: string; items: number[]; done: (error?: unknown) => Promise<unknown> }[] = [];
  let now = 0;
  const queue = new GroupQueue<number, string>({
    limits: { ...queueLimits, ...limits },
    elapsed: () => now,
    commit: (storeId, items) =>
      new Promise((resolve, reject) => {
        const done = async (error?: unknown) => {
          if (error === undefined) resolve(items.map((item) => `did ${item}`));
          else reject(error as Error);
          await tick();
          await tick();
        };
        groups.push({ storeId, items, done });
      }),
  });
  return { queue, groups, pass: (ms: number) => (now += ms) };
}

const lockLost = () =>
  retryLater("dependency_unavailable", 2, Object.assign(new Error("lock timeout"), { code: "55P03" }));

describe("groups", () => {
  it("commits together what arrives together, and what arrives meanwhile in the next group [storefront.groups]", async () => {
    const { queue, groups } = heldQueue();
    const first = [1, 2].map((item) => queue.submit("a", item, size));
    await tick();
    const next = [3, 4, 5].map((item) => queue.submit("a", item, size));
    await tick();
    expect(groups.map((group) => group.items)).toEqual([[1, 2]]);
    await groups[0]?.done();
    expect(await Promise.all(first)).toEqual(["did 1", "did 2"]);
    expect(groups.map((group) => group.items)).toEqual([
      [1, 2],
      [3, 4, 5],
    ]);
    await groups[1]?.done();
    expect(await Promise.all(next)).toEqual(["did 3", "did 4", "did 5"]);
  });

  it("gives each store one group at a time, four in all, and stores their turns [storefront.groups]", async () => {
    const { queue, groups } = heldQueue();
    for (const store of ["a", "b", "c", "d", "e"]) void queue.submit(store, 1, size);
    await tick();
    void queue.submit("a", 2, size);
    await tick();
    expect(groups.map((group) => group.storeId)).toEqual(["a", "b", "c", "d"]);
    await groups[0]?.done();
    expect(groups.map((group) => group.storeId)).toEqual(["a", "b", "c", "d", "e"]);
    await groups[1]?.done();
    expect(groups.map((group) => group.storeId)).toEqual(["a", "b", "c", "d", "e", "a"]);
  });

  it("sets aside a store whose groups last, so that others get its place [storefront.slow-store]", async () => {
    const { queue, groups, pass } = heldQueue({ inFlight: 2, slowAfterMs: 30, aside: 3, asideAgain: 1 });
    const submit = (store: string) => void queue.submit(store, 1, size).catch(() => undefined);
    const begun = () => groups.map(({ storeId }) => storeId).join("");
    for (const store of ["a", "b", "c", "d", "e"]) submit(store);
    await tick();
    expect(begun()).toBe("ab");
    await pause(45);
    // a and b hang, and c and d have their places
    expect(begun()).toBe("abcd");
    expect(queue.fill).toMatchObject({ groups: 4, aside: 2 });
    await groups[2]?.done();
    expect(begun()).toBe("abcde");
    // a fails in the end; its next group is aside at once, one such at a time
    await groups[0]?.done(new Problem("timeout"));
    await groups[1]?.done(new Problem("timeout"));
    submit("a");
    submit("b");
    await tick();
    expect(begun()).toBe("abcdea");
    // done in time: it is as all others again
    pass(5);
    await groups[5]?.done();
    expect(begun()).toBe("abcdeab");
    await groups[3]?.done();
    submit("a");
    await tick();
    expect(begun()).toBe("abcdeaba");
  });

  it("keeps the place of a group that lasts where too many are aside already [storefront.slow-store]", async () => {
    const { queue, groups } = heldQueue({ inFlight: 1, slowAfterMs: 20, aside: 1, asideAgain: 1 });
    for (const store of ["a", "b", "c"]) void queue.submit(store, 1, size);
    await tick();
    await pause(90);
    expect(groups.map(({ storeId }) => storeId).join("")).toBe("ab");
    expect(queue.fill).toMatchObject({ groups: 2, aside: 1 });
  });

  it("bounds a group by requests and by events [storefront.groups]", async () => {
    const { queue, groups } = heldQueue({ groupRequests: 3, groupEvents: 12 });
    for (const item of [1, 2, 3, 4]) void queue.submit("a", item, size);
    void queue.submit("b", 1, { ...size, events: 100 });
    await tick();
    expect(groups.map((group) => group.items)).toEqual([[1, 2], [1]]);
  });

  it("bounds a group by what it holds of memory, but for a single request [storefront.groups]", async () => {
    const { queue, groups } = heldQueue({ groupBytes: 25 });
    for (const item of [1, 2, 3]) void queue.submit("a", item, size);
    void queue.submit("b", 4, { ...size, bytes: 40 });
    await tick();
    expect(groups.map((group) => group.items)).toEqual([[1, 2], [4]]);
  });

  it("bounds what one sender has of a group, so that others go before the rest of it [storefront.groups]", async () => {
    const { queue, groups } = heldQueue({ groupSenderEvents: 12, groupSenderBytes: 45 });
    const one = { ...size, sender: "one" };
    for (const item of [1, 2, 3]) void queue.submit("a", item, one);
    void queue.submit("a", 4, { ...size, sender: "other" });
    void queue.submit("a", 5, { ...one, events: 0 });
    for (const item of [6, 7, 8]) void queue.submit("a", item, size);
    await tick();
    await groups[0]?.done();
    // by bytes too, but for a single request
    for (const item of [9, 10]) void queue.submit("b", item, { bytes: 40, events: 1, sender: "one" });
    void queue.submit("c", 11, { bytes: 50, events: 100, sender: "one" });
    await tick();
    expect(groups.map((group) => group.items)).toEqual([[1, 2, 4, 6, 7, 8], [3, 5], [9], [11]]);
  });

  it("lets a sender who had much of a group wait for the group after the next, while others wait [storefront.groups]", async () => {
    const { queue, groups } = heldQueue({ lightRequests: 2, lightEvents: 100 });
    const [one, other] = [
      { ...size, sender: "one" },
      { ...size, sender: "other" },
    ];
    for (const item of [1, 2, 3]) void queue.submit("a", item, one);
    await tick();
    // sent earlier, committed later
    for (const item of [4, 5, 6]) void queue.submit("a", item, one);
    for (const item of [7, 8]) void queue.submit("a", item, other);
    await groups[0]?.done();
    await groups[1]?.done();
    // nobody else waits: it need not wait either
    for (const item of [9, 10]) void queue.submit("a", item, one);
    await groups[2]?.done();
    const begun = groups.map((group) => group.items);
    expect(begun).toEqual([
      [1, 2, 3],
      [7, 8],
      [4, 5, 6],
      [9, 10],
    ]);
  });

  it("answers 429 to a sender that has its share of it, over all stores, and leaves the rest to others [storefront.fair-share]", async () => {
    const { queue, groups } = heldQueue({ totalBytes: 200, storeBytes: 100, senderBytes: 30 });
    const [one, other] = [
      { ...size, sender: "one" },
      { ...size, sender: "other" },
    ];
    void queue.submit("a", 1, one);
    void queue.submit("a", 2, one);
    void queue.submit("b", 3, one);
    for (const store of ["a", "b", "c"]) {
      await expect(queue.submit(store, 4, one)).rejects.toMatchObject({
        title: "rate_limited",
        extra: { retry_after: 2 },
      });
    }
    void queue.submit("a", 5, other);
    void queue.submit("a", 6, { ...size, sender: null });
    await tick();
    await groups[0]?.done();
    void queue.submit("c", 7, one);
    await tick();
    expect(groups.map((group) => group.items)).toContainEqual([7]);
    // larger than a share: taken while the sender has nothing else here
    void queue.submit("d", 8, { bytes: 60, events: 1, sender: "large" });
    await expect(queue.submit("d", 9, { ...size, sender: "large" })).rejects.toMatchObject({
      title: "rate_limited",
    });
  });

  it("answers 503 when the store's or the whole queue is full, and takes more once there is room [storefront.full-queue]", async () => {
    const { queue, groups } = heldQueue({ totalBytes: 45, storeBytes: 30 });
    for (const item of [1, 2, 3]) void queue.submit("a", item, size);
    await expect(queue.submit("a", 4, size)).rejects.toMatchObject({
      title: "dependency_unavailable",
      extra: { retry_after: 2 },
    });
    void queue.submit("b", 1, size);
    await expect(queue.submit("c", 1, size)).rejects.toMatchObject({ title: "dependency_unavailable" });
    const patient = [5, 6, 7, 8].map((item) => queue.submitWhenRoom("a", item, size));
    await tick();
    await groups[0]?.done();
    expect(groups.at(-1)?.items).toEqual([5, 6, 7]);
    await groups.at(-1)?.done();
    await groups.at(-1)?.done();
    expect(await Promise.all(patient)).toEqual(["did 5", "did 6", "did 7", "did 8"]);
  });

  it("keeps the order of those who wait for room, however small the later ones are [storefront.groups]", async () => {
    const { queue, groups } = heldQueue({ storeBytes: 30 });
    const sent = [
      queue.submit("a", 1, { ...size, bytes: 20 }),
      // an answer with a long text, and a finish that must not overtake it
      queue.submitWhenRoom("a", 2, { ...size, bytes: 20 }),
      queue.submitWhenRoom("a", 3, { ...size, bytes: 10 }),
    ];
    await tick();
    await groups[0]?.done();
    await groups[1]?.done();
    expect(groups.map(({ items }) => items)).toEqual([[1], [2, 3]]);
    expect(await Promise.all(sent)).toEqual(["did 1", "did 2", "did 3"]);
    await queue.close();
  });
});

describe("failures", () => {
  it("puts a group back that did not get the store's lock, five times at most [storefront.full-queue]", async () => {
    const { queue, groups } = heldQueue();
    const sent = queue.submit("a", 1, size);
    const refused = expect(sent).rejects.toMatchObject({ title: "dependency_unavailable" });
    await tick();
    for (let attempt = 0; attempt < 5; attempt++) await groups[attempt]?.done(lockLost());
    await refused;
    expect(groups).toHaveLength(5);
  });

  it("keeps the order of a store's requests when a group is put back [storefront.groups]", async () => {
    const { queue, groups } = heldQueue({ groupRequests: 2 });
    for (const item of [1, 2, 3]) void queue.submit("a", item, size);
    await tick();
    await groups[0]?.done(lockLost());
    expect(groups[1]?.items).toEqual([1, 2]);
  });

  it("tells everybody of a group to come again when the database is away [storefront.full-queue]", async () => {
    const { queue, groups } = heldQueue();
    const sent = [1, 2].map((item) => queue.submit("a", item, size));
    const refused = sent.map((each) => expect(each).rejects.toMatchObject({ title: "dependency_unavailable" }));
    await tick();
    await groups[0]?.done(retryLater("dependency_unavailable", 2, new Error("gone")));
    await Promise.all(refused);
    expect(groups).toHaveLength(1);
  });

  it("does not let one request of a group spoil the others [storefront.groups]", async () => {
    const commit = async (_store: string, items: number[]) => {
      if (items.includes(3)) throw new RangeError("cannot");
      return items.map((item) => `did ${item}`);
    };
    const queue = new GroupQueue<number, string>({ limits: queueLimits, elapsed: () => 0, commit });
    const sent = [1, 2, 3, 4].map((item) => queue.submit("a", item, size));
    const settled = await Promise.allSettled(sent);
    expect(settled.map((each) => (each.status === "fulfilled" ? each.value : each.reason.message))).toEqual([
      "did 1",
      "did 2",
      "cannot",
      "did 4",
    ]);
  });

  it("gives up what waited past its deadline, and keeps what a browser no longer waits for [storefront.deadline]", async () => {
    const { queue, groups, pass } = heldQueue();
    const deadlines = new Deadlines(() => 0);
    void queue.submit("a", 1, size);
    await tick();
    const gone = deadlines.open(30_000);
    const left = queue.submit("a", 2, size, gone);
    gone.expire();
    const late = queue.submit("a", 3, size, deadlines.open(10_000));
    const refused = expect(late).rejects.toMatchObject({ title: "timeout" });
    pass(20_000);
    await groups[0]?.done();
    expect(groups[1]?.items).toEqual([2]);
    await groups[1]?.done();
    expect(await left).toBe("did 2");
    await refused;
    deadlines.stop();
  });

  it("takes nothing more once closed, and closes when all that it took is settled", async () => {
    const { queue, groups } = heldQueue();
    const sent = queue.submit("a", 1, size);
    let closed = false;
    const closing = queue.close().then(() => {
      closed = true;
    });
    await expect(queue.submit("a", 2, size)).rejects.toBeInstanceOf(Problem);
    await tick();
    expect(closed).toBe(false);
    await groups[0]?.done();
    expect(await sent).toBe("did 1");
    await closing;
  });

  it("settles every request exactly once and frees all room, whatever fails", async () => {
    const failure = fc.constantFrom("fine", "fine", "lock", "away", "odd");
    const request = fc.record({
      store: fc.constantFrom("a", "b", "c"),
      sender: fc.constantFrom(null, "x", "y"),
      item: fc.nat(20),
      wait: fc.boolean(),
    });
    type Request = typeof request extends fc.Arbitrary<infer Value> ? Value : never;
    const run = async (requests: Request[], failures: string[]) => {
      let turn = 0;
      const underWay = new Map<string, number>();
      const commit = async (storeId: string, items: number[]) => {
        underWay.set(storeId, (underWay.get(storeId) ?? 0) + 1);
        expect(underWay.get(storeId)).toBe(1);
        await tick();
        underWay.set(storeId, 0);
        const failed = failures[turn++ % failures.length];
        if (failed === "lock") throw lockLost();
        if (failed === "away") throw retryLater("dependency_unavailable", 2);
        if (failed === "odd" && items.some((item) => item % 5 === 0)) throw new RangeError("odd");
        return items.map((item) => `did ${item}`);
      };
      const queue = new GroupQueue<number, string>({
        limits: { ...queueLimits, groupRequests: 4, inFlight: 2, totalBytes: 300, senderBytes: 50 },
        elapsed: () => 0,
        commit,
      });
      const sent: Promise<unknown>[] = [];
      for (const { store, sender, item, wait } of requests) {
        const answer = queue.submit(store, item, { ...size, sender }).then(
          (text) => expect(text).toBe(`did ${item}`),
          (error) => expect(error.title ?? error.message).toMatch(/dependency_unavailable|rate_limited|odd/),
        );
        sent.push(answer);
        if (wait) await tick();
      }
      await Promise.all(sent);
      const all = queue.submitWhenRoom("a", 1, { bytes: 300, events: 1, sender: "x" });
      await all.catch(() => undefined);
      await queue.close();
    };
    await fc.assert(
      fc.asyncProperty(fc.array(request, { maxLength: 40 }), fc.array(failure, { minLength: 1, maxLength: 7 }), run),
      { numRuns: 60 },
    );
  });
});
