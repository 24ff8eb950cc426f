import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { shortQuiz } from "./documents.ts";
import { type Client, client, type ListOf, type Person, type PersonDetail, type PersonSession } from "./http.ts";
import { installedFolder } from "./installed.ts";
import { cleanUp, type Program, start, until } from "./program.ts";
import { openShopWithKey, publishQuiz } from "./shop.ts";
import { type Live, Visit } from "./visit.ts";

/** Time passes 600 times as fast: 30 idle minutes are three seconds. */

let data: string;
let program: Program;
let api: Client;
let key: string;
let live: Live;

beforeAll(async () => {
  data = await installedFolder();
  program = await start(data, { CLOCK_SPEED: "600" });
  const opened = await openShopWithKey(program);
  api = opened.api;
  key = opened.key.key;
  live = await publishQuiz(program, opened.shop, shortQuiz);
}, 120_000);

afterAll(async () => {
  await program?.stop();
  await cleanUp(data);
});

async function sessionOf(mail: string): Promise<PersonSession | undefined> {
  const [person] = (await api.get<ListOf<Person>>(`/v1/profiles?q=${mail}`)).body.data;
  return (await api.get<PersonDetail>(`/v1/profiles/${person?.id}`)).body.sessions[0];
}

const ticks = (session: PersonSession | undefined): number => Date.parse(session?.started_at ?? "");

describe("a fast clock", () => {
  it("is logged loudly", () => {
    expect(`${program.stdout()}${program.stderr()}`).toContain("CLOCK_SPEED");
  });

  it("lets an idle session be left by itself, and a finish completes it still [sessions.idle, sessions.finish, time.clock]", async () => {
    const visit = new Visit(live, { from: Date.now(), step: 1 });
    await visit.send(
      visit.opened(),
      visit.chose("first", "pick", "one"),
      visit.wrote("contact", "mail", "idle@example.com"),
    );
    const left = await until(
      () => sessionOf("idle@example.com"),
      (session) => session?.status === "left",
    );
    expect(left).toMatchObject({ status: "left", completed_at: null });
    const length = Date.parse(left?.ended_at ?? "") - ticks(left);
    expect(length).toBeGreaterThanOrEqual(30 * 60_000);
    expect(length).toBeLessThan(31 * 60_000);
    visit.now = Date.now();
    const back = visit.entered("first", "back");
    expect((await visit.send(back)).body.rejected.map(({ id }) => id)).toEqual([back.id]);
    expect((await visit.send(visit.entered("result"), visit.finished("result"))).body.rejected).toEqual([]);
    const done = await sessionOf("idle@example.com");
    expect(done?.status).toBe("completed");
    expect(Date.parse(done?.completed_at ?? "") - ticks(done)).toBeGreaterThan(30 * 60_000);
  });

  it("never goes back over a restart at normal speed [time.clock-steps]", async () => {
    const before = await sessionOf("idle@example.com");
    await program.stop();
    program = await start(data, {}, program.port);
    api = client(program.url, key);
    const visit = new Visit(live, { from: Date.now(), step: 1 });
    await visit.send(visit.chose("first", "pick", "one"), visit.wrote("contact", "mail", "later@example.com"));
    const after = await sessionOf("later@example.com");
    expect(ticks(after)).toBeGreaterThanOrEqual(Date.parse(before?.completed_at ?? ""));
    expect(after?.status).toBe("in_progress");
  }, 60_000);
});
