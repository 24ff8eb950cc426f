import {
  answered,
  invalid,
  missing,
  noKey,
  ok,
  refused,
  type SocketCase,
  type Writer,
  wrongMethod,
} from "./socket-cases.ts";

/** Header lines, Expect, Upgrade, CONNECT, and pipelined requests. */

const latin1 = (text: string): Buffer => Buffer.from(text, "latin1");

const malformedHeaders: readonly string[] = [
  ...[
    "nonsense\r\n",
    ": empty name\r\n",
    " : x\r\n",
    "A B: x\r\n",
    "A : x\r\n",
    "A\t: x\r\n",
    "A(b): x\r\n",
    "A<: x\r\n",
  ],
  ...[
    "A@b: x\r\n",
    "A,b: x\r\n",
    "A;b: x\r\n",
    "A\\b: x\r\n",
    'A"b: x\r\n',
    "A/b: x\r\n",
    "A[0]: x\r\n",
    "A?: x\r\n",
    "A=b: x\r\n",
  ],
  ...[
    "A{b}: x\r\n",
    "Ä: x\r\n",
    "A\u0000: x\r\n",
    "A\u0001: x\r\n",
    "A\u007f: x\r\n",
    "A: b\u0000c\r\n",
    "A: b\u0001c\r\n",
  ],
  ...[
    "A: b\u0008c\r\n",
    "A: b\u001bc\r\n",
    "A: b\u007fc\r\n",
    "A: b\rc: d\r\n",
    "A: b\r\r\n",
    "A\r\n: x\r\n",
    "A:\u000bb\r\n",
    "A: \u000c\r\n",
  ],
];

const foldedHeaders: readonly string[] = ["A: b\r\n c\r\n", "A: b\r\n\tc\r\n", "A:\r\n b\r\n", "Host: y\r\n z\r\n"];

export const headerLines = (w: Writer): SocketCase[] => [
  ...malformedHeaders.map((header) => refused(`header ${JSON.stringify(header)}`, latin1(w.get(header)))),
  ...foldedHeaders.map((header) => refused(`folded header ${JSON.stringify(header)}`, w.get(header))),
  refused("a header line that begins with a space", `GET /v1/store HTTP/1.1\r\n Host: x\r\n${w.auth}\r\n`),
  refused("line feeds alone in the whole request", w.get().replaceAll("\r\n", "\n")),
  refused("a line feed alone within the headers", w.get("A: b\nC: d\r\n")),
  refused("a line feed alone at the end", `${w.get().slice(0, -2)}\n`),
  refused("carriage returns alone", w.get().replaceAll("\r\n", "\r")),
  refused("one header of 20 KB", w.get(`A: ${"a".repeat(20_000)}\r\n`)),
  refused("a header's name of 20 KB", w.get(`${"a".repeat(20_000)}: a\r\n`)),
  refused("headers of 200 KB", w.get("A: bbbbbbbb\r\n".repeat(16_000))),
  refused(
    "headers of 2 MB in pieces",
    ...Array.from({ length: 40 }, (_, n) => (n === 0 ? w.get().slice(0, -2) : "A: bbbbbbbb\r\n".repeat(4_000))),
  ),
  answered("nine hundred headers", [ok], [w.get("A: b\r\n".repeat(900))]),
  refused("more than a thousand headers", w.get("A: b\r\n".repeat(1_000))),
  refused("two thousand headers of a byte", w.get("a:\r\n".repeat(2_000))),
  answered(
    "nine hundred headers before the key",
    [ok],
    [`GET /v1/store HTTP/1.1\r\n${"a: b\r\n".repeat(900)}Host: x\r\n${w.auth}\r\n`],
  ),
  answered("no Host", [ok], [`GET /v1/store HTTP/1.1\r\n${w.auth}\r\n`]),
  answered("an empty Host", [ok], [`GET /v1/store HTTP/1.1\r\nHost:\r\n${w.auth}\r\n`]),
  answered("two Hosts", [ok], [w.get("Host: y\r\n")]),
  answered("a Host that is none", [ok], [`GET /v1/store HTTP/1.1\r\nHost: a/b?c@d\r\n${w.auth}\r\n`]),
  answered("two keys, the first of them good", [ok], [w.get("Authorization: Bearer x\r\n")]),
  answered(
    "two keys, the second of them good",
    [noKey],
    [`GET /v1/store HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer x\r\n${w.auth}\r\n`],
  ),
  answered("an empty key", [noKey], ["GET /v1/store HTTP/1.1\r\nHost: x\r\nAuthorization:\r\n\r\n"]),
  answered(
    "a key in bytes beyond ASCII",
    [noKey],
    [latin1("GET /v1/store HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \u00ff\r\n\r\n")],
  ),
  answered("header values beyond ASCII", [ok], [latin1(w.get("A: \u00e9\u00ff\r\n"))]),
  answered("header values of UTF-8", [ok], [Buffer.from(w.get("A: 漢字\r\n"))]),
  answered("tabs and spaces around a value", [ok], [w.get("A: \t b \t \r\n")]),
  answered("a content type that is none, without a body", [ok], [w.get("Content-Type: \u0022\r\n")]),
  answered("a header named __proto__", [ok], [w.get("__proto__: x\r\nconstructor: y\r\n")]),
  answered("a hundred cookies", [ok], [w.get("Cookie: a=b\r\n".repeat(100))]),
  answered("X-Forwarded-For of ten thousand hops", [ok], [w.get(`X-Forwarded-For: ${"1, ".repeat(3_000)}x\r\n`)]),
  answered(
    "X-Forwarded-For that is no address, from a shopper",
    [ok],
    [
      `GET /storefront/v1/quizzes/${w.target.quiz}?store=${w.target.store} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ';--\r\n\r\n`,
    ],
  ),
];

