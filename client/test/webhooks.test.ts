import { randomBytes } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { eventExamples } from "../../contract/events.ts";
import { signatureHeaders } from "../../server/webhooks/send/sign.ts";
import { verifyWebhook, WebhookError, type WebhookHeaders } from "../src/index.ts";

/** Held against what the service signs and against the package of Standard Webhooks. */

const newSecret = (bytes = 32) => `whsec_${randomBytes(bytes).toString("base64")}`;
const [example] = eventExamples;
const body = JSON.stringify(example);

const signed = (secrets: string[], { of = body, age = 0, id = "evt_1" } = {}) => {
  const timestamp = Math.floor(Date.now() / 1000) - age;
  return signatureHeaders({ id, timestamp, body: Buffer.from(of) }, secrets);
};

const refused = (call: Promise<unknown>, reason: WebhookError["reason"]) =>
  expect(call).rejects.toMatchObject({ name: "WebhookError", reason });

describe("verifyWebhook [client.webhooks]", () => {
  it.for(eventExamples.map((event) => [event.type, event] as const))("gives the event: %s", async ([type, event]) => {
    const secret = newSecret();
    const text = JSON.stringify(event);
    const given = await verifyWebhook(signed([secret], { of: text }), text, secret);
    expect(given).toEqual(event);
    // by its type the object is known
    if (given.type === "quiz.finished") expect(given.data.object.points_total).toBe(6);
    expect(given.type).toBe(type);
  });

  it("takes bodies as texts and as bytes, and headers in every form", async () => {
    const secret = newSecret();
    const text = body.replace("Find your routine", "Zoë 🧴");
    const plain: Record<string, string> = { ...signed([secret], { of: text }) };
    const bytes = new TextEncoder().encode(text);
    const forms: WebhookHeaders[] = [
      plain,
      new Headers(plain),
      Object.fromEntries(Object.entries(plain).map(([name, value]) => [name.toUpperCase(), value])),
      Object.fromEntries(Object.entries(plain).map(([name, value]) => [name, [value]])),
    ];
    for (const headers of forms) {
      for (const sent of [text, bytes, Buffer.from(text), bytes.slice().buffer]) {
        await expect(verifyWebhook(headers, sent, secret)).resolves.toEqual(JSON.parse(text));
      }
    }
  });

  it("takes either secret while one is being replaced, on either side [webhooks.signature]", async () => {
    const [old, next] = [newSecret(), newSecret(24)];
    for (const [by, known] of [
      [[old], [next, old]],
      [[next, old], [old]],
      [[next, old], [next]],
      [[next], [next, old]],
    ] as const) {
      await expect(verifyWebhook(signed([...by]), body, known)).resolves.toEqual(example);
    }
  });

  it("agrees with the package of Standard Webhooks", async () => {
    const secret = newSecret();
    const at = new Date();
    const theirs = new Webhook(secret);
    const headers = {
      "webhook-id": "msg_1",
      "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
      "webhook-signature": theirs.sign("msg_1", at, body),
    };
    await expect(verifyWebhook(headers, body, secret)).resolves.toEqual(theirs.verify(body, headers));
    for (const changed of [
      { ...headers, "webhook-id": "msg_2" },
      { ...headers, "webhook-signature": headers["webhook-signature"].replace("v1,", "v2,") },
      { ...headers, "webhook-signature": `v1,!! ${headers["webhook-signature"].slice(0, -4)}` },
    ]) {
      expect(() => theirs.verify(body, changed)).toThrow();
      await refused(verifyWebhook(changed, body, secret), "signature");
    }
  });

  it("refuses other secrets, other bodies and other ids", async () => {
    const secret = newSecret();
    const headers = signed([secret]);
    await refused(verifyWebhook(headers, body, newSecret()), "signature");
    await refused(verifyWebhook(headers, body, []), "signature");
    await refused(verifyWebhook(headers, body.replace("Find", "find"), secret), "signature");
    await refused(verifyWebhook(headers, "", secret), "signature");
    await refused(verifyWebhook({ ...headers, "webhook-id": "evt_2" }, body, secret), "signature");
    for (const signature of ["v1,", "v1", ",", `v1,${"A".repeat(44)}`, " "]) {
      await refused(verifyWebhook({ ...headers, "webhook-signature": signature }, body, secret), "signature");
    }
  });

  it("refuses what is old or from the future, by the tolerance", async () => {
    const secret = newSecret();
    await refused(verifyWebhook(signed([secret], { age: 302 }), body, secret), "time");
    await refused(verifyWebhook(signed([secret], { age: -302 }), body, secret), "time");
    await expect(verifyWebhook(signed([secret], { age: 290 }), body, secret)).resolves.toBeTruthy();
    await refused(verifyWebhook(signed([secret], { age: 20 }), body, secret, { tolerance: 10 }), "time");
    const then = Date.now() - 86_400_000;
    await expect(verifyWebhook(signed([secret], { age: 86_400 }), body, secret, { at: then })).resolves.toBeTruthy();
    for (const timestamp of ["NaN", "1e9", "-1", "0x10", "1".repeat(13)]) {
      await refused(verifyWebhook({ ...signed([secret]), "webhook-timestamp": timestamp }, body, secret), "time");
    }
  });

  it("says which header is missing, and looks at no more signatures than a rotation has use for", async () => {
    const secret = newSecret();
    const headers = signed([secret]);
    for (const name of Object.keys(headers)) {
      const rest = Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name));
      await refused(verifyWebhook(rest, body, secret), "headers");
    }
    const padded = `${"v1,AAAA ".repeat(1_000)}${headers["webhook-signature"]}`;
    await refused(verifyWebhook({ ...headers, "webhook-signature": padded }, body, secret), "signature");
  });

  it("tells what the program that calls it does wrong", async () => {
    const secret = newSecret();
    const parsed = JSON.parse(body) as string;
    await expect(verifyWebhook(signed([secret]), parsed, secret)).rejects.toThrow("as it came");
    // an empty one is what a setting that was forgotten gives
    for (const wrong of ["whsec_ü", "whsec_", ""])
      await expect(verifyWebhook(signed([secret]), body, wrong)).rejects.toThrow("not a webhook secret");
    await refused(verifyWebhook(signed([secret], { of: "no" }), "no", secret), "body");
    expect(new WebhookError("body", "x")).toBeInstanceOf(Error);
  });
});
