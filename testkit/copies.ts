import { randomBytes } from "node:crypto";
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

/** Copies as a process opens them, with their files in `directory`. */
export const openCopies = (
  given: Pick<ColumnarCopiesDeps, "directory" | "database" | "calendar" | "log"> & Partial<ColumnarCopiesDeps>,
): Promise<ColumnarCopies> =>
  ColumnarCopies.open({ elapsed: () => performance.now(), random: randomBytes, threads: 1, ...given });

/** Columnar copies in a test's own folder, opened by the first query, because most tests make none. */
export class TestCopies implements CopyReader {
  readonly #options: Omit<ColumnarCopiesDeps, "directory">;
  #opened: Promise<{ copies: ColumnarCopies; directory: string }> | null = null;

  constructor(options: Omit<ColumnarCopiesDeps, "directory">) {
    this.#options = options;
  }

  async ask<Row>(storeId: string, question: Statement<Row>, deadline?: Deadline) {
    return (await this.#open()).copies.ask(storeId, question, deadline);
  }

  async read<Result>(storeId: string, work: (query: CopyQuery) => Promise<Result>, deadline?: Deadline) {
    return (await this.#open()).copies.read(storeId, work, deadline);
  }

  async close(): Promise<void> {
    if (!this.#opened) return;
    const { copies, directory } = await this.#opened;
    await copies.close();
    await rm(directory, { recursive: true, force: true });
  }

  #open(): Promise<{ copies: ColumnarCopies; directory: string }> {
    this.#opened ??= (async () => {
      const directory = await mkdtemp(join(tmpdir(), "facts-app-"));
      return { directory, copies: await openCopies({ ...this.#options, directory }) };
    })();
    return this.#opened;
  }
}
