import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Browser, browserOf, signedIn, tokenOf } from "../../testkit/accounts.ts";
import { type Answered, openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { waitsForLock } from "../../testkit/races.ts";
import type { StoreTransaction } from "../platform/database/sql.ts";
import { parseId } from "../platform/ids.ts";
import { changeRole, holdMembers, removeMember } from "./memberships.ts";

/** Owners who stop being owners, and what they leave behind. */

let t: TestApp;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());
beforeEach(() => t.passTime(3_600_000));

const idOf = async (browser: Browser) => (await browser.request("GET", "/me")).body.person.id as string;
const emails = async (browser: Browser, store: TestStore) =>
  ((await browser.request("GET", "/members", { store })).body.data as { email: string }[]).map(({ email }) => email);

/** Sends a request that waits for the store's members, which somebody else changes first. */
async function waitingWhile(
  store: TestStore,
  send: () => Promise<Answered>,
  change: (tx: StoreTransaction) => Promise<unknown>,
): Promise<Answered> {
  const sent: Promise<Answered>[] = [];
  await t.database.transaction(async (transaction) => {
    const tx = transaction.forStore(store.uuid);
    await holdMembers(tx);
    sent.push(send());
    await waitsForLock(t);
    await change(tx);
  });
  return (await Promise.all(sent))[0] ?? Promise.reject(new Error("nothing was sent"));
}

describe("owners", () => {
  it("may step down or leave beside another one [accounts.members]", async () => {
    const store = await t.store();
    await signedIn(t, "other@leave.example", { store, role: "owner" });
    const owner = await signedIn(t, "own@leave.example", { store, role: "owner" });
    const id = await idOf(owner);
    const change = { store, body: { role: "editor" } };
    expect((await owner.request("PATCH", `/members/${id}`, change)).body.role).toBe("editor");
    expect((await owner.request("PATCH", `/members/${id}`, change)).status).toBe(403);
    const again = await signedIn(t, "more@leave.example", { store, role: "owner" });
    expect((await again.request("DELETE", `/members/${await idOf(again)}`, { store })).status).toBe(204);
    expect((await again.request("GET", "/members", { store })).status).toBe(404);
  });
});

describe("invitations", () => {
  it.each(["removed", "editor", "analyst"] as const)(
    "are not made by an owner who is %s while the request waits for the lock [accounts.invitations, dashboard-api.rights-kept]",
    async (becomes) => {
      const store = await t.store();
      await signedIn(t, `stays.${becomes}@race.example`, { store, role: "owner" });
      const leaving = await signedIn(t, `leaves.${becomes}@race.example`, { store, role: "owner" });
      const userId = parseId("user", await idOf(leaving)) ?? "";
      const body = { email: `back.${becomes}@race.example`, role: "owner" };
      const invite = () => leaving.request("POST", "/invitations", { store, body });
      const { status, body: refused } = await waitingWhile(store, invite, async (tx) => {
        const now = new Date(t.calendar.now());
        await (becomes === "removed" ? removeMember(tx, userId, now) : changeRole(tx, userId, becomes, now));
      });
      const title = becomes === "removed" ? "not_found" : "insufficient_role";
      expect([status, refused.title]).toEqual([becomes === "removed" ? 404 : 403, title]);
      const open = await t.database.reader().all({
        sql: "SELECT id FROM user_links WHERE store_id = $1 AND kind = 'invitation' AND used_at IS NULL AND revoked_at IS NULL",
        parameters: [store.uuid],
      });
      expect(open).toEqual([]);
    },
  );

  it("that an owner left behind earlier, when it was still possible, let nobody in and are not listed [accounts.invitations]", async () => {
    const store = await t.store();
    const stays = await signedIn(t, "stays@behind.example", { store, role: "owner" });
    const leaving = await signedIn(t, "leaves@behind.example", { store, role: "owner" });
    const body = { email: "back@behind.example", role: "owner" };
    const { url, id } = (await leaving.request("POST", "/invitations", { store, body })).body;
    const userId = await idOf(leaving);
    await stays.request("PATCH", `/members/${userId}`, { store, body: { role: "editor" } });
    await t.database.reader().all({
      sql: "UPDATE user_links SET revoked_at = NULL WHERE id = $1",
      parameters: [parseId("inv", id)],
    });
    expect((await stays.request("GET", "/invitations", { store })).body.data).toEqual([]);
    const guest = browserOf(t);
    expect((await guest.request("GET", `/links/${tokenOf(url)}`)).status).toBe(410);
    expect((await guest.request("POST", "/links/use", { body: { token: tokenOf(url) } })).status).toBe(410);
    // nor where the author loses the role while the invitation is being used
    await stays.request("PATCH", `/members/${userId}`, { store, body: { role: "owner" } });
    const use = () => guest.request("POST", "/links/use", { body: { token: tokenOf(url) } });
    const used = await waitingWhile(store, use, (tx) =>
      tx.all({
        sql: "UPDATE memberships SET role = 'editor' WHERE store_id = $1 AND user_id = $2",
        parameters: [store.uuid, parseId("user", userId)],
      }),
    );
    expect(used.status).toBe(410);
    expect((await emails(stays, store)).filter((email) => email.startsWith("back"))).toEqual([]);
  });
});
