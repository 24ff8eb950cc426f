import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { browserOf, invitedBy, linkFor, signedIn, tokenOf } from "../../testkit/accounts.ts";
import { openTestApp, type TestApp } from "../../testkit/app.ts";

let t: TestApp;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());

const hour = 60 * 60 * 1_000;

describe("one-time links", () => {
  it("sign in by a click, and are not used up by looking at them [accounts.links, accounts.link-once]", async () => {
    const store = await t.store();
    const token = await invitedBy(t, "Ada@Example.com ", { store, role: "owner" });
    const browser = browserOf(t);
    for (let look = 0; look < 3; look += 1) {
      const info = await browser.request("GET", `/links/${token}`);
      expect(info.status).toBe(200);
      expect(info.body).toMatchObject({
        kind: "invitation",
        email: "ada@example.com",
        role: "owner",
        store: { id: store.id },
        needs: "nothing",
        new_account: true,
      });
    }
    const used = await browser.request("POST", "/links/use", { body: { token, name: "Ada" } });
    expect(used.status).toBe(200);
    expect(used.body.stores).toMatchObject([{ id: store.id, role: "owner", currency: "USD", timezone: "UTC" }]);
    const me = await browser.request("GET", "/me");
    expect(me.body).toEqual(used.body);
    const again = await browserOf(t).request("POST", "/links/use", { body: { token } });
    expect([again.status, again.body.title]).toEqual([410, "link_gone"]);
    expect((await browser.request("GET", `/links/${token}`)).status).toBe(410);
  });

  it("of two uses at once take one [accounts.link-once]", async () => {
    await signedIn(t, "twice@example.com");
    const token = await linkFor(t, "twice@example.com");
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => browserOf(t).request("POST", "/links/use", { body: { token } })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 410, 410, 410, 410]);
  });

  it("expire, and are replaced by newer ones [accounts.links]", async () => {
    await signedIn(t, "late@example.com");
    const first = await linkFor(t, "late@example.com");
    const second = await linkFor(t, "late@example.com");
    const use = (token: string) => browserOf(t).request("POST", "/links/use", { body: { token } });
    expect((await use(first)).status).toBe(410);
    t.calendar.advance(24 * hour);
    expect((await use(second)).status).toBe(410);
    expect((await use("x".repeat(43))).status).toBe(404);
    expect((await use("short")).status).toBe(404);
  });

  it("are kept as a hash alone [accounts.links]", async () => {
    await signedIn(t, "hash@example.com");
    const token = await linkFor(t, "hash@example.com");
    const row = await t.database.reader().first({
      sql: "SELECT count(*) AS found FROM user_links l WHERE l::text LIKE '%' || $1 || '%' OR encode(token_hash, 'escape') LIKE '%' || $1 || '%'",
      parameters: [token],
    });
    expect(row).toEqual({ found: 0 });
    expect(t.logged.join("\n")).not.toContain(token);
  });

  it("of an invitation sign nobody into an account that is there [accounts.invitation-no-key]", async () => {
    const [one, two] = [await t.store(), await t.store()];
    const victim = await signedIn(t, "victim@example.com", { store: one, role: "owner" });
    const thief = await signedIn(t, "thief@example.com", { store: two, role: "owner" });
    const made = await thief.request("POST", "/invitations", {
      store: two,
      body: { email: "victim@example.com", role: "analyst" },
    });
    expect(made.status).toBe(201);
    const token = tokenOf(made.body.url);
    const stranger = browserOf(t);
    expect((await stranger.request("GET", `/links/${token}`)).body.needs).toBe("sign_in");
    expect((await stranger.request("POST", "/links/use", { body: { token } })).status).toBe(401);
    expect((await thief.request("POST", "/links/use", { body: { token } })).status).toBe(401);
    expect((await victim.request("GET", `/links/${token}`)).body.needs).toBe("nothing");
    const accepted = await victim.request("POST", "/links/use", { body: { token } });
    expect(accepted.status).toBe(200);
    const roles = accepted.body.stores.map(({ id, role }: { id: string; role: string }) => [id, role]);
    expect(roles.sort()).toEqual(
      [
        [one.id, "owner"],
        [two.id, "analyst"],
      ].sort(),
    );
  });

  it("of two invitations that make the same account at once, one does [accounts.invitation-no-key]", async () => {
    const [one, two] = [await t.store(), await t.store()];
    const tokens: string[] = [];
    for (const [number, store] of [one, two].entries()) {
      const owner = await signedIn(t, `host${number}@example.com`, { store, role: "owner" });
      const made = await owner.request("POST", "/invitations", {
        store,
        body: { email: "same@example.com", role: "editor" },
      });
      tokens.push(tokenOf(made.body.url));
    }
    const answers = await Promise.all(
      tokens.map((token, number) =>
        browserOf(t).request("POST", "/links/use", { body: { token, password: `the words of number ${number}` } }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
    const taken = answers.findIndex(({ status }) => status === 200);
    const body = { email: "same@example.com", password: `the words of number ${taken}` };
    expect((await browserOf(t).request("POST", "/sign-in", { body })).status).toBe(200);
    // the other stays open for whoever signs in as that person
    expect((await browserOf(t).request("GET", `/links/${tokens[1 - taken]}`)).body.needs).toBe("sign_in");
  });

  it("of the command line take an account away from whoever made it for another's address [accounts.email-proven]", async () => {
    const [theirs, other] = [await t.store(), await t.store()];
    const thief = await signedIn(t, "boss@squat.example", { store: theirs, role: "owner" });
    const squat = async (email: string) => {
      const made = await thief.request("POST", "/invitations", { store: theirs, body: { email, role: "analyst" } });
      const squatter = browserOf(t);
      const body = { token: tokenOf(made.body.url), password: "the squatter's own" };
      expect((await squatter.request("POST", "/links/use", { body })).status).toBe(200);
      return squatter;
    };
    const links = {
      "invited@squat.example": (email: string) => invitedBy(t, email, { store: other, role: "owner" }),
      "operator@squat.example": (email: string) => invitedBy(t, email, { operator: true }),
      "link@squat.example": (email: string) => linkFor(t, email),
    };
    for (const [email, makeLink] of Object.entries(links)) {
      const squatter = await squat(email);
      const token = await makeLink(email);
      const used = await browserOf(t).request("POST", "/links/use", { body: { token } });
      expect([email, used.status, used.body.person.has_password]).toEqual([email, 200, false]);
      expect((await squatter.request("GET", "/me")).status).toBe(401);
      const body = { email, password: "the squatter's own" };
      expect((await squatter.request("POST", "/sign-in", { body })).status).toBe(401);
    }
  });

  it("of the command line leave everything to whoever is signed in to the account [accounts.email-proven]", async () => {
    const store = await t.store();
    const owner = await signedIn(t, "boss@kept.example", { store, role: "owner" });
    const email = "member@kept.example";
    const made = await owner.request("POST", "/invitations", { store, body: { email, role: "analyst" } });
    const member = browserOf(t);
    const password = "the member's own";
    await member.request("POST", "/links/use", { body: { token: tokenOf(made.body.url), password } });
    const elsewhere = browserOf(t);
    expect((await elsewhere.request("POST", "/sign-in", { body: { email, password } })).status).toBe(200);
    const token = await invitedBy(t, email, { store: await t.store(), role: "editor" });
    const used = await member.request("POST", "/links/use", { body: { token } });
    expect([used.status, used.body.person.has_password, used.body.stores]).toMatchObject([200, true, [{}, {}]]);
    expect((await elsewhere.request("GET", "/me")).status).toBe(200);
    // from now on the address is known to be theirs
    expect(
      (await browserOf(t).request("POST", "/links/use", { body: { token: await linkFor(t, email) } })).body,
    ).toMatchObject({ person: { has_password: true } });
  });

  it("are looked at and used by somebody whose rights have changed, who stays signed in [accounts.new-token]", async () => {
    const store = await t.store();
    const owner = await signedIn(t, "raises@example.com", { store, role: "owner" });
    const member = await signedIn(t, "raised@example.com", { store, role: "analyst" });
    const { id } = (await member.request("GET", "/me")).body.person;
    await owner.request("PATCH", `/members/${id}`, { store, body: { role: "editor" } });
    const token = await invitedBy(t, "another@example.com", { store, role: "editor" });
    expect((await member.request("GET", `/links/${token}`)).status).toBe(200);
    expect((await member.request("POST", "/links/use", { body: { token: "x".repeat(43) } })).status).toBe(404);
    t.calendar.advance(60_000);
    expect((await member.request("GET", "/me")).status).toBe(200);
  });
});
