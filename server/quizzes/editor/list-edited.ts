import { listEditedQuizzes } from "../../../contract/editor.ts";
import { type CursorBinding, older, placeOf, readPage } from "../../platform/cursors.ts";
import { containing } from "../../platform/database/like.ts";
import { ownStore, raw, sql } from "../../platform/database/sql.ts";
import { memberRoute } from "../../platform/http/dashboard.ts";
import { readRoute } from "../../platform/http/operations.ts";
import type { EditorDeps } from "./deps.ts";
import { type DraftState, editedQuiz, stateColumns, stateTables } from "./state.ts";

/** Lists the quizzes that a store edits, including drafts, newest first [editor.list]. */
export const listEditedRoute = ({ secrets, calendar }: EditorDeps) =>
  memberRoute(
    readRoute(listEditedQuizzes, ({ caller, query }, db) => {
      const { status, archived, q, cursor, limit = 20 } = query;
      const filters = [status ?? null, archived ?? null, q ?? null];
      const binding: CursorBinding = { storeId: caller.store.id, route: listEditedQuizzes.id, filters };
      const live = status === undefined ? null : status === "published";
      const now = calendar.now();
      return readPage(
        { secrets, binding, cursor, limit },
        (after, rows) =>
          db.all(sql<DraftState>`
            SELECT ${stateColumns} FROM ${stateTables}
            WHERE q.store_id = ${ownStore} AND q.deleted_at IS NULL
              AND (${live}::boolean IS NULL OR (q.published_version_id IS NOT NULL) = ${live}::boolean)
              AND (${archived ?? null}::boolean IS NULL OR q.archived = ${archived ?? null}::boolean)
              ${q === undefined ? raw("") : sql`AND q.name ILIKE ${containing(q)}`}
              ${older(after, "q.created_at, q.id")}
            ORDER BY q.created_at DESC, q.id DESC LIMIT ${rows}`),
        placeOf,
        (row) => editedQuiz(row, now),
      );
    }),
  );
