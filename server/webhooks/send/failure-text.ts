/** Explains in `last_error` why an attempt got no response. The texts reveal nothing about this network. */

const texts: Readonly<Record<string, string>> = {
  UNSAFE_ADDRESS: "unsafe address: the host is not, or not only, on public addresses",
  CONNECT_TIMEOUT: "timeout: could not connect within 5 s",
  ECONNREFUSED: "connection refused",
  ECONNRESET: "the connection was reset before the answer was complete",
  EPIPE: "the connection was closed before the answer was complete",
  ETIMEDOUT: "timeout: the network gave up",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network cannot be reached",
  ENOTFOUND: "the host name does not resolve",
  ENODATA: "the host name has no address",
  ETIMEOUT: "the host name could not be resolved in time",
  ESERVFAIL: "the host name's servers failed",
  EREFUSED: "the host name's servers refused to answer",
  EAI_AGAIN: "the host name could not be resolved in time",
  UND_ERR_SOCKET: "the connection was closed before the answer was complete",
  UND_ERR_HEADERS_OVERFLOW: "the answer's headers are too large",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "the answer is shorter or longer than it says",
  ERR_TLS_CERT_ALTNAME_INVALID: "the TLS certificate is not for this host",
  CERT_HAS_EXPIRED: "the TLS certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "the TLS certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "the TLS certificate is self-signed",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "the TLS certificate's chain is incomplete",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "the TLS certificate's chain is incomplete",
};

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;

export function failureText(error: unknown): string {
  // several addresses were tried: report the first failure
  const [first] = error instanceof AggregateError ? error.errors : [error];
  const code = codeOf(first) ?? codeOf(error) ?? "";
  const known = texts[code];
  if (known !== undefined) return known;
  // this error does not always have a code
  if (first instanceof Error && first.name === "HTTPParserError") return "the answer is not HTTP";
  if (/CERT|TLS|SSL/.test(code)) return `the TLS connection failed (${code})`;
  return code === "" ? "the request failed" : `the request failed (${code})`;
}
