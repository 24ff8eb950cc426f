import { answered, invalid, missing, ok, refused, type SocketCase, type Writer } from "./socket-cases.ts";
import { fin } from "./socket-talk.ts";

/** Lengths, chunks, and requests that two servers would split differently (smuggling). */

const mebibyte = 1024 * 1024;

const lengths: readonly string[] = [
  ...["-1", "+2", "0x2", "2.0", "2e0", "abc", "2 2", "2,2", "2, 3", "two", "２", "2;", "'2'", "99999999999999999999"],
  ...[
    "18446744073709551616",

    "-9223372036854775808",
    "2\u000b",
    "\u00002",
    "_2",
    "1_0",
    "NaN",
    "0b10",
  ],
];

export const contentLengths = (w: Writer): SocketCase[] => [
  ...lengths.map((length) => refused(`Content-Length: ${JSON.stringify(length)}`, w.sized("{}", length), fin)),
  refused("two lengths that differ", w.post("Content-Length: 2\r\nContent-Length: 3\r\n", "{}"), fin),
  refused("two lengths that agree", w.post("Content-Length: 2\r\nContent-Length: 2\r\n", "{}"), fin),
  refused(
    "two lengths, one of them spelled in small letters",
    w.post("Content-Length: 2\r\ncontent-length: 3\r\n", "{}"),
    fin,
  ),
  refused("a folded length", w.post("Content-Length:\r\n 2\r\n", "{}"), fin),
  refused("a space before the length's colon", w.post("Content-Length : 2\r\n", "{}"), fin),
  answered("an empty length", [invalid], [w.post("Content-Length:\r\n", ""), fin], true),
  answered("leading zeros", [ok], [w.sized("{}", "0002")]),
  answered("a length of 0", [ok], [w.sized("", 0)]),
  answered("a post without a length", [ok], [w.post("")]),
  answered("a length of 0 with a body behind it", [ok, invalid], [w.post("Content-Length: 0\r\n", "{}\r\n\r\n")], true),
  answered(
    "a body longer than its length",
    [ok, invalid],
    [w.post("Content-Length: 2\r\n", "{}garbage\r\n\r\n")],
    true,
  ),
  refused("a body shorter than its length", w.sized("{}", 3), fin),
  answered("a body of 2 MiB with its length", [invalid], [w.sized(" ".repeat(2 * mebibyte))]),
  answered("a body one byte over 1 MiB", [invalid], [w.sized(`${" ".repeat(mebibyte - 1)}{}`)]),
  answered("a body of just 1 MiB", [ok], [w.sized(`${" ".repeat(mebibyte - 2)}{}`)]),
  answered("a length of 4 GiB and no body", [invalid], [w.post("Content-Length: 4294967296\r\n")]),
  answered("a length of 4 GiB, a little of it, and the end", [invalid], [w.sized("{}", 4294967296), 200, fin], true),
  answered("the longest length that can be told", [invalid], [w.sized("{}", "18446744073709551615"), fin], true),
  answered("a body on GET", [invalid], [`GET /v1/store HTTP/1.1\r\nHost: x\r\n${w.auth}Content-Length: 3\r\n\r\nabc`]),
  answered(
    "a body on GET of an unknown path",
    [missing, ok],
    [`GET /v1/nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc${w.get()}`],
  ),
  answered(
    "a body on HEAD",
    [invalid],
    [`HEAD /v1/store HTTP/1.1\r\nHost: x\r\n${w.auth}Content-Length: 3\r\n\r\nabc`],
  ),
  answered(
    "a body for the wrong path",
    [missing, ok],
    [`${w.post("Content-Length: 5\r\n", "abcde", "/v1/nothing")}${w.get()}`],
  ),
];

const codings: readonly string[] = [
  ...[
    "gzip",
    "identity",
    "xchunked",
    "chunkedx",
    "chunked, identity",
    "chunked, gzip",
    "chunked, chunked",
    "chunked;q=1",
  ],
  ...["\u000bchunked", "chunked\u0000", '"chunked"', "chun ked", ",chunked,x", "trailers", "", "deflate", "br"],
];

const chunkSizes: readonly string[] = [
  ...[
    "zz",
    "-1",
    "-0",
    "+2",
    "0x2",
    "2.",
    "2 2",
    "",
    "2,",
    "'2'",
    "２",
    "ffffffffffffffffff",
    "10000000000000000",
    "2\u0000",
    "\t2",
    " 2",
  ],
];

const lastChunk = "0\r\n\r\n";

