import { beforeAll, describe, expect, it } from "vitest";
import { loadStatementRules, type StatementRules } from "./statement-rules.ts";

const tables = {
  tenant: new Set(["sessions"]),
  reference: new Set(["stores", "key_hashes"]),
  onEveryNode: new Set(["stores"]),
};
let violations: StatementRules;
beforeAll(async () => {
  violations = await loadStatementRules();
});

describe("where a cluster has a statement's tables [operations.node-writes]", () => {
  it.each([
    ["an update of what every node has", "UPDATE stores SET name = $2 WHERE id = $1"],
    [
      "a lock of what only the coordinator has",
      "SELECT 1 FROM key_hashes k JOIN stores s ON s.id = k.store_id WHERE k.hash = $1 FOR SHARE OF k",
    ],
    ["a store's rows beside what every node has", "SELECT 1 FROM sessions, stores s WHERE store_id = $1 AND s.id = $1"],
  ])("lets pass %s", (_, sql) => expect(violations(sql, tables)).toEqual([]));

  it.each([
    ["a lock of what every node has", "SELECT 1 FROM stores WHERE id = $1 FOR SHARE", "stores: every node has it"],
    [
      "a lock of everything that is joined",
      "SELECT 1 FROM key_hashes k JOIN stores s ON s.id = k.store_id WHERE k.hash = $1 FOR UPDATE",
      "stores: every node has it",
    ],
    [
      "a lock inside",
      "SELECT 1 FROM (SELECT id FROM stores s WHERE id = $1 FOR KEY SHARE OF s) s",
      "stores: every node has it",
    ],
    [
      "the coordinator's table beside a store's",
      "SELECT (SELECT 1 FROM key_hashes WHERE hash = $2) FROM sessions WHERE store_id = $1",
      "key_hashes: only the coordinator has it",
    ],
    [
      "the coordinator's table, written from a store's",
      "UPDATE key_hashes SET hash = $2 WHERE EXISTS (SELECT 1 FROM sessions WHERE store_id = $1)",
      "key_hashes: only the coordinator has it",
    ],
  ])("refuses %s", (_, sql, message) => {
    expect(violations(sql, tables)).toEqual([expect.stringContaining(message)]);
  });
});
