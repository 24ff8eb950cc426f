import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { createEndpoint, rowOf } from "../../testkit/endpoints.ts";
import { openSecrets } from "../platform/secrets.ts";
import { newSecret, overlapMs, sealSecret, validSecrets } from "./secrets.ts";

let t: TestApp;
let store: TestStore;
let id: string;
let secret: string;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());
beforeEach(async () => {
  store = await t.store();
  ({ id, secret } = await createEndpoint(t, store));
});

const post = (path: string, headers: Record<string, string> = {}) =>
  t.request("POST", `/v1/webhooks/${id}/${path}`, { key: store.key, headers });
const signing = async () =>
  // the row as the database gives it, which has no type
  validSecrets(t.foundations.secrets, store.uuid, (await rowOf(t, store, id)) as never, t.calendar.now());

describe("the signing secret", () => {
  it("is shown at creation and by reveal, as often as it is asked for [webhooks.secret]", async () => {
    for (let n = 0; n < 2; n += 1) {
      const answer = await post("reveal-secret");
      expect([answer.status, answer.body]).toEqual([200, { secret }]);
    }
    expect(Buffer.from(secret.slice(6), "base64")).toHaveLength(32);
    expect(JSON.stringify((await t.request("GET", "/v1/webhooks", { key: store.key })).body)).not.toContain("whsec_");
  });

  it("is rotated on every call, and the previous one signs along for 24 hours [webhooks.rotation]", async () => {
    const expires = new Date(t.calendar.now() + overlapMs).toISOString();
    const one = await post("rotate-secret");
    expect([one.status, one.body]).toEqual([
      200,
      { secret: expect.stringMatching(/^whsec_/), previous_secret_expires_at: expires },
    ]);
    expect(one.body.secret).not.toBe(secret);
    expect(await signing()).toEqual([one.body.secret, secret]);
    expect((await post("reveal-secret")).body).toEqual({ secret: one.body.secret });
    const path = `/v1/webhooks/${id}`;
    const shown = async () => (await t.request("GET", path, { key: store.key })).body.previous_secret_expires_at;
    expect(await shown()).toBe(expires);
    t.calendar.advance(1_000);
    const two = await post("rotate-secret");
    expect(await signing()).toEqual([two.body.secret, one.body.secret]);
    t.calendar.advance(overlapMs - 1);
    expect(await signing()).toHaveLength(2);
    t.calendar.advance(1);
    expect(await signing()).toEqual([two.body.secret]);
    expect(await shown()).toBeNull();
  });

  it("is rotated once where a call is repeated with its key [webhooks.rotation, api.idempotency]", async () => {
    const headers = { "idempotency-key": "rotate" };
    const first = await post("rotate-secret", headers);
    const again = await post("rotate-secret", headers);
    expect([again.status, again.text, again.headers["idempotent-replayed"]]).toEqual([200, first.text, "true"]);
    expect((await post("reveal-secret")).body.secret).toBe(first.body.secret);
  });

  it("lies encrypted, for its own row alone [webhooks.secret]", () => {
    const secrets = openSecrets("a secret key for tests, long enough", randomBytes);
    const text = newSecret(randomBytes);
    const row = { id: "e", previous_secret: null, previous_secret_expires_at: null };
    const sealed = sealSecret(secrets, "s", "e", text);
    expect(sealed.includes(text)).toBe(false);
    expect(validSecrets(secrets, "s", { ...row, secret: sealed }, 0)).toEqual([text]);
    for (const [storeId, other] of [
      ["s", "f"],
      ["r", "e"],
    ] as const) {
      expect(() => validSecrets(secrets, storeId, { ...row, id: other, secret: sealed }, 0)).toThrow();
    }
  });
});
