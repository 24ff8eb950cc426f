import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bareHostileStrings } from "../../../testkit/hostile-strings.ts";
import { propertyRuns } from "../../../testkit/property-runs.ts";
import { about, type GivenTable, tableFile } from "../../../testkit/table-files.ts";
import { momentOf, readWorkbook, type SheetCell, unzip } from "../../../testkit/workbook.ts";
import type { Value, ValueType } from "./table.ts";
import { openXlsx } from "./xlsx.ts";

const bookOf = async (...tables: GivenTable[]) => readWorkbook(await tableFile(openXlsx(), tables));

const textsTable = (texts: readonly string[]): GivenTable => ({
  name: "texts",
  columns: [{ name: "text", type: "text" }],
  rows: texts.map((text) => [text]),
});

async function textsThrough(texts: readonly string[]): Promise<SheetCell[]> {
  const [sheet] = await bookOf(textsTable(texts));
  return sheet?.rows.slice(1).map((row) => row[0] ?? null) ?? [];
}

/** The cells of one column, as the file holds them. */
async function cellsThrough(type: ValueType, values: readonly Value[]): Promise<SheetCell[]> {
  const columns = [
    { name: "number", type: "integer" },
    { name: "value", type },
  ] as const;
  const [sheet] = await bookOf({ name: "values", columns, rows: values.map((value, at) => [at, value]) });
  return sheet?.rows.slice(1).map((row) => row[1] ?? null) ?? [];
}

describe("a text in a workbook", () => {
  it("is the cell that was typed, whatever a spreadsheet would make of it [exports.xlsx]", async () => {
    const typed = [
      ...["=1+1", "'=1", "'", "+4915112345678", "01067", "1-2", "1,50", "1e5", "12345678901234567890", "TRUE", "NULL"],
      ...["None", "#N/A", " leading", "trailing ", "a  b", "", " ", "two\nlines", "two\r\nlines", "\r", "\t", "a\tb\n"],
      ...["_x0041_", "_x000D_", "_x005F_x0041_", "__x0041__", "_x004_", "_X0041_", "\ufeffmarked", "\u0085", "]]>"],
      ...["a\u0000b", "\u0001\u001f", "\ud800", "\udc00\ud800", "\ufffe\uffff", "&amp;", '<b>"x"</b>', "👩‍🔬 עברית"],
    ];
    expect(await textsThrough(typed)).toEqual(typed);
    expect(await textsThrough(bareHostileStrings.filter(({ length }) => length < 32_768))).toEqual(
      bareHostileStrings.filter(({ length }) => length < 32_768),
    );
  });

  it("is the same for any text [exports.xlsx]", async () => {
    const unit = fc.oneof(
      fc.constantFrom("_", "x", "0", "4", "D", "\r", "\n", " ", "&", "<", '"', "\u0000", "\ud83d", "\ude00", "\uffff"),
      fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
    );
    const text = fc.oneof(fc.string({ unit }), fc.string({ unit: "grapheme" }));
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 20 }), async (texts) => {
        expect(await textsThrough(texts)).toEqual(texts);
      }),
      { numRuns: propertyRuns(30) },
    );
  });

  it("is cut after 32,767 characters, which its end says [exports.xlsx-limits]", async () => {
    const [whole, cut, paired] = await textsThrough(["x".repeat(32_767), "x".repeat(32_768), "😀".repeat(20_000)]);
    expect(whole).toBe("x".repeat(32_767));
    expect(cut).toBe(`${"x".repeat(32_767 - 24)} [cut: 32768 characters]`);
    expect(paired).toMatch(/^(?:😀)+ \[cut: 40000 characters\]$/u);
    expect(String(paired).length).toBeLessThanOrEqual(32_767);
  });
});

