import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  ColumnarCopies,
  type ColumnarCopiesDeps,
  type CopyQuery,
  type CopyReader,
} from "../server/columnar-copy/public.ts";
import type { Statement } from "../server/platform/database/sql.ts";
import type { Deadline } from "../server/platform/deadline.ts";

/** Columnar copies in a folder of a test's own, opened by the first question: most tests ask none. */
export class TestFacts implements CopyReader {
  readonly #options: Omit<ColumnarCopiesDeps, "directory">;
  #opened: Promise<{ facts: ColumnarCopies; directory: string }> | null = null;

  constructor(options: Omit<ColumnarCopiesDeps, "directory">) {
    this.#options = options;
  }

  async ask<Row>(storeId: string, question: Statement<Row>, deadline?: Deadline) {
    return (await this.#open()).facts.ask(storeId, question, deadline);
  }

  async read<Result>(storeId: string, work: (query: CopyQuery) => Promise<Result>, deadline?: Deadline) {
    return (await this.#open()).facts.read(storeId, work, deadline);
  }

  async close(): Promise<void> {
    if (!this.#opened) return;
    const { facts, directory } = await this.#opened;
    await facts.close();
    await rm(directory, { recursive: true, force: true });
  }

  #open(): Promise<{ facts: ColumnarCopies; directory: string }> {
    this.#opened ??= (async () => {
      const directory = await mkdtemp(join(tmpdir(), "facts-app-"));
      return { directory, facts: await ColumnarCopies.open({ ...this.#options, directory, threads: 1 }) };
    })();
    return this.#opened;
  }
}
