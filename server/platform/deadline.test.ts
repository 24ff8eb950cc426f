import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { assertTimeLeft, Deadlines, noDeadline, SharedDeadline } from "./deadline.ts";

let now = 0;
let deadlines = new Deadlines(() => now);
afterEach(() => {
  deadlines.stop();
  now = 0;
  deadlines = new Deadlines(() => now);
});

describe("deadlines [api.request-time]", () => {
  it("tell what is left, and expire once, soon after their time", async () => {
    const heard: string[] = [];
    const deadline = deadlines.open(100, () => void heard.push("first"));
    const forget = deadline.onExpiry(() => void heard.push("forgotten"));
    deadline.onExpiry(() => void heard.push("second"));
    forget();
    expect(deadline.remaining()).toBe(100);
    now = 99.5;
    expect([deadline.remaining(), deadline.expired]).toEqual([1, false]);
    assertTimeLeft(deadline);
    now = 100;
    expect(deadline.remaining()).toBe(0);
    expect(() => assertTimeLeft(deadline)).toThrow(expect.objectContaining({ title: "timeout" }));
    await pause(120);
    expect([deadline.expired, heard]).toEqual([true, ["first", "second"]]);
    deadline.expire();
    expect(heard).toEqual(["first", "second"]);
  });

  it("say nothing once the work is done", async () => {
    let heard = 0;
    const done = deadlines.open(10, () => {
      heard += 1;
    });
    deadlines.close(done);
    now = 1_000;
    await pause(80);
    expect(heard).toBe(0);
  });

  it("joined last as long as the longest", () => {
    const joint = new SharedDeadline();
    const [a, b] = [deadlines.open(10), deadlines.open(50)];
    let heard = 0;
    joint.join(a);
    joint.join(a);
    joint.join(b);
    joint.onExpiry(() => {
      heard += 1;
    });
    expect(joint.remaining()).toBe(50);
    a.expire();
    expect([joint.remaining(), joint.expired, heard]).toEqual([50, false, 0]);
    b.expire();
    expect([joint.remaining(), joint.expired, heard]).toEqual([0, true, 1]);
    const closed = new SharedDeadline();
    const c = deadlines.open(10);
    closed.join(c);
    closed.onExpiry(() => {
      heard += 1;
    });
    closed.close();
    c.expire();
    expect(heard).toBe(1);
  });

  it("of work that nobody waits for never come", () => {
    expect([noDeadline.remaining(), noDeadline.expired]).toEqual([Number.POSITIVE_INFINITY, false]);
    expect(() => assertTimeLeft(noDeadline)).not.toThrow();
  });
});
