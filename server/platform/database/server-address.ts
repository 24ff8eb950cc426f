import type pg from "pg";

/** DATABASE_URL: its forms, and what its `sslmode` means [operations.database-encryption]. */

/** As in PostgreSQL's own programs. */
const sslModes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"] as const;
export type SslMode = (typeof sslModes)[number];
/** the driver's own word for `require` */
const unverified = "no-verify";

/** What is wrong with an address, in words that say what to write; null: nothing. */
export function faultOfAddress(text: string): string | null {
  const authority = /^postgres(?:ql)?:\/\/(?:[^@/?#]*@)?([^/?#]*)/.exec(text)?.[1] ?? "";
  const url = URL.canParse(text) ? new URL(text) : null;
  if (authority.includes(",") || url?.searchParams.get("host")?.includes(",")) {
    return "write one host, of several the one that takes writes: your provider's read-write address, or a proxy in front of them";
  }
  if (url === null && text.includes("@/"))
    return "write a host, for a socket too: postgres://user@localhost/quizstore?host=/run/postgresql";
  if (url?.protocol !== "postgres:" && url?.protocol !== "postgresql:")
    return "write an address such as postgres://user:password@host:5432/quizstore";
  return faultOfEncryption(url.searchParams);
}

function faultOfEncryption(parameters: URLSearchParams): string | null {
  const [mode, root] = [parameters.get("sslmode"), parameters.get("sslrootcert")];
  if (mode !== null && mode !== unverified && !sslModes.some((each) => each === mode))
    return `write sslmode as one of ${sslModes.join(", ")}`;
  if (root === "system" && mode !== null && mode !== "verify-full")
    return "write sslmode=verify-full beside sslrootcert=system";
  if (mode === "verify-ca" && root === null)
    return "write sslrootcert=FILE, the certificates to trust, beside sslmode=verify-ca; or sslmode=verify-full";
  return null;
}

export interface ServerAddress {
  mode: SslMode;
  /** ways to connect, of which the first that works is used */
  ways: readonly pg.ClientConfig[];
}

/** @param text an address without a fault */
export function readAddress(text: string): ServerAddress {
  const url = new URL(text);
  const mode = modeOf(url);
  // the roots that Node has built in
  if (url.searchParams.get("sslrootcert") === "system") url.searchParams.delete("sslrootcert");
  const way = (sslmode: SslMode): pg.ClientConfig => {
    const { href } = withParameters(url, { sslmode, uselibpqcompat: "true" });
    return { connectionString: href };
  };
  if (mode === "prefer" || mode === "allow") return { mode, ways: [way("require"), way("disable")] };
  return { mode, ways: [way(mode)] };
}

/** Without `uselibpqcompat`, the driver reads three of the modes as `verify-full`, and writes a warning of its own. */
function withParameters(url: URL, parameters: Readonly<Record<string, string>>): URL {
  const other = new URL(url);
  for (const [name, value] of Object.entries(parameters)) other.searchParams.set(name, value);
  return other;
}

function modeOf({ hostname, searchParams: parameters }: URL): SslMode {
  // nobody listens in on a socket, and servers encrypt nothing there
  if (/^(\/|%2f)/i.test(parameters.get("host") ?? hostname)) return "disable";
  const mode = parameters.get("sslmode");
  if (mode === unverified) return "require";
  const known = sslModes.find((each) => each === mode);
  if (known) return known;
  const ssl = parameters.get("ssl") ?? "";
  if (["0", "false"].includes(ssl)) return "disable";
  const isMeant = ["sslrootcert", "sslcert", "sslkey"].some((name) => parameters.has(name));
  return isMeant || ["1", "true"].includes(ssl) ? "verify-full" : "prefer";
}
