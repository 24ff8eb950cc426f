import { scrypt, timingSafeEqual } from "node:crypto";
import { availableParallelism } from "node:os";
import { type Deadline, noDeadline } from "../platform/deadline.ts";
import type { RandomBytes } from "../platform/ids.ts";
import { type HashTurn, HashTurns } from "./hash-turns.ts";

/**
 * Passwords [accounts.password]: scrypt with the parameters that OWASP recommends, 32 MiB and a fifth of a second each.
 * The cost is stored with the hash, so that a later release can raise it.
 */
export const passwordCost = { N: 2 ** 15, r: 8, p: 3 };
export type PasswordCost = typeof passwordCost;
const saltBytes = 16;
const hashBytes = 32;
/**
 * Each hash takes 32 MiB, a core, and one of the threads that read files: most of each stay free for everything else.
 * The queue holds as many as can be computed within ten seconds.
 */
const atOnce = availableParallelism() < 4 ? 1 : 2;
const turnLimits = { atOnce, waitingAtMost: 50 * atOnce, longestWaitMs: 10_000 };

export class Passwords {
  readonly #random: RandomBytes;
  readonly #cost: PasswordCost;
  readonly #turns = new HashTurns(turnLimits);
  /** a hash that belongs to nobody: guesses at unknown addresses are compared with it, for the same work */
  readonly #nobody: string;

  /** @param cost for new hashes; lower in tests, which create many */
  constructor(random: RandomBytes, cost = passwordCost) {
    this.#random = random;
    this.#cost = cost;
    this.#nobody = written(cost, Buffer.from(random(saltBytes)), Buffer.from(random(hashBytes)));
  }

  /** Throws 429 if too many are waiting. */
  async hash(password: string, turn: HashTurn, deadline: Deadline = noDeadline): Promise<string> {
    const salt = Buffer.from(this.#random(saltBytes));
    const derived = await this.#turns.run(turn, () => derive(password, salt, this.#cost), deadline);
    return written(this.#cost, salt, derived);
  }

  /**
   * Throws 429 if too many are waiting.
   *
   * @param stored null: an unknown address, or somebody without a password; takes as long, and returns false
   */
  async matches(
    password: string,
    stored: string | null,
    turn: HashTurn,
    deadline: Deadline = noDeadline,
  ): Promise<boolean> {
    const { salt, hash, ...stated } = read(stored ?? this.#nobody);
    const derived = await this.#turns.run(turn, () => derive(password, salt, stated), deadline);
    return timingSafeEqual(derived, hash) && stored !== null;
  }
}

/** Normalises the password, because keyboards compose the same letters differently. */
const derive = (password: string, salt: Buffer, { N, r, p }: PasswordCost): Promise<Buffer> =>
  new Promise((resolve, reject) =>
    scrypt(password.normalize("NFKC"), salt, hashBytes, { N, r, p, maxmem: 256 * N * r }, (error, key) =>
      error ? reject(error) : resolve(key),
    ),
  );

const written = ({ N, r, p }: PasswordCost, salt: Buffer, hash: Buffer): string =>
  ["scrypt", N, r, p, salt.toString("base64url"), hash.toString("base64url")].join("$");

function read(text: string): PasswordCost & { salt: Buffer; hash: Buffer } {
  const [kind, N, r, p, salt = "", hash = ""] = text.split("$");
  if (kind !== "scrypt") throw new Error("a password has a format that this program does not know");
  return {
    N: Number(N),
    r: Number(r),
    p: Number(p),
    salt: Buffer.from(salt, "base64url"),
    hash: Buffer.from(hash, "base64url"),
  };
}
