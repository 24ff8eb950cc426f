import { type Static, type TSchema, Type } from "typebox";

/** Shapes that every slice of the contract uses (section 2.1). */

/** An object that refuses fields it does not declare (A4). */
export const strict = { additionalProperties: false } as const;

export const nullable = <T extends TSchema>(shape: T) => Type.Union([shape, Type.Null()]);

/** RFC 3339 in UTC with milliseconds, as answered (A5). */
export const dateTime = (description?: string) =>
  Type.String({ format: "date-time", ...(description ? { description } : {}) });

export const date = (description?: string) => Type.String({ format: "date", ...(description ? { description } : {}) });

export type IdPrefix = "quiz" | "ver" | "sess" | "prof" | "exp" | "whe" | "whd" | "evt" | "vis" | "key" | "store" | "req";

/** `prefix_` and 32 lowercase hexadecimal characters (2.1). */
export const id = (prefix: IdPrefix, description?: string) =>
  Type.String({ pattern: `^${prefix}_[0-9a-f]{32}$`, ...(description ? { description } : {}) });

export const money = Type.Object(
  {
    amount: Type.String({ pattern: "^-?[0-9]+(\\.[0-9]+)?$", description: "Decimal string with the currency's own digits" }),
    currency: Type.String({ pattern: "^[A-Z]{3}$" }),
  },
  { $id: "Money", description: "An exact amount in one currency" },
);
export type Money = Static<typeof money>;

export const count = (description?: string) => Type.Integer({ minimum: 0, ...(description ? { description } : {}) });

/** The answer of a cursor list (8.3). */
export const page = <T extends TSchema>(item: T) =>
  Type.Object({
    data: Type.Array(item),
    has_more: Type.Boolean(),
    next_cursor: nullable(Type.String({ maxLength: 200 })),
  });

/** Query parameters of a cursor list (8.3). */
export const pageQuery = {
  cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: "`next_cursor` of the page before" })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
};
