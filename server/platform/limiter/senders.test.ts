import { expect, it } from "vitest";
import { openSecrets, type Secrets } from "../secrets.ts";
import { SenderGuard } from "./senders.ts";
import type { Limiter } from "./types.ts";

const rule = { capacity: 1, leakPerSecond: 1 };

it("names of senders that keep coming are computed once, however many others come by [storefront.sender-addresses]", () => {
  const secrets = openSecrets("0".repeat(64), (size) => Buffer.alloc(size));
  const signed: string[] = [];
  const guard = new SenderGuard({
    limiter: {} as Limiter,
    secrets: {
      sign: (purpose: string, ...parts: string[]) => {
        signed.push(...parts);
        return secrets.sign(purpose, ...parts);
      },
    } as Secrets,
    kind: "storefront",
    limits: { address: rule, network: rule, store: rule },
  });
  const regular = guard.senderOf("192.0.2.1");
  for (let index = 0; index < 10_500; index += 1) {
    guard.senderOf(`10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`);
    if (index % 5_000 === 0) expect(guard.senderOf("192.0.2.1")).toBe(regular);
  }
  guard.senderOf("192.0.2.1");
  expect(signed.filter((address) => address === "192.0.2.1")).toHaveLength(1);
});
