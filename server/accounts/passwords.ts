import { scrypt, timingSafeEqual } from "node:crypto";
import { availableParallelism } from "node:os";
import { MemoryConcurrencyLimiter } from "../platform/concurrency/memory.ts";
import { type Deadline, noDeadline } from "../platform/deadline.ts";
import type { RandomBytes } from "../platform/ids.ts";
import { retryLater } from "../platform/problems.ts";

/**
 * Passwords [accounts.password]: scrypt as OWASP asks for it, 32 MiB and a tenth of a second each. Its cost stands with
 * the hash, so that a later release can raise it.
 */
export const passwordCost = { N: 2 ** 15, r: 8, p: 3 };
export type PasswordCost = typeof passwordCost;
const saltBytes = 16;
const hashBytes = 32;
/** each takes 32 MiB and a core, of which one is left to everybody else */
const atOnce = Math.max(1, Math.min(4, availableParallelism() - 1));
/** real time; however many guess at once, none waits for longer, and nothing is hashed for whoever gave up */
const longestWaitMs = 10_000;

export class Passwords {
  readonly #random: RandomBytes;
  readonly #cost: PasswordCost;
  readonly #permits = new MemoryConcurrencyLimiter(longestWaitMs);
  /** of nobody: what a guess at an unknown address is held against, for the same work */
  readonly #nobody: string;

  /** @param cost of new ones; tests have many */
  constructor(random: RandomBytes, cost = passwordCost) {
    this.#random = random;
    this.#cost = cost;
    this.#nobody = written(cost, Buffer.from(random(saltBytes)), Buffer.from(random(hashBytes)));
  }

  /** Throws 429 where too many wait. */
  async hash(password: string, deadline: Deadline = noDeadline): Promise<string> {
    const salt = Buffer.from(this.#random(saltBytes));
    return written(this.#cost, salt, await this.#derive(password, salt, this.#cost, deadline));
  }

  /**
   * Throws 429 where too many wait.
   *
   * @param stored null: an unknown address, or somebody without a password; takes as long, and is false
   */
  async matches(password: string, stored: string | null, deadline: Deadline = noDeadline): Promise<boolean> {
    const { salt, hash, ...stated } = read(stored ?? this.#nobody);
    const derived = await this.#derive(password, salt, stated, deadline);
    return timingSafeEqual(derived, hash) && stored !== null;
  }

  async #derive(password: string, salt: Buffer, { N, r, p }: PasswordCost, deadline: Deadline): Promise<Buffer> {
    const permit = await this.#permits.acquire("password", atOnce, deadline);
    if (permit === null) throw retryLater("rate_limited", longestWaitMs / 1_000);
    try {
      // the same letters, however a keyboard composes them
      return await derive(password.normalize("NFKC"), salt, { N, r, p, maxmem: 256 * N * r });
    } finally {
      permit.release();
    }
  }
}

const derive = (password: string, salt: Buffer, options: Parameters<typeof scrypt>[3]): Promise<Buffer> =>
  new Promise((resolve, reject) =>
    scrypt(password, salt, hashBytes, options, (error, key) => (error ? reject(error) : resolve(key))),
  );

const written = ({ N, r, p }: PasswordCost, salt: Buffer, hash: Buffer): string =>
  ["scrypt", N, r, p, salt.toString("base64url"), hash.toString("base64url")].join("$");

function read(text: string): PasswordCost & { salt: Buffer; hash: Buffer } {
  const [kind, N, r, p, salt = "", hash = ""] = text.split("$");
  if (kind !== "scrypt") throw new Error("a password is stored in a form that this program does not know");
  return {
    N: Number(N),
    r: Number(r),
    p: Number(p),
    salt: Buffer.from(salt, "base64url"),
    hash: Buffer.from(hash, "base64url"),
  };
}
