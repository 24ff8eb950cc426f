import { sentenceOf } from "../../platform/command-line/print.ts";

/** The findings of `quizstore doctor`. */

/** `warn`: worth knowing, but the program works; `fail`: something must be fixed. */
export type Verdict = "ok" | "warn" | "fail";

export interface Finding {
  check: string;
  status: Verdict;
  /** what was found; no secrets */
  detail: string;
  /** what to do; null: nothing */
  remedy: string | null;
}

export type Seen = Omit<Finding, "check">;

export const ok = (detail: string): Seen => ({ status: "ok", detail, remedy: null });
export const warn = (detail: string, remedy: string): Seen => ({ status: "warn", detail, remedy });
export const fail = (detail: string, remedy: string): Seen => ({ status: "fail", detail, remedy });

export class Findings {
  readonly all: Finding[] = [];

  /** Records the result of a check. A check that throws has failed; `remedy` says what to do about that. */
  async check(name: string, remedy: string, inspect: () => Seen | Promise<Seen>): Promise<Seen> {
    const seen = await Promise.resolve()
      .then(inspect)
      .catch((error: unknown) => fail(reasonOf(error), remedy));
    this.all.push({ check: name, ...seen });
    return seen;
  }

  get failed(): boolean {
    return this.all.some(({ status }) => status === "fail");
  }
}

/** Storage and cache hide the cause behind a public problem; the operator needs the cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const sentence = sentenceOf(error);
  if (!(cause instanceof Error)) return sentence;
  const reason = cause.message || cause.name;
  return sentence.includes(reason) ? sentence : `${sentence}: ${reason}`;
}
