import { randomBytes } from "node:crypto";
import { readdirSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  ColumnarCopies,
  type ColumnarCopiesDeps,
  type CopyQuery,
  type CopyReader,
} from "../../server/columnar-copy/public.ts";
import type { Statement } from "../../server/platform/database/sql.ts";
import type { Deadline } from "../../server/platform/deadline.ts";
import { MemoryLimiter } from "../../server/platform/limiter/memory.ts";
import { type BucketCharge, type Charge, LimiterUnavailable } from "../../server/platform/limiter/types.ts";

/** Parts of a process that can be made to fail. */

/** A limiter that can be made unavailable, like Redis. */
export class SimulatedLimiter extends MemoryLimiter {
  failing = false;

  override async admit(charge: Charge) {
    this.#reach();
    return super.admit(charge);
  }

  override async book(charge: Charge) {
    this.#reach();
    return super.book(charge);
  }

  override async chargeBucket(charge: BucketCharge) {
    this.#reach();
    return super.chargeBucket(charge);
  }

  #reach(): void {
    if (this.failing) throw new LimiterUnavailable(new Error("out of reach"));
  }
}

export type Damage = "none" | "deleted" | "cut" | "overwritten";

/** Columnar copies that can be closed and reopened, with their files damaged in between. */
export class SimulatedCopies implements CopyReader {
  readonly #directory: string;
  readonly #options: Omit<ColumnarCopiesDeps, "directory" | "random">;
  #copies: Promise<ColumnarCopies> | null = null;
  #working = 0;

  constructor(directory: string, options: Omit<ColumnarCopiesDeps, "directory" | "random">) {
    this.#directory = directory;
    this.#options = options;
  }

  /** Whether DuckDB is working, or may be. */
  get busy(): boolean {
    return this.#working > 0;
  }

  ask<Row>(storeId: string, question: Statement<Row>, deadline?: Deadline) {
    return this.#work(async (copies) => copies.ask(storeId, question, deadline));
  }

  read<Result>(storeId: string, work: (query: CopyQuery) => Promise<Result>, deadline?: Deadline) {
    return this.#work(async (copies) => copies.read(storeId, work, deadline));
  }

  async #work<Result>(work: (copies: ColumnarCopies) => Promise<Result>): Promise<Result> {
    this.#working += 1;
    try {
      return await work(await this.#open());
    } finally {
      this.#working -= 1;
    }
  }

  async upkeep(): Promise<void> {
    if (this.#copies) await (await this.#copies).upkeep();
  }

  async restart(damage: Damage): Promise<void> {
    await this.close();
    for (const file of this.#files()) hurt(file, damage);
  }

  async close(): Promise<void> {
    const copies = await this.#copies;
    this.#copies = null;
    await copies?.close();
  }

  #files(): string[] {
    const folder = join(this.#directory, "1");
    try {
      return readdirSync(folder)
        .filter((name) => /^[0-9a-f-]{36}\.duckdb$/.test(name))
        .map((name) => join(folder, name));
    } catch {
      return [];
    }
  }

  #open(): Promise<ColumnarCopies> {
    // the name of a copy's folder does not affect its answers
    this.#copies ??= ColumnarCopies.open({
      ...this.#options,
      directory: this.#directory,
      random: randomBytes,
      threads: 1,
    });
    return this.#copies;
  }
}

function hurt(file: string, damage: Damage): void {
  const { size } = statSync(file);
  if (damage === "deleted") rmSync(file);
  else if (damage === "cut") truncateSync(file, Math.floor(size / 2));
  else if (damage === "overwritten") writeFileSync(file, Buffer.alloc(size, 7));
}
