import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * The place of a data directory that journeys copy, created at its first use: one per run of tests, named after its
 * template.
 */
export const installedIn = (template: string): string => join(tmpdir(), `quizstore-installed-${template}`);
