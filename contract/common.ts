import { type Static, type TSchema, Type } from "typebox";

/** Shapes that every slice of the contract uses. */

/** An object that refuses fields it does not declare [api.bodies]. */
export const strict = { additionalProperties: false } as const;

/**
 * `T or null`. Written as a list of types rather than as `anyOf`: serialisers and validators then branch on the value's
 * type alone, which keeps them fast and error messages about the one relevant alternative.
 */
export const nullable = <T extends TSchema>(shape: T) => {
  const { type, enum: values, ...rest } = shape as T & { type?: string | string[]; enum?: unknown[] };
  if (typeof type !== "string") return Type.Unsafe<Static<T> | null>({ anyOf: [shape, { type: "null" }] });
  // generators of clients find null in the list of types alone; validators want it among the values as well
  const named = values && { enum: [...values, null] };
  return Type.Unsafe<Static<T> | null>({ ...rest, type: [type, "null"], ...named });
};

export const described = <T extends TSchema>(description: string, shape: T): T => ({ ...shape, description });

export const oneOf = <const T extends readonly string[]>(values: T, description?: string) =>
  Type.Unsafe<T[number]>({ type: "string", enum: [...values], ...(description ? { description } : {}) });

/** RFC 3339 in UTC with milliseconds, the format of answers [time.timestamps]. */
export const dateTime = (description?: string) =>
  Type.String({ format: "date-time", ...(description ? { description } : {}) });

export const date = (description?: string) => Type.String({ format: "date", ...(description ? { description } : {}) });

export type IdPrefix =
  | "quiz"
  | "ver"
  | "sess"
  | "prof"
  | "exp"
  | "whe"
  | "whd"
  | "evt"
  | "vis"
  | "key"
  | "user"
  | "ses"
  | "tok"
  | "inv"
  | "aud"
  | "store"
  | "pub"
  | "run"
  | "appr"
  | "req";

/** `prefix_` and 32 lowercase hexadecimal characters [api.ids]. */
export const id = (prefix: IdPrefix, description?: string) =>
  Type.String({ pattern: `^${prefix}_[0-9a-f]{32}$`, ...(description ? { description } : {}) });

export const money = Type.Object(
  {
    amount: Type.String({ description: "Decimal string with the currency's own number of digits" }),
    currency: Type.String({ description: "ISO 4217 code" }),
  },
  { title: "Money", description: "An exact amount in one currency" },
);
export type Money = Static<typeof money>;

export const count = (description?: string) => Type.Integer({ minimum: 0, ...(description ? { description } : {}) });

/** Addresses by name; which keys are present depends on the resource. */
export const urls = Type.Record(Type.String(), Type.String({ format: "uri" }), { description: "Absolute addresses" });

/** The answer of a cursor list [api.paging]. */
export const page = <T extends TSchema>(item: T) =>
  Type.Object({
    data: Type.Array(item),
    has_more: Type.Boolean({ description: "Whether a page follows" }),
    next_cursor: nullable(Type.String({ maxLength: 200, description: "Send back as `cursor`; null on the last page" })),
  });

/** Query parameters of a cursor list [api.paging, api.cursors]. */
export const pageQuery = {
  cursor: Type.Optional(
    Type.String({
      ...{ minLength: 1, maxLength: 200 },
      description: "`next_cursor` of the page before, unchanged; `first`, as none, is the first page",
    }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20, description: "Rows a page" })),
};
