/** The project's two browser applications, each built from its own sources and served from its own folder. Pure. */

/** The oldest versions of browsers that run the applications [player.browsers]; docs/embedding.md promises them. */
export const oldestBrowsers = { chrome: "111", edge: "111", firefox: "114", safari: "16.4" } as const;

export interface Target {
  name: "player" | "dashboard";
  /** entry point; if this file is missing, the sources are not here */
  main: string;
  /** a script at an address that never changes, which knows the address of the main part */
  loader: string | null;
  /** a part that the loader fetches apart from the main one */
  waiting: string | null;
  /** folders that its files may come from */
  folders: readonly string[];
  /** packages that it contains or is built with; a name that ends in a slash means the whole scope */
  packages: readonly string[];
}

export const playerTarget: Target = {
  name: "player",
  main: "player/embed/main.ts",
  loader: "player/embed/embed.ts",
  waiting: "player/embed/waiting.ts",
  folders: ["player", "engine"],
  packages: ["@gfx/zopfli", "dompurify", "terser", "vite"],
};

export const dashboardTarget: Target = {
  name: "dashboard",
  main: "dashboard/app/main.tsx",
  loader: null,
  waiting: null,
  folders: ["dashboard", "client", "contract", "engine", "player"],
  packages: [
    ...["@atlaskit/", "@mantine/", "@tanstack/", "@xyflow/"],
    ...["dayjs", "dompurify", "react", "react-dom", "recharts", "typebox", "uqr", "vite"],
  ],
};

export const targets: readonly Target[] = [playerTarget, dashboardTarget];

export function targetOf(name: string | undefined): Target {
  const found = targets.find((target) => target.name === name);
  if (found === undefined) throw new Error(`there is no target ${name}; the targets are player and dashboard`);
  return found;
}
