import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  Facts,
  type FactsOptions,
  type FactsQuery,
  type FactsQuestion,
  type FactsReader,
} from "../server/facts/public.ts";
import type { Deadline } from "../server/platform/deadline.ts";

/** Columnar copies in a folder of a test's own, opened by the first question: most tests ask none. */
export class TestFacts implements FactsReader {
  readonly #options: Omit<FactsOptions, "directory">;
  #opened: Promise<{ facts: Facts; directory: string }> | null = null;

  constructor(options: Omit<FactsOptions, "directory">) {
    this.#options = options;
  }

  async ask<Row>(storeId: string, question: FactsQuestion, deadline?: Deadline) {
    return (await this.#open()).facts.ask<Row>(storeId, question, deadline);
  }

  async read<Result>(storeId: string, work: (query: FactsQuery) => Promise<Result>, deadline?: Deadline) {
    return (await this.#open()).facts.read(storeId, work, deadline);
  }

  async close(): Promise<void> {
    if (!this.#opened) return;
    const { facts, directory } = await this.#opened;
    await facts.close();
    await rm(directory, { recursive: true, force: true });
  }

  #open(): Promise<{ facts: Facts; directory: string }> {
    this.#opened ??= (async () => {
      const directory = await mkdtemp(join(tmpdir(), "facts-app-"));
      return { directory, facts: await Facts.open({ ...this.#options, directory, threads: 1 }) };
    })();
    return this.#opened;
  }
}
