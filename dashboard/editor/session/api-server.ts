import { type Client, ConnectionError, ProblemError, type SavedDraft } from "../../../client/src/index.ts";
import type { KeyKind } from "../../../engine/key-kinds.ts";
import type { Finding } from "../../../engine/lint.ts";
import { getDraft, putDraft } from "../../api/generated.ts";
import { problemOf } from "../../app/problems.ts";
import { type DraftServer, NotSaved, type Refusal, type SavedAnswer, type ServerDraft } from "./types.ts";

/** Loads and saves drafts through the dashboard's API. */
export const apiServer = (api: Client, quizId: string): DraftServer => ({
  async put({ name, document }, revision): Promise<SavedAnswer> {
    const input = { path: { quiz_id: quizId }, body: { name, document } };
    try {
      // the autosave retries itself, with what was typed meanwhile
      const answer = await putDraft(api, input, { headers: { "If-Match": `"${revision}"` }, retries: 0 });
      return savedAnswer(answer);
    } catch (error) {
      throw new NotSaved(refusalOf(error));
    }
  },
  async get(): Promise<ServerDraft> {
    return await getDraft(api, { path: { quiz_id: quizId } });
  },
});

const savedAnswer = ({ revision, saved_at, saved_by, findings, document }: SavedDraft): SavedAnswer => ({
  revision,
  saved_at,
  saved_by,
  findings: findings as Finding[],
  document,
});

const sorts = ["page", "component", "dimension"] as const;

/** Reads the server's list of keys in the quiz's versions; kinds that the lint does not know are dropped. */
export const keyKindsOf = (rows: readonly (readonly string[])[]): KeyKind[] =>
  rows.flatMap(([named, key = "", kind = ""]): KeyKind[] => {
    const sort = sorts.find((known) => known === named);
    return sort === undefined ? [] : [[sort, key, kind]];
  });

/** The reason for a refused change, as the session handles it. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof ConnectionError) return { kind: "away" };
  if (!(error instanceof ProblemError)) return { kind: "refused", sentence: problemOf(error).sentence };
  const { problem, status, title } = error;
  if (title === "draft_changed") {
    const { saved_by: by = null, saved_at: at = "" } = problem.draft ?? {};
    return { kind: "changed", by, at };
  }
  if (title === "ai_run_in_progress") {
    const { holder = "The AI assistant", expires_at: until = "" } = problem.assistant ?? {};
    return { kind: "assistant", holder, until };
  }
  if (status === 401) return { kind: "signed-out" };
  if (status === 429 || status >= 500) return { kind: "away" };
  return { kind: "refused", sentence: problemOf(error).sentence };
}
