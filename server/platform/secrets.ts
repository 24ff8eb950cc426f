import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hkdfSync } from "node:crypto";
import type { RandomBytes } from "./ids.ts";

/**
 * Encrypts secrets (AES-256-GCM) and signs data that leaves and comes back (cursors, links). Each use has a key of its
 * own, derived from SECRET_KEY (HKDF, RFC 5869), so that a signature is valid for one use only.
 */
export interface Secrets {
  /**
   * `purpose` is authenticated with the text: a value copied into another column does not decrypt [operations.secrets].
   */
  encrypt(text: string, purpose: string): Buffer;
  decrypt(sealed: Buffer, purpose: string): string;
  /** 32 bytes of HMAC-SHA256 */
  sign(purpose: string, ...parts: (string | Buffer)[]): Buffer;
}

const format = 1;

export function openSecrets(secretKey: string, random: RandomBytes): Secrets {
  const derive = (use: string) => Buffer.from(hkdfSync("sha256", secretKey, "quizstore", use, 32));
  const encryptionKey = derive("encrypt");
  // a key object, because raw bytes would be prepared for every signature, which costs more than signing
  const signingKey = createSecretKey(derive("sign"));
  return {
    encrypt(text, purpose) {
      const nonce = Buffer.from(random(12));
      const cipher = createCipheriv("aes-256-gcm", encryptionKey, nonce).setAAD(Buffer.from(purpose));
      const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([Buffer.from([format]), nonce, cipher.getAuthTag(), body]);
    },
    decrypt(sealed, purpose) {
      if (sealed[0] !== format) throw new Error("a secret has a format that this program does not know");
      const decipher = createDecipheriv("aes-256-gcm", encryptionKey, sealed.subarray(1, 13), { authTagLength: 16 });
      decipher.setAAD(Buffer.from(purpose)).setAuthTag(sealed.subarray(13, 29));
      return Buffer.concat([decipher.update(sealed.subarray(29)), decipher.final()]).toString("utf8");
    },
    sign: (purpose, ...parts) =>
      createHmac("sha256", signingKey)
        .update(framed([purpose, ...parts]))
        .digest(),
  };
}

/**
 * Each part is preceded by its length, so that different lists of parts never give the same bytes. Uses a single
 * buffer.
 */
function framed(parts: readonly (string | Buffer)[]): Buffer {
  const lengths = parts.map((part) => (typeof part === "string" ? Buffer.byteLength(part) : part.length));
  const bytes = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + 4 + length, 0));
  let at = 0;
  for (const [index, part] of parts.entries()) {
    at = bytes.writeUInt32BE(lengths[index] ?? 0, at);
    at += typeof part === "string" ? bytes.write(part, at) : part.copy(bytes, at);
  }
  return bytes;
}
