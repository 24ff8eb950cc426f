import { publishDraft } from "../../../contract/editor.ts";
import type { QuizDocument } from "../../../engine/document.ts";
import type { StoreTransaction } from "../../platform/database/sql.ts";
import { memberRoute } from "../../platform/http/dashboard.ts";
import { pathId, writeRoute } from "../../platform/http/operations.ts";
import { formatId } from "../../platform/ids.ts";
import { Problem } from "../../platform/problems.ts";
import { refuseDuringRun } from "../ai-lease.ts";
import { changeQuiz } from "../change-quiz.ts";
import { type Earlier, readEarlier } from "../definition.ts";
import { type Actor, actorOf } from "../deps.ts";
import { makeLive } from "../publish-version.ts";
import { lockQuiz, parseQuizId, readQuiz } from "../rows.ts";
import { addVersion, validVersion } from "../save-version.ts";
import { answered, type EditorDeps } from "./deps.ts";
import { assertNamed, namedTag } from "./if-match.ts";
import { type DraftState, findingsOf, readDraft, readState, savedDraft } from "./state.ts";

/**
 * POST .../draft/publish: the draft that If-Match names becomes the next version, which goes live at once
 * [editor.publish]. If it is live already, nothing changes.
 */
export const publishDraftRoute = (deps: EditorDeps) =>
  memberRoute(
    writeRoute(publishDraft, async ({ caller, headers, params, body }, tx) => {
      const { id } = await readQuiz(tx, pathId(parseQuizId, params["quiz_id"]));
      const tag = namedTag(headers);
      const { state, earlier } = await ready(tx, deps, id, tag);
      const { document } = await validVersion(await readDraft(tx, id), earlier);
      const checked: Checked = { document, earlier, versions: state.versions_numbered };
      if (document.pages.length === 0)
        throw new Problem("conflict", { detail: "A quiz without pages cannot be published" });
      const findings = await findingsOf(document, earlier);
      const said = (of: DraftState) => savedDraft(of, deps.calendar.now(), { findings, document: null });
      // checked before any lock: a repeat must not raise the revision, since a revision without a change would be a gap
      if (!state.differs) return answered(said(state), []);
      const label = body.label?.toWellFormed() ?? null;
      const number = await changeQuiz(tx, deps, id, () =>
        publish(tx, deps, actorOf(caller), { id, tag, label, checked }),
      );
      if (number === null) return answered(said(await readState(tx, id)), []);
      const details = { version: number, label };
      const published = { action: "quiz.published", target: formatId("quiz", id), details };
      return answered(said(await readState(tx, id)), [published]);
    }),
  );

async function ready(tx: StoreTransaction, deps: EditorDeps, id: string, tag: string) {
  const state = await readState(tx, id);
  refuseDuringRun(state, deps.calendar.now());
  assertNamed(tag, state);
  return { state, earlier: await readEarlier(tx, id, state.versions_numbered) };
}

/** The draft that If-Match names, checked as the version after the given number of versions. */
interface Checked {
  document: QuizDocument;
  earlier: Earlier;
  versions: number;
}

interface Publishing {
  id: string;
  tag: string;
  label: string | null;
  checked: Checked;
}

/**
 * Checks again once the quiz is locked; returns the version's number, or null if somebody else published it first. The
 * tag guarantees that the document is the checked one. It is validated again only if another version came between,
 * because shoppers wait for the store's lock meanwhile.
 */
async function publish(tx: StoreTransaction, deps: EditorDeps, by: Actor, { id, tag, label, checked }: Publishing) {
  const quiz = await lockQuiz(tx, id);
  const { state, earlier } = await ready(tx, deps, id, tag);
  if (!state.differs) return null;
  const { document } =
    quiz.versions_numbered === checked.versions ? checked : await validVersion(await readDraft(tx, id), earlier);
  const version = await addVersion(tx, deps, by, quiz, { document, earlier, label });
  await makeLive(tx, deps, by, quiz, version);
  return version.number;
}