describe("a value in a workbook", () => {
  it("is a number or a boolean as such [exports.xlsx]", async () => {
    const numbers = [0, -1, 0.1, 1 / 3, 1e300, 5e-324, 2 ** 53 - 1, null, -0];
    expect(await cellsThrough("number", numbers)).toEqual(numbers.map((value) => (value === 0 ? 0 : value)));
    expect(await cellsThrough("integer", [-(2 ** 53 - 1), null, 7])).toEqual([-(2 ** 53 - 1), null, 7]);
    expect(await cellsThrough("boolean", [true, false, null])).toEqual([true, false, null]);
  });

  it("is an amount as a number, unless digits would be lost [exports.xlsx]", async () => {
    const amounts = ["-12.50", "0.00", "1234567890123.45", "12345678901234.56", "-0.001", null];
    expect(await cellsThrough("decimal", amounts)).toEqual([
      -12.5,
      0,
      1234567890123.45,
      "12345678901234.56",
      -0.001,
      null,
    ]);
  });

  it("is a day or a moment as such, from 1900-03-01 on [exports.xlsx, exports.xlsx-limits]", async () => {
    const day = { shown: "yyyy-mm-dd" };
    expect(await cellsThrough("date", ["0000-01-01", "1900-02-28", "1900-03-01", "2026-03-04", "9999-12-31"])).toEqual([
      ...[
        "0000-01-01",
        "1900-02-28",
        { serial: 61, ...day },
        { serial: 46_085, ...day },
        { serial: 2_958_465, ...day },
      ],
    ]);
    const minute = { shown: "yyyy-mm-dd hh:mm" };
    expect(await cellsThrough("datetime", ["2026-03-04", "2026-03-04 18:00", "1900-02-28 12:00"])).toEqual([
      ...[{ serial: 46_085, ...day }, { serial: 46_085.75, ...minute }, "1900-02-28 12:00"],
    ]);
  });

  it("is an instant in UTC, to the millisecond [exports.xlsx]", async () => {
    const anyInstant = fc.date({
      min: new Date("1900-03-01"),
      max: new Date("9999-12-31T23:59:59.999Z"),
      noInvalidDate: true,
    });
    await fc.assert(
      fc.asyncProperty(fc.array(anyInstant, { minLength: 1, maxLength: 50 }), async (moments) => {
        const texts = moments.map((moment) => moment.toISOString());
        const cells = await cellsThrough("instant", texts);
        expect(cells.map((cell) => `${momentOf((cell as { serial: number }).serial)}Z`)).toEqual(texts);
      }),
      { numRuns: propertyRuns(30) },
    );
  });
});

const numbersTable = (name: string, rows: number): GivenTable => ({
  name,
  columns: [{ name: `rows of ${name}`, type: "integer" }],
  rows: Array.from({ length: rows }, (_, at) => [at + 1]),
});

describe("a sheet of a workbook", () => {
  it("is full after its rows, and followed by another with the same head [exports.xlsx-limits]", async () => {
    const tables = [numbersTable("a", 7), numbersTable("b", 0), numbersTable("c", 3)];
    const book = readWorkbook(await tableFile(openXlsx(4), tables));
    expect(book).toEqual([
      { name: "a", rows: [["rows of a"], [1], [2], [3]] },
      { name: "a (2)", rows: [["rows of a"], [4], [5], [6]] },
      { name: "a (3)", rows: [["rows of a"], [7]] },
      { name: "b", rows: [["rows of b"]] },
      { name: "c", rows: [["rows of c"], [1], [2], [3]] },
    ]);
  });

  it("has up to 1,048,576 rows [exports.xlsx-limits]", async () => {
    const batch = Array.from({ length: 50 }, (): Value[] => [null]);
    const pieces: Buffer[] = [];
    const writer = openXlsx()({ write: async (bytes) => void pieces.push(Buffer.from(bytes)) }, about);
    await writer.begin({ name: "many", columns: [{ name: "n", type: "integer" }] });
    for (let row = 0; row < 1_048_550; row += 50) await writer.add(batch);
    await writer.add([...batch.slice(0, 25), [1], [2]]);
    await writer.end();
    const [first = "", second = ""] = [1, 2].map((number) =>
      unzip(Buffer.concat(pieces)).get(`xl/worksheets/sheet${number}.xml`)?.slice(-200),
    );
    expect(first).toContain('<row r="1048576"></row></sheetData>');
    expect(second).toContain(
      '<row r="2"><c r="A2"><v>1</v></c></row><row r="3"><c r="A3"><v>2</v></c></row></sheetData>',
    );
  });

  it("has a name that spreadsheets take, for any text [exports.xlsx-limits]", async () => {
    const names = [
      "Skin",
      "skin",
      "",
      " ",
      "'",
      "a/b:c*?[d]\\",
      "History",
      "'quoted'",
      "\ud800",
      "a\nb",
      "x".repeat(40),
      "x".repeat(41),
    ];
    const book = await bookOf(...names.map((name) => numbersTable(name, 0)));
    expect(book.map(({ name }) => name)).toEqual([
      ...["Skin", "skin (2)", "Sheet", "Sheet (2)", "Sheet (3)", "a b c d", "History (2)", "quoted", "\ufffd", "a b"],
      ...["x".repeat(31), `${"x".repeat(27)} (2)`],
    ]);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: "binary" }), { minLength: 1, maxLength: 20 }), async (texts) => {
        const made = (await bookOf(...texts.map((name) => numbersTable(name, 0)))).map(({ name }) => name);
        expect(new Set(made.map((name) => name.toLowerCase())).size).toBe(texts.length);
        for (const name of made) expect(name).toMatch(/^(?!')[^:\\/?*[\]\p{Cc}]+(?<!')$/u);
        for (const name of made) expect(name.length).toBeLessThanOrEqual(31);
      }),
      { numRuns: propertyRuns(50) },
    );
  });

  it("says how many columns it has no room for [exports.xlsx-limits]", async () => {
    const columns = Array.from({ length: 16_386 }, (_, at) => ({ name: `c${at}`, type: "integer" as const }));
    const [sheet] = await bookOf({ name: "wide", columns, rows: [columns.map((_, at) => at)] });
    const [head = [], row = []] = sheet?.rows ?? [];
    expect([head.length, head.at(-2), head.at(-1)]).toEqual([16_384, "c16382", "[cut: 3 columns]"]);
    expect([row.length, row.at(-1)]).toEqual([16_383, 16_382]);
  });
});

