import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installedFolder } from "./installed.ts";
import { cleanUp, type Demo, type Outcome, perform, startDemo } from "./program.ts";

/** The link that `start` prints, and the commands for people, beside the running program. */

let data: string;
let program: Demo;
let url: string;
beforeAll(async () => {
  data = await installedFolder();
  program = await startDemo(data);
  url = program.url;
}, 120_000);
afterAll(async () => {
  await program.stop();
  await cleanUp(data);
});

const quizstore = (...args: string[]): Promise<Outcome> => perform(["user", ...args, "--data", data, "--json"]);
const shop = "lumen-fern.myshopify.com";

async function ask(path: string, { cookie = "", body }: { cookie?: string; body?: object } = {}) {
  const answer = await fetch(`${url}/dashboard/api${path}`, {
    headers: { cookie, origin: url, "content-type": "application/json" },
    ...(body ? { method: "POST", body: JSON.stringify(body) } : {}),
  });
  const [set = ""] = answer.headers.getSetCookie();
  return { status: answer.status, body: JSON.parse(await answer.text()), cookie: set.split(";")[0] ?? "" };
}
const use = (link: string) => ask("/links/use", { body: { token: link.slice(link.lastIndexOf("/") + 1) } });

describe("people who sign in", () => {
  it("do so by the link that the start prints, once, as the demo shop's owner [accounts.links, accounts.link-once]", async () => {
    const link = /http:\S+\/dashboard\/link\/\S+/.exec(program.stdout())?.[0] ?? "";
    expect(link.startsWith(url)).toBe(true);
    const used = await use(link);
    expect(used.body.stores).toMatchObject([{ name: "Lumen & Fern", role: "owner" }]);
    expect((await ask("/me", { cookie: used.cookie })).status).toBe(200);
    expect((await use(link)).status).toBe(410);
  });

  it("are invited, let in, listed, disabled and enabled by commands [command-line.users]", async () => {
    const invited = await quizstore("invite", "Grace@Example.com", "--store", shop, "--role", "editor");
    expect(invited.status, invited.stderr).toBe(0);
    const invitation = invited.json as { url: string };
    expect(invited.json).toMatchObject({ email: "grace@example.com", role: "editor", operator: false, mailed: false });
    // it leads to the running server, though the command was told no port
    expect(invitation.url.startsWith(`${url}/dashboard/link/`)).toBe(true);
    const accepted = await use(invitation.url);
    expect(accepted.body.stores).toMatchObject([{ role: "editor" }]);
    const operator = (await quizstore("invite", "root@example.com", "--operator")).json as { url: string };
    expect((await use(operator.url)).body).toMatchObject({ person: { operator: true }, stores: [] });
    const listed = (await quizstore("list")).json as { email: string; stores: string[]; operator: boolean }[];
    expect(listed.map(({ email, stores, operator: is }) => [email, stores.join(), is])).toEqual([
      ["owner@lumen-fern.example", `${shop}:owner`, false],
      ["grace@example.com", `${shop}:editor`, false],
      ["root@example.com", "", true],
    ]);
    expect((await quizstore("disable", "grace@example.com")).status).toBe(0);
    expect((await quizstore("disable", "grace@example.com")).status).toBe(0);
    expect((await ask("/me", { cookie: accepted.cookie })).status).toBe(401);
    const refused = await quizstore("login-link", "grace@example.com");
    expect([refused.status, refused.stdout, refused.stderr.trim().split("\n").length]).toEqual([1, "", 1]);
    expect((await quizstore("enable", "grace@example.com")).status).toBe(0);
    const again = (await quizstore("login-link", "grace@example.com")).json as { url: string };
    expect((await use(again.url)).status).toBe(200);
  });

  it("are not made by what is no address, role or store [command-line.users, command-line.output]", async () => {
    const wrong: [number, string[]][] = [
      [2, ["invite", "no address", "--store", shop, "--role", "editor"]],
      [2, ["invite", "a@b.example", "--store", shop, "--role", "king"]],
      [2, ["invite", "a@b.example", "--store", shop]],
      [2, ["invite", "a@b.example"]],
      [2, ["invite", "a@b.example", "--operator", "--role", "owner"]],
      [1, ["invite", "a@b.example", "--store", "nowhere.example", "--role", "owner"]],
      [1, ["invite", "grace@example.com", "--store", shop, "--role", "owner"]],
      [1, ["login-link", "nobody@example.com"]],
      [1, ["disable", "nobody@example.com"]],
    ];
    for (const [status, args] of wrong) {
      const outcome = await quizstore(...args);
      expect([outcome.status, outcome.stdout], args.join(" ")).toEqual([status, ""]);
      expect(outcome.stderr.trim().split("\n")).toHaveLength(1);
    }
  }, 120_000);
});
