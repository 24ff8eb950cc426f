import type { LiveQuiz, PreviewQuiz } from "../live-quiz.ts";

/** Why there is no quiz to draw. */
export class NoQuiz extends Error {
  /**
   * `unknown`: there is none of that id and key, however often one asks; `away`: nobody answered for now; `too_new`: it is
   * made for a later player; `failed`: a fault of the player
   */
  readonly kind: "unknown" | "away" | "too_new" | "failed";
  /** what the server says is wrong with a draft that is looked at, for its author */
  readonly findings: readonly string[];
  /** a part of the script did not come: browsers never fetch it again on the same page */
  readonly isLost: boolean;

  constructor(kind: NoQuiz["kind"], message: string, findings: readonly string[] = [], isLost = false) {
    super(message);
    this.kind = kind;
    this.findings = findings;
    this.isLost = isLost;
  }
}

/** A part of the script that is fetched when it is wanted. */
export const part = <Part>(coming: Promise<Part>): Promise<Part> =>
  coming.catch((error: unknown) => {
    throw new NoQuiz("away", String(error), [], true);
  });

export type FetchedQuiz = LiveQuiz | PreviewQuiz;

export interface QuizAddress {
  /** of the server, with its last slash */
  base: string;
  quiz: string;
  store: string;
  /** of a preview link, in place of the two */
  token: string | null;
}

/** A server that says nothing for so long is as good as away. */
const patienceMs = 20_000;

const urlOf = ({ base, quiz, store, token }: QuizAddress): string => {
  const part = encodeURIComponent;
  const root = `${base}storefront/v1/`;
  const path = token === null ? `quizzes/${part(quiz)}?store=${part(store)}&` : `previews/${part(token)}?`;
  return `${root}${path}for=player`;
};

/** The quiz as the server has it now. Throws `NoQuiz`. */
export async function fetchQuiz(address: QuizAddress): Promise<FetchedQuiz> {
  const { quiz, store, token } = address;
  if (token === null && (quiz === "" || store === "")) throw new NoQuiz("unknown", "quiz and store must be set");
  try {
    const answer = await fetch(urlOf(address), { signal: AbortSignal.timeout(patienceMs), credentials: "omit" });
    const { ok, status } = answer;
    if (ok) return (await answer.json()) as FetchedQuiz;
    const isPassing = status === 408 || status === 429 || status >= 500;
    const findings = status === 422 ? await findingsOf(answer) : [];
    throw new NoQuiz(isPassing ? "away" : "unknown", `the server answered ${status}`, findings);
  } catch (error) {
    throw error instanceof NoQuiz ? error : new NoQuiz("away", String(error));
  }
}

async function findingsOf(answer: Response): Promise<string[]> {
  const problem = (await answer.json()) as { errors?: { field: string; message: string }[] };
  return (problem.errors ?? []).map(({ field, message }) => `${field} ${message}`);
}
