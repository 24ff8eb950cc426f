import { loadModule } from "libpg-query";
import pg from "pg";
import { inject, vi } from "vitest";
import { statementsOf } from "./sql-tree.ts";
import { tablesIn } from "./statement-placement.ts";

/**
 * The tables that every node of a Citus cluster has, and that programs of this process write or lock while `work` runs:
 * what fails for every store while one node is away [operations.node-writes]. Sorted.
 */
export async function writtenOnEveryNode(work: () => Promise<unknown>): Promise<string[]> {
  await loadModule();
  const query = vi.spyOn(pg.Client.prototype, "query");
  try {
    await work();
    const texts = new Set(query.mock.calls.map(([sent]: readonly unknown[]) => textOf(sent)));
    const trees = [...texts].flatMap((text) => statementsOf(text).map(({ node }) => tablesIn(node)));
    const touched = new Set(trees.flatMap(({ written, locked }) => [...written, ...locked]));
    return [...touched].filter((table) => inject("onEveryNode").includes(table)).sort();
  } finally {
    query.mockRestore();
  }
}

function textOf(sent: unknown): string {
  if (typeof sent === "string") return sent;
  const { text } = sent as { text?: unknown };
  return typeof text === "string" ? text : "";
}
