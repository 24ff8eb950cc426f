import { findFault, type ScanRules } from "../http/scan.ts";

export interface JsonRules extends ScanRules {
  /** `exact`: a number that is not a small integer is read as its text, because ids exceed 2^53, and money must be exact */
  digits: "exact" | "number";
}

/** Its message says what is wrong with a text, without any of its content. */
export class JsonFault extends Error {}

const utf8 = new TextDecoder("utf-8", { fatal: true });

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown;

const keepDigits: Reviver = (_key, value, { source }) =>
  typeof value === "number" && !Number.isSafeInteger(value) ? (source ?? value) : value;

/** Throws a JsonFault. */
export function readJson(bytes: Uint8Array, rules: JsonRules): unknown {
  const fault = findFault(bytes, rules);
  if (fault !== null) throw new JsonFault(fault);
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch (error) {
    throw new JsonFault("is not valid UTF-8", { cause: error });
  }
  try {
    return rules.digits === "number"
      ? JSON.parse(text)
      : JSON.parse(text, keepDigits as Parameters<typeof JSON.parse>[1]);
  } catch (error) {
    throw new JsonFault("is not valid JSON", { cause: error });
  }
}
