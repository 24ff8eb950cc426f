import { createHmac } from "node:crypto";
import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { maxBytes, readSigned } from "./signed-body.ts";

const secret = "a shop's";
const chunks = ["{", '"id": ', "1}"].map((text) => Buffer.from(text));
const signature = createHmac("sha256", secret).update(Buffer.concat(chunks)).digest("base64");
const sent = { secret, signature, announced: null };

describe("a message that is hashed as it arrives", () => {
  it("is joined if the secret signed it [orders.signature]", async () => {
    expect(String(await readSigned(Readable.from(chunks), sent))).toBe('{"id": 1}');
    await expect(readSigned(Readable.from(chunks), { ...sent, secret: "another" })).rejects.toMatchObject({
      title: "invalid_api_key",
    });
    await expect(readSigned(Readable.from(chunks.slice(1)), sent)).rejects.toMatchObject({ title: "invalid_api_key" });
  });

  it("is refused when it is too long, announced or not, and its connection is left for the answer [orders.limits]", async () => {
    const long = () => Readable.from([Buffer.alloc(maxBytes), Buffer.alloc(1)]);
    const unread = long();
    await expect(readSigned(unread, { ...sent, announced: maxBytes + 1 })).rejects.toMatchObject({ status: 422 });
    expect(unread.readableDidRead).toBe(false);
    const endless = long();
    await expect(readSigned(endless, sent)).rejects.toMatchObject({ status: 422 });
    expect(endless.destroyed).toBe(false);
  });

  it("is the sender's fault if it ends before its length, not the program's [orders.limits]", async () => {
    const cut = new Readable({
      read() {
        this.destroy(new Error("aborted"));
      },
    });
    await expect(readSigned(cut, sent)).rejects.toMatchObject({ title: "validation_error" });
    await expect(readSigned(Readable.from(chunks), { ...sent, announced: 10 })).rejects.toMatchObject({ status: 422 });
  });
});
