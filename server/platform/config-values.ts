import { faultOfAddress } from "./database/server-address.ts";

/** Parsers for the values of settings: each throws a RangeError that says what to write. */

export const refuse = (what: string): never => {
  throw new RangeError(what);
};

export const wholeNumber = (low: number, high: number) => (text: string) => {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  return value >= low && value <= high ? value : refuse(`write a whole number from ${low} to ${high}`);
};

export const oneOf =
  <Word extends string>(words: readonly Word[]) =>
  (text: string) =>
    words.find((word) => word === text) ?? refuse(`write one of ${words.join(", ")}`);

export const address = (protocols: readonly string[], example: string) => (text: string) => {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url && protocols.includes(url.protocol) ? text : refuse(`write an address such as ${example}`);
};

export function databaseAddress(text: string): string {
  const fault = faultOfAddress(text);
  return fault === null ? text : refuse(fault);
}

export const headerName = (text: string) =>
  /^[A-Za-z0-9-]{1,64}$/.test(text)
    ? text.toLowerCase()
    : refuse("write the name of an HTTP header, such as CF-IPCountry");

export function headerList(text: string): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const pair of text.split(",")) {
    const [, name, value] = /^\s*([A-Za-z0-9!#$%&'*+.^_`|~-]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
    if (name === undefined || value === undefined || !isEscaped(value)) {
      return refuse("write name=value pairs with commas between, such as authorization=Bearer%20abc");
    }
    headers[name] = decodeURIComponent(value);
  }
  return headers;
}

function isEscaped(text: string): boolean {
  try {
    return /^[\t\x20-\x7e]*$/.test(decodeURIComponent(text));
  } catch {
    return false;
  }
}

export function trustedProxies(text: string): number {
  if (text === "true") return 1;
  if (text === "false") return 0;
  return wholeNumber(0, 32)(text) as number;
}

export function hostList(text: string): string[] {
  const hosts = text
    .split(",")
    .map((host) => host.trim().toLowerCase())
    .filter((host) => host !== "");
  const odd = hosts.find(
    (host) => !/^(\[[0-9a-f:.]+\]|[a-z0-9.-]+):\d{1,5}$/.test(host) || !URL.canParse(`http://${host}`),
  );
  return odd === undefined
    ? hosts
    : refuse("write host:port pairs with commas between, such as localhost:3000,127.0.0.1:9000");
}
