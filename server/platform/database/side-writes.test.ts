import { describe, expect, it } from "vitest";
import { openLog } from "../log.ts";
import { Problem } from "../problems.ts";
import { SideWrites } from "./side-writes.ts";
import { type Runner, runnerOf } from "./sql.ts";

const runner: Runner = runnerOf(async () => []);

function open() {
  let now = 0;
  const logged: string[] = [];
  const writes = new SideWrites({
    database: { reader: () => runner },
    elapsed: () => now,
    log: openLog("warn", { write: (line: string) => void logged.push(line) }),
  });
  const pass = (ms: number) => {
    now += ms;
  };
  return { writes, logged, pass };
}

/** A write that ends when told to. */
function held(done: string[], name: string) {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const write = async () => {
    done.push(`${name} began`);
    await promise;
    done.push(`${name} ended`);
  };
  return { write, resolve, reject };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("writes that no answer depends on [operations.side-writes]", () => {
  it("run one after the other, and once for what is noted again meanwhile", async () => {
    const { writes } = open();
    const done: string[] = [];
    const [first, second] = [held(done, "first"), held(done, "second")];
    writes.behind("a", first.write);
    writes.behind("a", async () => void done.push("never"));
    writes.behind("b", async () => void done.push("replaced"));
    writes.behind("b", second.write);
    await turn();
    expect(done).toEqual(["first began"]);
    first.resolve();
    await turn();
    expect(done).toEqual(["first began", "first ended", "second began"]);
    second.resolve();
    await turn();
    writes.behind("a", async () => void done.push("later"));
    await turn();
    expect(done.slice(3)).toEqual(["second ended", "later"]);
  });

  it("are given up together when one fails, and tried again after a minute", async () => {
    const { writes, logged, pass } = open();
    const done: string[] = [];
    const first = held(done, "first");
    writes.behind("a", first.write);
    writes.behind("b", async () => void done.push("dropped"));
    first.reject(new Problem("dependency_unavailable"));
    await turn();
    writes.behind("c", async () => void done.push("not tried"));
    expect(await writes.soon(async () => "not tried")).toBeNull();
    pass(59_999);
    expect(await writes.soon(async () => "not tried")).toBeNull();
    await turn();
    expect([done, logged.length]).toEqual([["first began"], 1]);
    pass(1);
    expect(await writes.soon(async () => "written")).toBe("written");
    writes.behind("c", async () => void done.push("written"));
    await turn();
    expect(done).toEqual(["first began", "written"]);
  });

  it("wait in a bounded number", async () => {
    const { writes } = open();
    const first = held([], "first");
    let written = 0;
    const count = async () => {
      written += 1;
    };
    writes.behind("first", first.write);
    for (let n = 0; n < 1_500; n += 1) writes.behind(`key ${n}`, count);
    first.resolve();
    await expect.poll(() => written).toBe(1_000);
  });
});
