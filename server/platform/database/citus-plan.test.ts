import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OperatorError } from "../operator-error.ts";
import { type Catalog, type ForeignKey, placementsOf, planDistribution, type Table } from "./citus-plan.ts";

const table = (name: string, primaryKey: string[], more: Partial<Table> = {}): Table => ({
  ...{ name, primaryKey, columns: primaryKey, uniques: [], numbered: [], generated: [], triggers: [], placed: null },
  ...more,
});
const tenant = (name: string, more: Partial<Table> = {}): Table => table(name, ["store_id", "id"], more);

const key = (from: string, to: string, more: Partial<ForeignKey> = {}): ForeignKey => ({
  ...{ name: `${from}_${to}`, from, to, columns: ["store_id", "x"], targets: ["store_id", "id"] },
  ...{ onDelete: "a", onUpdate: "a", ...more },
});
const lookUp = (from: string, to: string): ForeignKey => key(from, to, { columns: ["store_id"], targets: ["id"] });

const stores = table("stores", ["id"]);
const keys = table("api_keys", ["id"], { columns: ["id", "store_id"] });

const refusal = (catalog: Catalog): string => {
  try {
    planDistribution(catalog);
  } catch (error) {
    expect(error).toBeInstanceOf(OperatorError);
    return (error as Error).message;
  }
  return "";
};