export const chunks = (w: Writer): SocketCase[] => [
  ...codings.map((coding) =>
    refused(
      `Transfer-Encoding: ${JSON.stringify(coding)}`,
      w.post(`Transfer-Encoding: ${coding}\r\n`, `2\r\n{}\r\n${lastChunk}`),
      fin,
    ),
  ),
  ...chunkSizes.map((size) =>
    refused(`chunk size ${JSON.stringify(size)}`, w.chunked(`${size}\r\n{}\r\n${lastChunk}`), fin),
  ),
  answered("chunks", [ok], [w.chunked(`2\r\n{}\r\n${lastChunk}`)]),
  answered("CHUNKED", [ok], [w.post("Transfer-Encoding: CHUNKED\r\n", `2\r\n{}\r\n${lastChunk}`)]),
  answered("a thousand chunks of a byte", [ok], [w.chunked(`${"1\r\n \r\n".repeat(1_000)}2\r\n{}\r\n${lastChunk}`)]),
  answered("a size with leading zeros", [ok], [w.chunked(`0000000002\r\n{}\r\n${lastChunk}`)]),
  answered("a chunk extension", [ok], [w.chunked(`2;a=b;c="d e"\r\n{}\r\n${lastChunk}`)]),
  answered("trailers", [ok], [w.chunked("2\r\n{}\r\n0\r\nA: b\r\n\r\n")]),
  refused("a trailer that would be a length", `${w.chunked("2\r\n{}\r\n0\r\nContent-Length: 50\r\n\r\n")}${w.get()}`),
  answered("a trailer that would be a key", [ok], [w.chunked("2\r\n{}\r\n0\r\nAuthorization: Bearer x\r\n\r\n")]),
  answered("no chunk but the last", [ok], [w.chunked(lastChunk)]),
  refused("chunk extensions of 20 KB", w.chunked(`2;${"a".repeat(20_000)}\r\n{}\r\n${lastChunk}`)),
  refused("a line feed within a chunk extension", w.chunked(`2;a\nb\r\n{}\r\n${lastChunk}`), fin),
  refused("a line feed alone behind a size", w.chunked(`2\n{}\r\n${lastChunk}`), fin),
  refused("a line feed alone behind a chunk", w.chunked(`2\r\n{}\n${lastChunk}`), fin),
  refused("a carriage return alone behind a size", w.chunked(`2\r{}\r\n${lastChunk}`), fin),
  refused("a chunk longer than its size", w.chunked(`2\r\n{}x\r\n${lastChunk}`), fin),
  refused("a chunk shorter than its size", w.chunked(`4\r\n{}\r\n${lastChunk}`), fin),
  refused("a malformed trailer", w.chunked("2\r\n{}\r\n0\r\nA b\r\n\r\n"), fin),
  refused("trailers of 200 KB", w.chunked(`2\r\n{}\r\n0\r\n${"A: bbbbbbbb\r\n".repeat(16_000)}\r\n`), fin),
  answered("chunks of 2 MiB", [invalid], [w.chunked(`200000\r\n${" ".repeat(2 * mebibyte)}\r\n${lastChunk}`)]),
  answered(
    "chunks of an HTTP/1.0 client",
    [ok],
    [w.chunked(`2\r\n{}\r\n${lastChunk}`).replace("HTTP/1.1", "HTTP/1.0")],
    true,
  ),
];

const both = "Content-Length: 6\r\nTransfer-Encoding: chunked\r\n";

/** Each hides a second request, which must not be answered: anything ambiguous is refused and the connection closed. */
export const smuggled = (w: Writer): SocketCase[] =>
  [
    ["a length before chunks", w.post(both, `${lastChunk}${w.get()}`)],
    ["a length behind chunks", w.post("Transfer-Encoding: chunked\r\nContent-Length: 6\r\n", `${lastChunk}${w.get()}`)],
    [
      "a length of 0 and chunks",
      w.post("Content-Length: 0\r\nTransfer-Encoding: chunked\r\n", `2\r\n{}\r\n${lastChunk}${w.get()}`),
    ],
    ["chunks twice", w.post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", `${lastChunk}${w.get()}`)],
    [
      "chunks and identity",
      w.post("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", `${lastChunk}${w.get()}`),
    ],
    ["identity and chunks with a length", w.post(`Transfer-Encoding: identity\r\n${both}`, `${lastChunk}${w.get()}`)],
    ["a space before chunks' colon", w.post(`Content-Length: 2\r\nTransfer-Encoding : chunked\r\n`, `{}${w.get()}`)],
    ["a tab before chunks' colon", w.post(`Content-Length: 2\r\nTransfer-Encoding\t: chunked\r\n`, `{}${w.get()}`)],
    ["folded chunks", w.post("Content-Length: 2\r\nTransfer-Encoding:\r\n chunked\r\n", `{}${w.get()}`)],
    [
      "chunks hidden by a folded line",
      w.post("A: b\r\n Transfer-Encoding: chunked\r\nContent-Length: 2\r\n", `{}${w.get()}`),
    ],
    ["chunks behind a line feed", w.post("A: b\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n", `{}${w.get()}`)],
    [
      "chunks behind a carriage return",
      w.post("A: b\rTransfer-Encoding: chunked\r\nContent-Length: 2\r\n", `{}${w.get()}`),
    ],
    [
      "chunks behind a NUL",
      w.post("A: b\u0000\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n", `{}${w.get()}`),
    ],
    [
      "a vertical tab before chunked",
      w.post("Content-Length: 2\r\nTransfer-Encoding: \u000bchunked\r\n", `{}${w.get()}`),
    ],
    ["chunks of HTTP/1.0 with a length", w.post(both, `${lastChunk}${w.get()}`).replace("HTTP/1.1", "HTTP/1.0")],
    ["a chunk's size that overflows to 2", w.chunked(`10000000000000002\r\n{}\r\n${lastChunk}${w.get()}`)],
    ["a chunk extension that hides a line", w.chunked(`2;\nxx\r\n{}\r\n${lastChunk}${w.get()}`)],
    ["a length that is a list", w.post("Content-Length: 2, 0\r\n", `{}${w.get()}`)],
    ["a negative length", w.post("Content-Length: -1\r\n", `{}${w.get()}`)],
    [
      "two hosts in an absolute form with both",
      w.post(both, `${lastChunk}${w.get()}`).replace("/v1/", "http://a.example/v1/"),
    ],
  ].map(([name, bytes]) => refused(`smuggling: ${name}`, bytes ?? ""));
