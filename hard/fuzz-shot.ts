import type { FuzzOperation } from "./fuzz-document.ts";

/** One request of the fuzz, and the constraints on its answer, as far as the request determines them. */

export interface FuzzKey {
  name: string;
  /** null: no Authorization header */
  header: string | null;
  good: boolean;
  store: "main" | "tight" | "paused" | "twin";
  scopes: ReadonlySet<string>;
}

export interface FuzzAnswer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** bytes of the body, which need not be text */
  length: number;
  text: string;
  /** null: not JSON */
  body: unknown;
}

export interface Shot {
  /** a description of the alteration, for the figures */
  label: string;
  /** null: not in the document */
  operation: FuzzOperation | null;
  method: string;
  /** the request target as sent */
  path: string;
  /** names and values alternate, because names may occur twice */
  headers: readonly string[];
  body: string | Buffer | null;
  key: FuzzKey | null;
  /** null: any declared status */
  statuses: readonly number[] | null;
  /** a further check; returns what is wrong */
  judge?: (answer: FuzzAnswer) => string | null;
}

export const headerOf = (answer: FuzzAnswer, name: string): string | null => {
  const value = answer.headers[name];
  return value === undefined ? null : String(value);
};

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The request as a shell command. */
export function curlLine(url: string, { method, path, headers, body }: Shot): string {
  const words = ["curl -sS -i --path-as-is", method === "HEAD" ? "--head" : `-X ${quoted(method)}`];
  for (let at = 0; at + 1 < headers.length; at += 2) words.push(`-H ${quoted(`${headers[at]}: ${headers[at + 1]}`)}`);
  const line = `${words.join(" ")} ${quoted(url + path)}`;
  if (body === null) return line;
  const bytes = Buffer.from(body);
  if (bytes.length > 4_000)
    return `${line} --data-binary @- # ${bytes.length} bytes: ${bytes.toString("base64", 0, 300)}...`;
  const plain = /^[\x20-\x7e]*$/.test(bytes.toString("latin1"));
  if (plain) return `${line} --data-binary ${quoted(bytes.toString())}`;
  return `printf %s ${bytes.toString("base64")} | base64 -d | ${line} --data-binary @-`;
}
