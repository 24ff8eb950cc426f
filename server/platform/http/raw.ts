import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { FastifyInstance } from "fastify";
import { invalid, notFound, Problem, problemBody } from "../problems.ts";

/** Requests that no route sees [api.request-ids]: what the parser refuses still gets a problem and a request id. */

interface RawAnswers {
  baseUrl: string;
  newRequestId: () => string;
  /** headers of every answer */
  always: Readonly<Record<string, string>>;
  /** the methods of a path, as in `Allow`; null: there is no such path */
  allowAt: (path: string) => string | null;
  /** called with the status of each answer sent here */
  refused: (status: number) => void;
}

interface ParserError extends Error {
  code?: string;
  rawPacket?: Buffer;
  bytesParsed?: number;
}

const statusTexts: Record<number, string> = {
  404: "Not Found",
  405: "Method Not Allowed",
  422: "Unprocessable Content",
  504: "Gateway Timeout",
};

function rawProblem(problem: Problem, answers: RawAnswers, allow?: string): string {
  const requestId = answers.newRequestId();
  answers.refused(problem.status);
  const body = JSON.stringify(problemBody(problem, answers.baseUrl, requestId));
  return [
    `HTTP/1.1 ${problem.status} ${statusTexts[problem.status] ?? "Error"}`,
    "Content-Type: application/problem+json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Request-Id: ${requestId}`,
    "Cache-Control: no-store",
    ...Object.entries(answers.always).map(([name, value]) => `${name}: ${value}`),
    ...(allow === undefined ? [] : [`Allow: ${allow}`]),
    "Connection: close",
    "",
    body,
  ].join("\r\n");
}

function parserAnswer(error: ParserError, answers: RawAnswers): string {
  if (error.code === "ERR_HTTP_REQUEST_TIMEOUT") return rawProblem(new Problem("timeout"), answers);
  if (error.code === "HPE_HEADER_OVERFLOW") {
    return rawProblem(invalid("header", "the request's headers are too large"), answers);
  }
  if (error.code === "HPE_CHUNK_EXTENSIONS_OVERFLOW") {
    return rawProblem(invalid("body", "has too large chunk extensions"), answers);
  }
  // [operations.proxy-protocol]
  if (beginsWithProxyProtocol(error)) {
    const message = "begins with the PROXY protocol, which is not spoken here: let the proxy send X-Forwarded-For";
    return rawProblem(invalid("request", message), answers);
  }
  if (error.code === "HPE_INVALID_METHOD") {
    const answer = unknownMethod(error, answers);
    if (answer !== null) return answer;
  }
  return rawProblem(invalid("request", "is not well-formed HTTP"), answers);
}

/** Versions 1 and 2 of what HAProxy and network load balancers may put before a connection's first request. */
const proxyProtocol = ["PROXY TCP4 ", "PROXY TCP6 ", "PROXY UNKNOWN", "\r\n\r\n\0\r\nQUIT\n"];

function beginsWithProxyProtocol({ rawPacket }: ParserError): boolean {
  const start = rawPacket?.subarray(0, 16).toString("latin1") ?? "";
  return proxyProtocol.some((signature) => start.startsWith(signature));
}

const requestLine = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64} (\/[\x21-\x7e]*) HTTP\/1\.[01]\r?\n/;

/**
 * The parser knows a fixed list of methods; any other is refused like one that the path does not support [api.methods].
 */
function unknownMethod({ rawPacket, bytesParsed = 0 }: ParserError, answers: RawAnswers): string | null {
  if (!rawPacket) return null;
  // the packet may begin with other requests
  const start = bytesParsed === 0 ? 0 : rawPacket.lastIndexOf("\n", bytesParsed - 1) + 1;
  const match = requestLine.exec(rawPacket.subarray(start, start + 8_192).toString("latin1"));
  if (!match?.[1]) return null;
  const allow = answers.allowAt(match[1].split("?")[0] ?? "");
  if (allow === null) return rawProblem(notFound(), answers);
  return rawProblem(new Problem("method_not_allowed"), answers, allow);
}

/**
 * Ms for which the rest of a refused request is read and dropped: closing earlier would reset the connection while the
 * answer is being sent.
 */
const lingerMs = 1_000;

function endWith(socket: Duplex, answer: string): void {
  socket.end(answer);
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), lingerMs).unref();
  socket.once("close", () => clearTimeout(timer));
}

/** Requests that were refused before their bodies had arrived completely. */
const refusedEarly = new WeakSet<IncomingMessage>();

/** Records that a request is being refused; later errors in its body get no answer. */
export function noteRefusal(request: IncomingMessage): void {
  if (!request.complete) refusedEarly.add(request);
}

/** Whether the faulty or missing bytes belong to a request that already has its answer. */
function hasItsAnswer(socket: Duplex): boolean {
  const { incoming } = (socket as Duplex & { parser?: { incoming?: IncomingMessage | null } | null }).parser ?? {};
  return incoming != null && !incoming.complete && refusedEarly.has(incoming);
}

/** The handler of the server's `clientError`. */
export function answerClientError(answers: RawAnswers): (error: Error, socket: Duplex) => void {
  const refused = new WeakSet<Duplex>();
  return (error: ParserError, socket) => {
    // whatever follows on this connection fails again
    if (refused.has(socket)) return;
    refused.add(socket);
    if (error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy();
      return;
    }
    const answered = hasItsAnswer(socket);
    const refuse = () => {
      // earlier requests on the connection are answered first, and their answers must not be cut in two
      const answering = (socket as Duplex & { _httpMessage?: ServerResponse | null })._httpMessage;
      const isBefore = answering && (answering.req.complete || answering.headersSent);
      if (isBefore) answering.once("close", () => setImmediate(refuse));
      else if (socket.writable) endWith(socket, answered ? "" : parserAnswer(error, answers));
    };
    refuse();
  };
}

/** Replaces Node's own answers: to CONNECT (closes the connection) and to unknown expectations (an empty 417). */
export function answerOddRequests(app: FastifyInstance, server: Server, answers: RawAnswers): void {
  server.on("connect", (_request, socket) => {
    // nothing else listens any more, and an unhandled reset would end the process
    socket.on("error", () => socket.destroy());
    endWith(socket, rawProblem(notFound(), answers));
  });
  server.on("checkExpectation", (request, response) => {
    // RFC 9110 10.1.1 lets a server ignore unknown expectations; the request is answered like any other
    app.routing(request, response);
  });
}
