import type { LiveQuiz, PreviewQuiz } from "../live-quiz.ts";
import { titleOf } from "../problem.ts";

/** Why no quiz can be drawn. */
export class NoQuiz extends Error {
  /**
   * `unknown`: there is no quiz with this id and key, and retrying will not help; `away`: no response for now;
   * `too_new`: it needs a later player; `failed`: an error in the player
   */
  readonly kind: "unknown" | "away" | "too_new" | "failed";
  /** the server's findings about a previewed draft, for its author */
  readonly findings: readonly string[];
  /** a chunk of the script failed to load: browsers never fetch it again on the same page */
  readonly isLost: boolean;

  constructor(kind: NoQuiz["kind"], message: string, findings: readonly string[] = [], isLost = false) {
    super(message);
    this.kind = kind;
    this.findings = findings;
    this.isLost = isLost;
  }
}

/** A part of the script that is loaded on demand. */
export const part = <Part>(coming: Promise<Part>): Promise<Part> =>
  coming.catch((error: unknown) => {
    throw new NoQuiz("away", String(error), [], true);
  });

export type FetchedQuiz = LiveQuiz | PreviewQuiz;

export interface QuizAddress {
  /** the server's address, with a trailing slash */
  base: string;
  quiz: string;
  store: string;
  /** a preview link's token, instead of quiz and store */
  token: string | null;
}

/** After this many ms without a response the server counts as away. */
const patienceMs = 20_000;

const urlOf = ({ base, quiz, store, token }: QuizAddress): string => {
  const part = encodeURIComponent;
  const root = `${base}storefront/v1/`;
  const path = token === null ? `quizzes/${part(quiz)}?store=${part(store)}&` : `previews/${part(token)}?`;
  return `${root}${path}for=player`;
};

/** Fetches the current version of the quiz. Throws `NoQuiz`. */
export async function fetchQuiz(address: QuizAddress): Promise<FetchedQuiz> {
  const { quiz, store, token } = address;
  if (token === null && (quiz === "" || store === "")) throw new NoQuiz("unknown", "no quiz");
  try {
    const answer = await fetch(urlOf(address), { signal: AbortSignal.timeout(patienceMs), credentials: "omit" });
    const { ok, status } = answer;
    const body = await answer.json();
    if (ok) return body as FetchedQuiz;
    // whatever stands before the server may let the next attempt pass
    const isPassing = status === 408 || status === 429 || status >= 500 || !titleOf(body);
    const findings = status === 422 ? findingsOf(body) : [];
    throw new NoQuiz(isPassing ? "away" : "unknown", `server: ${status}`, findings);
  } catch (error) {
    throw error instanceof NoQuiz ? error : new NoQuiz("away", String(error));
  }
}

const findingsOf = ({ errors = [] }: { errors?: { field: string; message: string }[] }): string[] =>
  errors.map(({ field, message }) => `${field} ${message}`);
