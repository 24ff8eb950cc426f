import {
  answered,
  hungUp,
  invalid,
  missing,
  noKey,
  ok,
  refused,
  type SocketCase,
  silent,
  type Writer,
  wrongMethod,
} from "./socket-cases.ts";
import { fin, reset } from "./socket-talk.ts";

/** Request lines, protocols of other ports, and clients that disconnect early. */

const hex = (text: string): Buffer => Buffer.from(text, "hex");

export const requestLines = (w: Writer): SocketCase[] => [
  ...["garbage", "GET", "GET\t/v1/store\tHTTP/1.1", " GET /v1/store HTTP/1.1", "\tGET /v1/store HTTP/1.1"].map((line) =>
    refused(`request line ${JSON.stringify(line)}`, w.line(line)),
  ),
  ...["GET /v1/store\tHTTP/1.1", "GET /v1/st ore HTTP/1.1"].map((line) =>
    refused(`request line ${JSON.stringify(line)}`, w.line(line)),
  ),
  // the parser accepts more than one space, and known versions
  answered("two spaces before the target", [ok], [w.line("GET  /v1/store HTTP/1.1")]),
  answered("two spaces before the version", [ok], [w.line("GET /v1/store  HTTP/1.1")]),
  answered("version HTTP/0.9", [ok], [w.get("", "/v1/store", "HTTP/0.9")], true),
  answered("version HTTP/2.0", [ok], [w.get("", "/v1/store", "HTTP/2.0")]),
  ...["HTTP/9.9", "HTTP/1.2", "HTTP/3", "HTTP/1", "HTTP/11", "HTTP/1.1.1", "HTTP/-1.1"].map((version) =>
    refused(`version ${version}`, w.get("", "/v1/store", version)),
  ),
  ...[
    "http/1.1",
    "HTP/1.1",
    "HTTP/1.1x",
    "HTTP/ 1.1",
    "HTTP /1.1",
    "ICE/1.0x",
    "SIP/2.0",
    "HTTP/0x1.1",
    "HTTP/１.1",
  ].map((version) => refused(`version ${version}`, w.get("", "/v1/store", version))),
  ...["G\u0000ET", "GET\u0000", "G ET", "(GET)", "GET:", "G\u00e9T", "\u0000\u0000\u0000"].map((method) =>
    refused(`method ${JSON.stringify(method)}`, Buffer.from(w.line(`${method} /v1/store HTTP/1.1`), "latin1")),
  ),
  ...["get", "GeT", "FOO", "PROPFIND", "QUERY", "BREW", "M-SEARCH", "SOURCE", "GETS", "XGET", "OPTIONS", "TRACE"].map(
    (method) =>
      answered(
        `method ${method}`,
        [wrongMethod],
        [w.line(`${method} /v1/store HTTP/1.1`)],
        /^(get|GeT|FOO|BREW|GETS|XGET)$/.test(method),
      ),
  ),
  answered("an unknown method of an unknown path", [missing], [w.line("FOO /v1/nothing HTTP/1.1")], true),
  refused("a method of 10 KB", w.line(`${"A".repeat(10_000)} /v1/store HTTP/1.1`)),
  ...["", "v1/store", "/v1/st\u0000ore", "/v1/st\u0001ore", "/v1/st\u007fore"].map((target) =>
    refused(`target ${JSON.stringify(target)}`, w.get("", target)),
  ),
  ...["*", "//v1/store", "/v1//store", "/v1/store/", "/V1/store", "/v1/./store", "/v1/../v1/store", "/v1%2Fstore"].map(
    (target) => answered(`target ${target}`, [missing], [w.get("", target)]),
  ),
  ...["/v1/%zz", "/v1/store%00", "/v1/store;a=b", "/v1\\store", "/%2e%2e/v1/store", "/v1/store%20", "/v1/%e0%a4%a"].map(
    (target) => answered(`target ${target}`, [missing], [w.get("", target)]),
  ),
  refused("a target with bytes of UTF-8", Buffer.from(w.get("", "/v1/störe"))),
  refused("a target with bytes of Latin-1", Buffer.from(w.get("", "/v1/störe"), "latin1")),
  answered("the absolute form", [ok], [w.get("", "http://other.example/v1/store")]),
  answered("the absolute form over https", [ok], [w.get("", "https://other.example:1/v1/store")]),
  answered("the absolute form with a user", [ok], [w.get("", "http://a:b@other.example/v1/store")]),
  answered("a percent sign for a letter", [ok], [w.get("", "/v1/stor%65")]),
  answered("a query of one question mark", [ok], [w.get("", "/v1/store?")]),
  answered("a fragment, which belongs to no request", [invalid], [w.get("", "/v1/store#x")]),
  answered("an undeclared parameter", [invalid], [w.get("", "/v1/store?%zz")]),
  answered("a target of 10 KB", [missing], [w.get("", `/${"a".repeat(10_000)}`)]),
  refused("a target of 100 KB", w.get("", `/${"a".repeat(100_000)}`)),
  refused("a query of 100 KB", w.get("", `/v1/store?${"a".repeat(100_000)}`)),
  answered("empty lines before the request", [ok], ["\r\n\r\n\r\n", w.get()]),
  answered("bare line feeds before the request", [ok], ["\n\n\n", w.get()]),
  answered("HTTP/1.0", [ok], [w.get("", "/v1/store", "HTTP/1.0")], true),
  answered("HTTP/1.0 that wants to go on", [ok], [w.get("Connection: keep-alive\r\n", "/v1/store", "HTTP/1.0")]),
  answered("a request line without a version (HTTP/0.9)", [noKey], ["GET /v1/store\r\n\r\n"], true),
  answered("a version in front of nothing", [invalid], ["GET HTTP/1.1\r\nHost: x\r\n\r\n"], true),
  answered("an answer instead of a request", [invalid], ["HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"], true),
];

