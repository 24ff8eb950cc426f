import type { Move } from "./socket-talk.ts";

/** The form of the corpus's cases. */

export interface SocketCase {
  name: string;
  moves: readonly Move[];
  /** status and title of each answer, in order; empty: the connection is closed without one */
  answers: readonly (readonly [status: number, title: string])[];
  /** whether the server has to close the connection, because it could not find the end of the request */
  closes: boolean;
  /** a client that has disconnected may get no last answers */
  hungUp?: true;
  /** ends only after a time-out of 30 s */
  slow?: true;
}

export interface Target {
  /** a key with every scope */
  key: string;
  /** a store's publishable key and one of its quizzes */
  store: string;
  quiz: string;
}

const malformed = [[422, "validation_error"]] as const;

/** Refused as invalid HTTP, and closed, because it is unknown where the next request would begin. */
export const refused = (name: string, ...moves: Move[]): SocketCase => ({
  name,
  moves,
  answers: malformed,
  closes: true,
});

export const answered = (
  name: string,
  answers: SocketCase["answers"],
  moves: readonly Move[],
  closes = false,
): SocketCase => ({ name, moves, answers, closes });

/**
 * A client that closes its side has hung up: its request is aborted, unless it was answered before that was noticed.
 */
export const hungUp = (name: string, answers: SocketCase["answers"], ...moves: Move[]): SocketCase => ({
  ...{ name, moves, answers, closes: true, hungUp: true },
});

/** There is nobody to answer. */
export const silent = (name: string, ...moves: Move[]): SocketCase => ({ name, moves, answers: [], closes: true });

export const ok = [200, ""] as const;
export const invalid = [422, "validation_error"] as const;
export const missing = [404, "not_found"] as const;
export const wrongMethod = [405, "method_not_allowed"] as const;
export const noKey = [401, "invalid_api_key"] as const;

/** Builds requests that are valid except for a case's change. */
export class Writer {
  readonly target: Target;

  constructor(target: Target) {
    this.target = target;
  }

  get auth(): string {
    return `Authorization: Bearer ${this.target.key}\r\n`;
  }

  /** `extra`: header lines, each with its line end. */
  get(extra = "", target = "/v1/store", version = "HTTP/1.1"): string {
    return `GET ${target} ${version}\r\nHost: x\r\n${this.auth}${extra}\r\n`;
  }

  /** With this first line. */
  line(first: string, extra = ""): string {
    return `${first}\r\nHost: x\r\n${this.auth}${extra}\r\n`;
  }

  /** A search without any condition: answered 200 if its body arrives completely. */
  post(extra: string, body = "", target = "/v1/profiles/search"): string {
    return `POST ${target} HTTP/1.1\r\nHost: x\r\n${this.auth}Content-Type: application/json\r\n${extra}\r\n${body}`;
  }

  /** The same followed by a body. */
  sized(body: string, length: number | string = Buffer.byteLength(body)): string {
    return this.post(`Content-Length: ${length}\r\n`, body);
  }

  chunked(body: string, extra = ""): string {
    return this.post(`Transfer-Encoding: chunked\r\n${extra}`, body);
  }
}
