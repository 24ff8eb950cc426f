import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { invalid, Problem, problemBody } from "../problems.ts";

/** Requests that no route sees (A2): what the parser refuses is answered with a problem and a request id all the same. */

interface RawAnswers {
  baseUrl: string;
  newRequestId: () => string;
}

interface ParserError extends Error {
  code?: string;
}

const statusTexts: Record<number, string> = {
  404: "Not Found",
  405: "Method Not Allowed",
  422: "Unprocessable Content",
  504: "Gateway Timeout",
};

export function rawProblem(problem: Problem, answers: RawAnswers): string {
  const requestId = answers.newRequestId();
  const body = JSON.stringify(problemBody(problem, answers.baseUrl, requestId));
  return [
    `HTTP/1.1 ${problem.status} ${statusTexts[problem.status] ?? "Error"}`,
    "Content-Type: application/problem+json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Request-Id: ${requestId}`,
    "Connection: close",
    "",
    body,
  ].join("\r\n");
}

function parserProblem(error: ParserError): Problem {
  if (error.code === "ERR_HTTP_REQUEST_TIMEOUT") return new Problem("timeout");
  if (error.code === "HPE_HEADER_OVERFLOW") return invalid("header", "the request's headers are too large");
  if (error.code === "HPE_CHUNK_EXTENSIONS_OVERFLOW") return invalid("body", "has too large chunk extensions");
  return invalid("request", "is not well-formed HTTP");
}

/** The handler of the server's `clientError`. */
export const answerClientError =
  (answers: RawAnswers) =>
  (error: ParserError, socket: Socket): void => {
    if (error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy();
      return;
    }
    socket.end(rawProblem(parserProblem(error), answers), () => socket.destroy());
  };

/** What Node would answer on its own: CONNECT (by closing) and unknown expectations (with an empty 417). */
export function answerOddRequests(app: FastifyInstance, server: Server, answers: RawAnswers): void {
  server.on("connect", (_request, socket) => {
    socket.end(rawProblem(new Problem("not_found"), answers));
  });
  server.on("checkExpectation", (request, response) => {
    // RFC 9110 10.1.1 lets a server ignore what it does not know; the request is answered as any other
    app.routing(request, response);
  });
}