const upgrade = (protocol: string): string => `Connection: Upgrade\r\nUpgrade: ${protocol}\r\n`;

export const oddRequests = (w: Writer): SocketCase[] => [
  answered("Expect: nonsense", [ok], [w.get("Expect: nonsense\r\n")]),
  answered(
    "Expect: 100-continue and the body",
    [ok],
    [w.post("Expect: 100-continue\r\nContent-Length: 2\r\n"), 50, "{}"],
  ),
  answered(
    "Expect: 100-continue twice",
    [ok],
    [w.post("Expect: 100-continue\r\nExpect: 100-continue\r\nContent-Length: 2\r\n"), 50, "{}"],
  ),
  answered("Expect: 100-CONTINUE", [ok], [w.post("Expect: 100-CONTINUE\r\nContent-Length: 2\r\n"), 50, "{}"]),
  answered(
    "Expect: 100-continue of an HTTP/1.0 client",
    [ok],
    [w.post("Expect: 100-continue\r\nContent-Length: 2\r\n", "{}").replace("HTTP/1.1", "HTTP/1.0")],
    true,
  ),
  answered(
    "Expect: 100-continue before too long a body",
    [invalid],
    [w.post("Expect: 100-continue\r\nContent-Length: 2000000\r\n")],
  ),
  answered(
    "Expect: 100-continue without a key",
    [noKey],
    ["POST /v1/profiles/search HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n{}"],
  ),
  ...["websocket", "h2c", "TLS/1.0", "HTTP/2.0", "", "a, b"].map((protocol) =>
    answered(`Upgrade: ${protocol}`, [ok], [w.get(upgrade(protocol))]),
  ),
  answered(
    "a whole WebSocket handshake",
    [ok],
    [w.get(`${upgrade("websocket")}Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n`)],
  ),
  answered("Upgrade: h2c with its settings", [ok], [w.get(`${upgrade("h2c")}HTTP2-Settings: AAMAAABkAAQAAP__\r\n`)]),
  answered("CONNECT of a host", [missing], ["CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n"], true),
  answered("CONNECT of a path", [missing], [w.line("CONNECT /v1/store HTTP/1.1")], true),
  answered("CONNECT with bytes behind it", [missing], [`${w.line("CONNECT x:1 HTTP/1.1")}${w.get()}`], true),
  answered("OPTIONS *", [missing], [w.line("OPTIONS * HTTP/1.1")]),
  answered("TRACE", [wrongMethod], [w.line("TRACE /v1/store HTTP/1.1", "X-Secret: 1\r\n")]),
  answered("HEAD", [ok], [w.line("HEAD /v1/store HTTP/1.1")]),
  answered("Connection: close, keep-alive", [ok], [w.get("Connection: close, keep-alive\r\n")], true),
  answered("Connection that names Authorization", [ok], [w.get("Connection: authorization\r\n")]),
  answered("Connection: nonsense", [ok], [w.get("Connection: ,,;\r\n")]),
  answered("Keep-Alive: timeout=0", [ok], [w.get("Keep-Alive: timeout=0, max=0\r\n")]),
  answered("Proxy-Connection", [ok], [w.get("Proxy-Connection: keep-alive\r\n")]),
  answered("Max-Forwards: 0", [ok], [w.get("Max-Forwards: 0\r\n")]),
  answered("Range of a thousand parts", [ok], [w.get(`Range: bytes=${"0-0,".repeat(1_000)}0-0\r\n`)]),
  answered("TE: trailers, chunked", [ok], [w.get("TE: trailers, chunked\r\n")]),
];

export const pipelines = (w: Writer): SocketCase[] => [
  answered("two at once", [ok, ok], [w.get() + w.get()]),
  answered(
    "fifty at once",
    Array.from({ length: 50 }, () => ok),
    [w.get().repeat(50)],
  ),
  answered(
    "five hundred at once",
    Array.from({ length: 500 }, () => ok),
    [w.get().repeat(500)],
  ),
  answered("a body and a request", [ok, ok], [w.sized("{}") + w.get()]),
  answered("chunks and a request", [ok, ok], [w.chunked("2\r\n{}\r\n0\r\n\r\n") + w.get()]),
  answered(
    "refusals between answers",
    [ok, missing, noKey, wrongMethod, ok],
    [
      `${w.get()}${w.get("", "/v1/nothing")}GET /v1/store HTTP/1.1\r\nHost: x\r\n\r\n${w.line("PUT /v1/store HTTP/1.1")}${w.get()}`,
    ],
  ),
  answered("garbage behind an answer", [ok, invalid], [`${w.get()}garbage\r\n\r\n`], true),
  answered(
    "garbage behind ten answers",
    [...Array.from({ length: 10 }, () => ok), invalid],
    [`${w.get().repeat(10)}\u0000\r\n\r\n`],
    true,
  ),
  answered("empty lines between requests", [ok, ok, ok], [`${w.get()}\r\n\r\n${w.get()}\n\n${w.get()}`]),
  answered(
    "a method that does not exist behind an answer",
    [ok, wrongMethod],
    [`${w.get()}${w.line("FOO /v1/store HTTP/1.1")}`],
    true,
  ),
  answered(
    "a byte at a time",
    [ok],
    [...w.get()].flatMap((byte, index) => (index % 8 === 0 ? [byte, 1] : [byte])),
  ),
  answered("a request in pieces behind another", [ok, ok], [w.get(), w.get().slice(0, 30), 30, w.get().slice(30)]),
  answered("something behind the last request", [ok], [`${w.get("Connection: close\r\n")}garbage\r\n\r\n`], true),
];
