import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A checkout with a player of a few lines, for tests of building and serving players. */

const root = join(import.meta.dirname, "..");

const sources: Readonly<Record<string, string>> = {
  "player/tsconfig.json": '{ "extends": "../tsconfig.json", "compilerOptions": { "jsx": "react-jsx" } }',
  "player/embed/embed.ts": `declare const __PLAYER_MAIN__: string;
    const { src } = document.currentScript as HTMLScriptElement;
    import(/* @vite-ignore */ new URL(__PLAYER_MAIN__, src).href).then(({ begin }) => begin());`,
  "player/embed/waiting.ts": 'export const wait = (): string => "until a trigger fires";',
  "player/embed/main.ts": `import { answer } from "../../engine/answer.ts";
    import { draw } from "../view/draw.tsx";
    export function begin(): void {
      for (const quiz of document.querySelectorAll("quiz-store")) {
        draw(quiz, answer(quiz.getAttribute("quiz") ?? ""));
        import("./overlay.ts").then(({ over }) => quiz.setAttribute("data-overlay", over));
      }
    }`,
  "player/embed/overlay.ts": 'export const over = "a dialog that most pages never need";',
  "player/view/draw.tsx":
    "export const draw = (host: Element, text: string): void => host.replaceChildren(<p>{text}</p>);",
  "player/draw/jsx-runtime.ts": `export function jsx(name: string, { children }: { children: string }): Element {
      const element = document.createElement(name);
      element.append(children);
      return element;
    }`,
  "player/view/draw.test.tsx": "// no part of it",
  "engine/answer.ts": 'export const answer = (quiz: string): string => ["the quiz", quiz].join(" ");',
};

export interface SmallPlayer {
  checkout: string;
  data: string;
  write(path: string, text: string): Promise<void>;
  remove(): Promise<void>;
}

export async function smallPlayer(): Promise<SmallPlayer> {
  const folder = await mkdtemp(join(tmpdir(), "quizstore-player-"));
  const checkout = join(folder, "checkout");
  const data = join(folder, "data");
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(checkout, path)), { recursive: true });
    await writeFile(join(checkout, path), text);
  };
  for (const [path, text] of Object.entries(sources)) await write(path, text);
  for (const path of ["package.json", "tsconfig.json"]) await cp(join(root, path), join(checkout, path));
  await symlink(join(root, "node_modules"), join(checkout, "node_modules"));
  await mkdir(data);
  return { checkout, data, write, remove: () => rm(folder, { recursive: true, force: true }) };
}
