import type { LiveQuiz, PreviewQuiz } from "../live-quiz.ts";

/** Why there is no quiz to draw. */
export class NoQuiz extends Error {
  /**
   * `unknown`: there is none of that id and key, however often one asks; `away`: nobody answered for now; `too_new`: it is
   * made for a later player
   */
  readonly kind: "unknown" | "away" | "too_new";
  /** what the server says is wrong with a draft that is looked at, for its author */
  readonly findings: readonly string[];

  constructor(kind: NoQuiz["kind"], message: string, findings: readonly string[] = []) {
    super(message);
    this.kind = kind;
    this.findings = findings;
  }
}

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
  return token === null ? `${root}quizzes/${part(quiz)}?store=${part(store)}` : `${root}previews/${part(token)}`;
};

/** The quiz as the server has it now. Throws `NoQuiz`; nothing comes of it once `signal` is over. */
export async function fetchQuiz(address: QuizAddress, signal: AbortSignal): Promise<FetchedQuiz> {
  const { quiz, store, token } = address;
  if (token === null && (quiz === "" || store === "")) throw new NoQuiz("unknown", "quiz and store must be set");
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), patienceMs);
  const give = () => patience.abort();
  signal.addEventListener("abort", give);
  try {
    const answer = await fetch(urlOf(address), { signal: patience.signal, credentials: "omit" });
    if (answer.ok) return (await answer.json()) as FetchedQuiz;
    const isPassing = answer.status === 408 || answer.status === 429 || answer.status >= 500;
    const message = `the server answered ${answer.status}`;
    throw new NoQuiz(isPassing ? "away" : "unknown", message, answer.status === 422 ? await findingsOf(answer) : []);
  } catch (error) {
    throw error instanceof NoQuiz ? error : new NoQuiz("away", String(error));
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", give);
  }
}

async function findingsOf(answer: Response): Promise<string[]> {
  const problem = (await answer.json()) as { errors?: { field: string; message: string }[] };
  return (problem.errors ?? []).map(({ field, message }) => `${field} ${message}`);
}
