import type { FieldError } from "../../../contract/errors.ts";
import type { ProfileSearch } from "../../../contract/search.ts";
import type { Runner } from "../../platform/database/sql.ts";
import type { VersionCache } from "../../quizzes/public.ts";
import { readSearch } from "./read-search.ts";
import { checkTargets } from "./targets.ts";
import type { Search } from "./terms.ts";

/** A body of the contract's shape as a search of this store, or everything that is wrong with it. `place` as in `readSearch`. */
export async function checkSearch(
  db: Runner,
  versions: VersionCache,
  storeId: string,
  body: ProfileSearch,
  place: string,
): Promise<{ search: Search } | { errors: FieldError[] }> {
  const read = readSearch(body, place);
  if ("errors" in read) return read;
  const errors = await checkTargets(db, versions, storeId, read.search, place);
  return errors.length > 0 ? { errors } : read;
}
