import { join } from "node:path";
import react from "@vitejs/plugin-react";
import { createServer, type Plugin, type ViteDevServer } from "vite";
import { bundleLoader } from "../server/web/build.ts";
import { mantineStyles } from "../server/web/mantine-styles.ts";
import { playerTarget } from "../server/web/targets.ts";
import { devBase, playerEntry } from "./dev-files.ts";

/** The dashboard and the player by Vite's middleware, with hot reload. */

const checkout = join(import.meta.dirname, "..");

/** What a browser loads first, by the names that the server's pages have for them. */
const entries: Readonly<Record<string, string>> = {
  // components keep their state when their file changes
  dashboard: `
    import "@vitejs/plugin-react/preamble";
    import "/@vite/client";
    await import("/dashboard/app/main.tsx");`,
  // a quiz begins again when one of its files changes, as the page is loaded again
  player: `
    import "/@vite/client";
    export * from "/player/embed/main.ts";`,
  waiting: `export * from "/player/embed/waiting.ts";`,
};

const devEntries = (): Plugin => ({
  name: "quizstore-dev-entries",
  resolveId: (id) => (id.startsWith("/@quizstore/") ? id : null),
  load: (id) => (id.startsWith("/@quizstore/") ? (entries[id.slice("/@quizstore/".length)] ?? null) : null),
});

export const openVite = (server: import("node:http").Server): Promise<ViteDevServer> =>
  createServer({
    root: checkout,
    base: devBase,
    configFile: false,
    envDir: false,
    publicDir: false,
    appType: "custom",
    clearScreen: false,
    cacheDir: join(checkout, "node_modules/.cache/vite"),
    plugins: [devEntries(), mantineStyles(), react({ exclude: [/\/node_modules\//, /\/player\//] })],
    oxc: { jsx: { development: false } },
    optimizeDeps: { entries: ["dashboard/app/main.tsx", "player/embed/main.ts"] },
    server: { middlewareMode: true, hmr: { server }, watch: { ignored: ["**/data/**", "**/node_modules/**"] } },
  });

/** The script of the shop's page, which is no module and loads the player's sources from Vite. */
export async function devLoader(): Promise<string> {
  const waiting = "dev/@quizstore/waiting";
  const paths = { __PLAYER_MAIN__: playerEntry, __PLAYER_WAITING__: waiting };
  return (await bundleLoader(checkout, playerTarget.loader ?? "", paths)).code;
}