/** Whether a number is what it was when it was last asked for. */
function hasStayed(read: () => number): () => boolean {
  let before = Number.NaN;
  return () => {
    const same = read() === before;
    before = read();
    return same;
  };
}

describe("the output of a workbook", () => {
  const wide: Value[] = Array.from({ length: 50 }, (_, at) => `some text ${at} ${Math.sin(at)}`);
  const columns = wide.map((_, at) => ({ name: `c${at}`, type: "text" as const }));

  it("is not run ahead of [exports.xlsx]", async () => {
    const { promise: opened, resolve: open } = Promise.withResolvers<void>();
    const writer = openXlsx()({ write: () => opened }, about);
    await writer.begin({ name: "slow", columns });
    let added = 0;
    const adding = (async () => {
      for (let batch = 0; batch < 60; batch += 1) {
        await writer.add(Array.from({ length: 50 }, () => wide.map((text) => `${text} ${Math.random()}`)));
        added += 1;
      }
      await writer.end();
    })();
    await expect.poll(() => added).toBeGreaterThan(0);
    await expect
      .poll(
        hasStayed(() => added),
        { interval: 200 },
      )
      .toBe(true);
    expect(added).toBeLessThan(40);
    open();
    await adding;
    expect(added).toBe(60);
  });

  it("fails the build when it fails, at any moment [exports.failure]", async () => {
    for (const good of [0, 1, 5]) {
      let writes = 0;
      const writer = openXlsx()(
        {
          write: async () => {
            writes += 1;
            if (writes > good) throw new Error("the disk is full");
          },
        },
        about,
      );
      const written = (async () => {
        await writer.begin({ name: "lost", columns });
        for (let batch = 0; batch < 400; batch += 1)
          await writer.add(Array.from({ length: 50 }, () => wide.map((text) => `${text} ${Math.random()}`)));
        await writer.end();
      })();
      await expect(written).rejects.toThrow("the disk is full");
      await writer.abort();
    }
  });

  it("can be given up at any moment [exports.failure]", async () => {
    const writer = openXlsx()({ write: async () => undefined }, about);
    await writer.abort();
    const begun = openXlsx()({ write: async () => undefined }, about);
    await begun.begin({ name: "given up", columns });
    await begun.add([wide]);
    await begun.abort();
    await expect(begun.add([wide]).then(() => begun.end())).rejects.toThrow();
  });
});
