import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openSecrets } from "./secrets.ts";

const secrets = openSecrets("a secret key for tests, long enough", randomBytes);

describe("secrets at rest [operations.secrets]", () => {
  it("come back as they were, and never look the same twice", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string(), (text, purpose) => {
        const sealed = secrets.encrypt(text, purpose);
        expect(secrets.decrypt(sealed, purpose)).toBe(text);
        expect(secrets.encrypt(text, purpose).equals(sealed)).toBe(false);
      }),
    );
  });

  it("are refused when any bit was changed, or any byte is missing", () => {
    const sealed = secrets.encrypt("whsec_canary", "endpoint");
    for (let bit = 0; bit < sealed.length * 8; bit += 1) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      expect(() => secrets.decrypt(changed, "endpoint")).toThrow();
    }
    for (let length = 0; length < sealed.length; length += 1) {
      expect(() => secrets.decrypt(sealed.subarray(0, length), "endpoint")).toThrow();
    }
  });

  it("open for their own purpose and under their own key only", () => {
    const sealed = secrets.encrypt("text", "endpoint:1");
    expect(() => secrets.decrypt(sealed, "endpoint:2")).toThrow();
    expect(() =>
      openSecrets("another secret key, also long enough", randomBytes).decrypt(sealed, "endpoint:1"),
    ).toThrow();
  });

  it("sign lists of parts so that no two lists share a signature", () => {
    const sign = (purpose: string, ...parts: (string | Buffer)[]) => secrets.sign(purpose, ...parts).toString("hex");
    const all = [
      sign("cursor", "ab", "c"),
      sign("cursor", "a", "bc"),
      sign("cursor", "abc"),
      sign("cursor", "abc", ""),
      sign("cursor", "", "abc"),
      sign("link", "ab", "c"),
      sign("cursorab", "c"),
    ];
    expect(new Set(all).size).toBe(all.length);
    expect(sign("cursor", "abc")).toBe(sign("cursor", Buffer.from("abc")));
    expect(all[0]).toHaveLength(64);
  });
});
