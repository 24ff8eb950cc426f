import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutPage, readCursor, writeCursor } from "./cursors.ts";
import { openSecrets } from "./secrets.ts";

const secrets = openSecrets("a secret key for tests, long enough", randomBytes);
const binding = { storeId: "11111111-1111-7111-8111-111111111111", route: "listQuizzes", filters: { status: "draft" } };
const place = { at: 1_767_225_600_123, id: "0198c0de-0000-7000-8000-00000000beef" };
const refused = { title: "validation_error", extra: { errors: [{ field: "query.cursor" }] } };

describe("cursors [api.cursors]", () => {
  it("bring any place back, in at most 200 characters that need no escape in an address", () => {
    fc.assert(
      fc.property(fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 }), fc.uuid(), (at, id) => {
        const text = writeCursor(secrets, binding, { at, id });
        expect(text).toMatch(/^[A-Za-z0-9_-]{1,200}$/);
        expect(readCursor(secrets, binding, text)).toEqual({ at, id });
      }),
    );
  });

  it("bring back when paging began, where its list says so, also as earlier releases said it [api.paging]", () => {
    const bounds = fc.nat({ max: 2 ** 52 - 1 });
    fc.assert(
      fc.property(fc.oneof(fc.record({ asOf: bounds }), fc.record({ upTo: bounds })), (bound) => {
        const text = writeCursor(secrets, binding, { ...place, ...bound });
        expect(text.length).toBeLessThanOrEqual(200);
        expect(readCursor(secrets, binding, text)).toEqual({ ...place, ...bound });
        const shortened = Buffer.from(text, "base64url");
        const without = Buffer.concat([shortened.subarray(0, 24), shortened.subarray(32)]).toString("base64url");
        expect(() => readCursor(secrets, binding, without)).toThrow(
          expect.objectContaining({ title: "validation_error" }),
        );
      }),
    );
  });

  it("are refused however they were tampered with", () => {
    const good = writeCursor(secrets, binding, place);
    const edit = fc.oneof(
      fc
        .record({ at: fc.nat(good.length - 1), to: fc.constantFrom(..."ABCxyz019-_+/= \u00e9") })
        .map(({ at, to }) => good.slice(0, at) + to + good.slice(at + 1)),
      fc.nat(good.length - 1).map((at) => good.slice(0, at)),
      fc.string({ minLength: 1, maxLength: 4 }).map((more) => good + more),
      fc.string({ minLength: 1, maxLength: 4 }).map((more) => more + good),
      fc.string({ maxLength: 200 }),
      fc.base64String({ minLength: 52, maxLength: 60 }),
    );
    fc.assert(
      fc.property(edit, (text) => {
        fc.pre(text !== good);
        expect(() => readCursor(secrets, binding, text)).toThrow(
          expect.objectContaining({ title: "validation_error" }),
        );
      }),
      { numRuns: 2_000 },
    );
    // 53 and a third characters: the last one has bits that decode to nothing
    const last = good.at(-1) ?? "";
    for (const other of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".replace(last, "")) {
      expect(() => readCursor(secrets, binding, good.slice(0, -1) + other)).toThrow();
    }
  });

  it("are refused by another store, another route, other filters and another key", () => {
    const text = writeCursor(secrets, binding, place);
    const others = [
      { ...binding, storeId: "22222222-2222-7222-8222-222222222222" },
      { ...binding, route: "listVersions" },
      { ...binding, filters: { status: "published" } },
      { ...binding, filters: {} },
      { ...binding, filters: null },
    ];
    for (const other of others)
      expect(() => readCursor(secrets, other, text)).toThrow(expect.objectContaining(refusedTitle));
    const elsewhere = openSecrets("another secret key, also long enough", randomBytes);
    expect(() => readCursor(elsewhere, binding, text)).toThrow(expect.objectContaining(refusedTitle));
    try {
      readCursor(secrets, binding, "");
    } catch (error) {
      expect(error).toMatchObject(refused);
    }
  });

  it("are written exactly when a page follows, for the last row that is shown", () => {
    const rows = [3, 2, 1].map((at) => ({ at, id: place.id }));
    const cut = (limit: number) => cutPage(rows, limit, secrets, binding, (row) => row);
    expect(cut(3)).toEqual({ rows, has_more: false, next_cursor: null });
    const page = cut(2);
    expect([page.rows, page.has_more]).toEqual([rows.slice(0, 2), true]);
    expect(readCursor(secrets, binding, page.next_cursor ?? "")).toEqual(rows[1]);
    expect(cutPage([], 2, secrets, binding, (row: never) => row)).toEqual({
      rows: [],
      has_more: false,
      next_cursor: null,
    });
  });
});

const refusedTitle = { title: "validation_error" };