/** The first bytes of clients of other protocols. */
export const otherProtocols = (): SocketCase[] =>
  [
    ["TLS 1.2", hex("16030100a5010000a10303aabbccddeeff00112233445566778899aabbccddeeff00112233445566778899aabb")],
    ["TLS 1.3", hex("1603010200010001fc0303d1c1f2a3b4c5d6e7f80910a1b2c3d4e5f60718293a4b5c6d7e8f901a2b3c4d5e6f")],
    ["SSL 2", hex("802e0100020015000000100100800200800300800400800500800600400700c0")],
    ["HTTP/2 with prior knowledge", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
    ["SSH", "SSH-2.0-OpenSSH_9.6\r\n"],
    ["SMTP", "EHLO mail.example\r\n"],
    ["FTP", "USER anonymous\r\n"],
    ["POP3", "CAPA\r\n"],
    ["IMAP", "a001 LOGIN a b\r\n"],
    ["Redis", "*1\r\n$4\r\nPING\r\n"],
    ["memcached", "stats\r\n"],
    ["PostgreSQL", hex("0000000804d2162f")],
    ["MySQL", hex("0a00000185a6ff0100000001210000000000")],
    ["MongoDB", hex("3a0000000100000000000000d40700000000000061646d696e2e24636d6400")],
    ["RDP", hex("0300002b26e00000000000436f6f6b69653a206d737473686173683d61")],
    ["SMB", hex("00000085ff534d4272000000001853c80000000000000000")],
    ["SOCKS 5", hex("050100")],
    ["PROXY version 1", "PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\nGET / HTTP/1.1\r\n\r\n"],
    ["PROXY version 2", hex("0d0a0d0a000d0a515549540a20110000")],
    ["BitTorrent", Buffer.concat([Buffer.from([19]), Buffer.from("BitTorrent protocol"), Buffer.alloc(48)])],
    ["Git", "0033git-upload-pack /a.git\u0000host=x\u0000"],
    ["a WebSocket frame", hex("818537fa213d7f9f4d5158")],
    ["MQTT", hex("101000044d5154540402003c000474657374")],
    ["Java's RMI", hex("4a524d4900024b")],
    ["zeros", Buffer.alloc(1_000)],
    ["bytes of 255", Buffer.alloc(1_000, 255)],
  ].map(([name, bytes]) => refused(`${String(name)}'s first bytes`, bytes as string | Buffer, fin));

export const leaving = (w: Writer): SocketCase[] => [
  silent("connects and half-closes", fin),
  silent("connects and resets", reset),
  silent("an empty line, then the end", "\r\n", fin),
  silent("resets after a byte", "G", reset),
  silent("resets within the headers", "GET /v1/store HTTP/1.1\r\nHost", reset),
  silent("resets within a body", w.sized("{", 10), reset),
  silent("resets as soon as it has asked", w.get(), reset),
  silent("resets after CONNECT", "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n", reset),
  silent("resets within a chunk", w.chunked("5\r\nab"), reset),
  refused("ends within the request line", "GET /v1/st", fin),
  refused("ends within the headers", "GET /v1/store HTTP/1.1\r\nHost: x\r\nA", fin),
  refused("ends before the empty line", w.get().slice(0, -2), fin),
  refused("ends within a body", w.sized("{", 10), fin),
  refused("ends within a chunk", w.chunked("5\r\nab"), fin),
  refused("ends before the last chunk", w.chunked("2\r\n{}\r\n"), fin),
  refused("ends within the trailers", w.chunked("2\r\n{}\r\n0\r\nA: b\r\n"), fin),
  hungUp("asks, then half-closes", [ok], w.get(), fin),
  hungUp("asks twice, then half-closes", [ok, ok], w.get() + w.get(), fin),
  hungUp("sends a body, then half-closes", [ok], w.sized("{}"), fin),
  answered("half-closes once it is answered", [ok], [w.get(), 300, fin], true),
  answered("says Connection: close", [ok], [w.get("Connection: close\r\n")], true),
  answered("asks after Connection: close", [ok], [w.get("Connection: close\r\n") + w.get()], true),
  {
    name: "headers that never end",
    moves: [w.get().slice(0, -2)],
    answers: [[504, "timeout"]],
    closes: true,
    slow: true,
  },
  { name: "a body that never ends", moves: [w.sized("{", 10)], answers: [[504, "timeout"]], closes: true, slow: true },
  {
    name: "chunks that never end",
    moves: [w.chunked("2\r\n{}\r\n")],
    answers: [[504, "timeout"]],
    closes: true,
    slow: true,
  },
  {
    name: "a request line that never ends",
    moves: ["GET /v1/st"],
    answers: [[504, "timeout"]],
    closes: true,
    slow: true,
  },
];
