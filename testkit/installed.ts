import { tmpdir } from "node:os";
import { join } from "node:path";

/** Where stories find a data directory to copy, made when the first wants one: of one run of tests, by its template's name. */
export const installedIn = (template: string): string => join(tmpdir(), `quizstore-installed-${template}`);
