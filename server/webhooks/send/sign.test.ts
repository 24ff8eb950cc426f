import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { newSecret } from "../secrets.ts";
import { signatureHeaders, signingKeys } from "./sign.ts";

const unixNow = () => Math.floor(performance.timeOrigin / 1_000 + performance.now() / 1_000);

describe("signatures [webhooks.signature]", () => {
  it("are verified by the Standard Webhooks library, whatever the body", () => {
    const secret = newSecret(randomBytes);
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const body = JSON.stringify({ text });
        const headers = signatureHeaders(
          { id: "evt_1", timestamp: unixNow(), body: Buffer.from(body) },
          signingKeys([secret]),
        );
        expect(new Webhook(secret).verify(body, headers)).toEqual({ text });
      }),
    );
  });

  it("come twice during a rotation, the newest first, and each secret verifies", () => {
    const [newest, previous] = [newSecret(randomBytes), newSecret(randomBytes)];
    const body = '{"id":"evt_1"}';
    const signed = { id: "evt_1", timestamp: unixNow(), body: Buffer.from(body) };
    const headers = signatureHeaders(signed, signingKeys([newest, previous]));
    for (const secret of [newest, previous]) expect(new Webhook(secret).verify(body, headers)).toBeTruthy();
    expect(() => new Webhook(newSecret(randomBytes)).verify(body, headers)).toThrow();
    const [first] = headers["webhook-signature"]?.split(" ") ?? [];
    expect(first).toBe(signatureHeaders(signed, signingKeys([newest]))["webhook-signature"]);
  });
});
