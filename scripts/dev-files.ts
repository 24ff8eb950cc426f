import type { BuiltFiles } from "../server/web/open-built.ts";

/**
 * The addresses of the browser applications' sources while `npm run dev` runs: Vite serves them below `/dev/`, and the
 * server's own pages name them instead of a build.
 */

export const devBase = "/dev/";
export const playerEntry = "dev/@quizstore/player";
const dashboardEntry = "dev/@quizstore/dashboard";

const serving = (main: string): BuiltFiles => ({
  state: "ready",
  manifest: { sources: "dev", loader: "embed.js", main, styles: [], files: [] },
  file: () => null,
});

export const devFiles = { player: serving(playerEntry), dashboard: serving(dashboardEntry) };