describe("the plan of a cluster [operations.cluster]", () => {
  it("copies the stores, then distributes what is theirs, what is referred to first, and leaves the rest where it is", () => {
    const catalog = {
      tables: [tenant("versions"), keys, tenant("quizzes"), stores, table("calendar", ["only_row"])],
      foreignKeys: [key("versions", "quizzes"), lookUp("api_keys", "stores")],
    };
    expect(planDistribution(catalog)).toEqual({
      returning: [],
      steps: [
        { table: "stores", placement: "reference", sql: "SELECT create_reference_table('stores')" },
        {
          table: "quizzes",
          placement: "distributed",
          sql: "SELECT create_distributed_table('quizzes', 'store_id', colocate_with => 'none')",
        },
        {
          table: "versions",
          placement: "distributed",
          sql: "SELECT create_distributed_table('versions', 'store_id', colocate_with => 'quizzes')",
        },
      ],
      kept: [],
      local: ["calendar", "api_keys"],
    });
  });

  it("copies whatever a table on another node refers to, itself or through another one", () => {
    const catalog = {
      tables: [tenant("a"), ...["colours", "palettes", "people"].map((name) => table(name, ["id"]))],
      foreignKeys: [
        key("a", "colours", { columns: ["colour"], targets: ["id"] }),
        key("colours", "palettes", { columns: ["palette"], targets: ["id"] }),
        key("people", "palettes", { columns: ["palette"], targets: ["id"] }),
      ],
    };
    expect(Object.fromEntries(placementsOf(catalog))).toEqual({
      ...{ a: "distributed", colours: "reference", palettes: "reference", people: "local" },
    });
  });

  it("brings back copies of the coordinator's tables, and registers a new one that refers to what is placed", () => {
    const reference = { kind: "reference" } as const;
    const catalog = {
      tables: [{ ...stores, placed: reference }, { ...keys, placed: reference }, table("visits", ["id"])],
      foreignKeys: [lookUp("api_keys", "stores"), lookUp("visits", "stores")],
    };
    const { returning, steps, local } = planDistribution(catalog);
    expect(returning.map(({ sql }) => sql)).toEqual(["SELECT undistribute_table('api_keys')"]);
    expect(steps.map(({ sql }) => sql)).toEqual([
      "SELECT citus_add_local_table_to_metadata('visits', cascade_via_foreign_keys => true)",
    ]);
    expect(local).toEqual(["api_keys", "visits"]);
  });

  it("leaves what is placed, and puts what is new beside it", () => {
    const placed = { kind: "distributed", column: "store_id", colocation: 7 } as const;
    const catalog = {
      tables: [
        ...[tenant("a"), tenant("b", { placed }), { ...stores, placed: { kind: "reference" } as const }],
        { ...keys, placed: { kind: "local" } as const },
      ],
      foreignKeys: [lookUp("api_keys", "stores")],
    };
    const { steps, kept } = planDistribution(catalog);
    expect(steps.map(({ sql }) => sql)).toEqual([
      "SELECT create_distributed_table('a', 'store_id', colocate_with => 'b')",
    ]);
    expect(kept).toEqual(["stores", "b"]);
  });

  it.each<[string, Partial<Catalog>, string]>([
    [
      "a key without the store",
      { tables: [tenant("a", { uniques: [{ name: "a_email", columns: ["email"] }] })] },
      "a: a_email is unique without store_id",
    ],
    ["a sequence", { tables: [tenant("a", { numbered: ["no"] })] }, "a: a sequence fills no"],
    ["a trigger", { tables: [tenant("a", { triggers: ["t1"] })] }, "a: has triggers (t1)"],
    ["a computed store", { tables: [tenant("a", { generated: ["store_id"] })] }, "a: store_id is computed"],
    ["an odd name", { tables: [tenant('a"b')] }, "would have to be quoted"],
    [
      "a table that is distributed by something else",
      { tables: [tenant("a", { placed: { kind: "distributed", column: "id", colocation: 1 } })] },
      "a: is distributed by id",
    ],
    [
      "a tenant table on every node",
      { tables: [tenant("a", { placed: { kind: "reference" } })] },
      "a: is a reference table of the cluster, and has to be distributed",
    ],
    [
      "tables that lie apart",
      {
        tables: ["a", "b"].map((name, colocation) =>
          tenant(name, { placed: { kind: "distributed", column: "store_id", colocation } }),
        ),
      },
      "are not colocated: a apart from b",
    ],
    [
      "a reference to a tenant's row from outside",
      { tables: [stores, tenant("a")], foreignKeys: [key("stores", "a", { columns: ["x"], targets: ["id"] })] },
      "only a distributed table may refer to one",
    ],
    [
      "a reference past the store",
      { tables: [tenant("a"), tenant("b")], foreignKeys: [key("a", "b", { columns: ["x", "store_id"] })] },
      "has to pair store_id with store_id",
    ],
    [
      "an action that would clear the store",
      { tables: [tenant("a"), tenant("b")], foreignKeys: [key("a", "b", { onDelete: "n" })] },
      "its action would set store_id",
    ],
    [
      "a circle",
      { tables: [tenant("a"), tenant("b")], foreignKeys: [key("a", "b"), key("b", "a")] },
      "foreign keys lead in a circle: a, b",
    ],
  ])("refuses %s, and says which", (_, { tables = [], foreignKeys = [] }, sentence) => {
    expect(refusal({ tables, foreignKeys })).toContain(sentence);
  });

  it("says everything that is in the way at once", () => {
    const said = refusal({ tables: [tenant("a", { triggers: ["t"], numbered: ["n"] })], foreignKeys: [] });
    expect(said.split("; ")).toHaveLength(2);
  });

  it("never places a table before one that it refers to, and each once, whatever refers to what", () => {
    const names = fc.uniqueArray(fc.constantFrom(..."abcdefgh"), { minLength: 1 });
    const cases = names.chain((order) =>
      fc.record({
        order: fc.constant(order),
        pairs: fc.array(fc.tuple(fc.nat(order.length - 1), fc.nat(order.length - 1))),
        shuffled: fc.shuffledSubarray(order, { minLength: order.length, maxLength: order.length }),
      }),
    );
    fc.assert(
      fc.property(cases, ({ order, pairs, shuffled }) => {
        const at = (index: number): string => order[index] ?? "";
        const foreignKeys = pairs.map(([a, b]) => key(at(Math.max(a, b)), at(Math.min(a, b))));
        const { steps } = planDistribution({ tables: shuffled.map((name) => tenant(name)), foreignKeys });
        const place = new Map(steps.map((step, index) => [step.table, index]));
        expect(place.size).toBe(order.length);
        for (const { from, to } of foreignKeys) {
          if (from !== to) expect(place.get(to) ?? -1).toBeLessThan(place.get(from) ?? -1);
        }
      }),
    );
  });
});
