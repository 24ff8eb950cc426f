import type { Move } from "./socket-talk.ts";

/** How the cases of the corpus are written. */

export interface SocketCase {
  name: string;
  moves: readonly Move[];
  /** status and title of each answer, in turn; none: the connection is closed without one */
  answers: readonly (readonly [status: number, title: string])[];
  /** whether the server may go on with the connection: what it could not tell apart, it has to close */
  closes: boolean;
  /** a client that has gone may be left without its last answers */
  hungUp?: true;
  /** only over after a time-out of 30 s */
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

/** Refused as no HTTP, and closed, since nobody knows where the next request would begin. */
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

/** Whoever closes his side has hung up: what he asked for stops, unless it was answered before that was seen. */
export const hungUp = (name: string, answers: SocketCase["answers"], ...moves: Move[]): SocketCase => ({
  ...{ name, moves, answers, closes: true, hungUp: true },
});

/** Nobody is there to be answered. */
export const silent = (name: string, ...moves: Move[]): SocketCase => ({ name, moves, answers: [], closes: true });

export const ok = [200, ""] as const;
export const invalid = [422, "validation_error"] as const;
export const missing = [404, "not_found"] as const;
export const wrongMethod = [405, "method_not_allowed"] as const;
export const noKey = [401, "invalid_api_key"] as const;

/** Builds requests that are right but for what a case changes. */
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

  /** The first line as it is given. */
  line(first: string, extra = ""): string {
    return `${first}\r\nHost: x\r\n${this.auth}${extra}\r\n`;
  }

  /** A search without any condition: answered by 200 where its body arrives whole. */
  post(extra: string, body = "", target = "/v1/profiles/search"): string {
    return `POST ${target} HTTP/1.1\r\nHost: x\r\n${this.auth}Content-Type: application/json\r\n${extra}\r\n${body}`;
  }

  /** The same with a body that follows. */
  sized(body: string, length: number | string = Buffer.byteLength(body)): string {
    return this.post(`Content-Length: ${length}\r\n`, body);
  }

  chunked(body: string, extra = ""): string {
    return this.post(`Transfer-Encoding: chunked\r\n${extra}`, body);
  }
}
