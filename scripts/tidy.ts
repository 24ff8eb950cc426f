/**
 * Rules of style that no other tool checks, applied to the text of files. Pure; `tidy.test.ts` applies them to the
 * tree.
 */

interface Rule {
  says: string;
  pattern: RegExp;
  applies: (path: string) => boolean;
  /** Also searches comments and strings. */
  everywhere?: boolean;
}

export const longestFile = 400;

const isTest = (path: string): boolean => /\.test\.tsx?$/.test(path);
const isProduct = (path: string): boolean =>
  /^(contract|engine|client|player|server|demo)\//.test(path) && !isTest(path);
const isTypeScript = (path: string): boolean => /\.tsx?$/.test(path);
/** The size of generated files is not limited. */
const isGenerated = (path: string): boolean => /\/generated(\/[^/]+)?\.ts$/.test(path);

/**
 * The only files in which the environment, clocks and randomness enter the program and its client, and the browser
 * enters the player.
 */
const isSource = (path: string): boolean =>
  /^(server\/(platform\/(config|clock)[^/]*\.ts$|main\/)|player\/(embed\/|record\/browser\.ts$)|client\/src\/platform\.ts$)/.test(
    path,
  );
const isPure = (path: string): boolean => isProduct(path) && !isSource(path);

/** Words that this file itself would match are split in two. */
const later = new RegExp(`\\b(${["TO", "FIX"].map((start, i) => start + ["DO", "ME"][i]).join("|")})\\b`);

const rules: readonly Rule[] = [
  { says: "reads the environment; take it from the configuration", pattern: /\bprocess\s*\.\s*env\b/, applies: isPure },
  {
    says: "reads a clock; take one as a parameter",
    pattern: /\bDate\s*\.\s*now\b|\bperformance\s*\.\s*now\b|\bTemporal\s*\.\s*Now\b|\bprocess\s*\.\s*hrtime\b/,
    applies: isPure,
  },
  {
    says: "reads a clock: Date without an argument",
    pattern: /\bnew\s+Date\s*(\(\s*\)|(?![\w\s(<]))|(?<!new\s|[\w.])Date\s*\(/,
    applies: isPure,
  },
  { says: "draws a random number; take the source as a parameter", pattern: /\bMath\s*\.\s*random\b/, applies: isPure },
  {
    says: "narrows or disables tests",
    pattern: /\b(it|test|describe|suite|bench)(\.\w+)*\.(only|skip|tod[o]|fails)\b|\bx(it|test|describe)\s*\(/,
    applies: isTypeScript,
  },
  {
    says: "is a default export",
    pattern: /\bexport\s+default\b|\bas\s+default\b/,
    applies: (path) => isTypeScript(path) && path !== "vitest.config.ts",
  },
  {
    says: "brings the contract's library to shoppers; import type",
    pattern: /\b(import|export)\s+(?!type\b)[^;"]*?\bfrom\s+"[./]+\/contract\/|\bimport\s*\(?\s*"[./]+\/contract\//,
    applies: (path) => path.startsWith("player/") && !isTest(path),
    everywhere: true,
  },
  { says: "notes work for later; do it or drop it", pattern: later, applies: () => true, everywhere: true },
  {
    says: "silences the type checker",
    pattern: /(?:\/\/|\/\*)\s*(@ts-(ignore|nocheck|expect-error)|biome-ignore\S*\s+\S*noExplicitAny|eslint-disable)/,
    applies: isTypeScript,
    everywhere: true,
  },
];

/**
 * Code with comments and plain strings replaced by blanks, with the same lines. Templates stay, because `${}` contains
 * code.
 */
export function codeOf(text: string): string {
  const pieces = /`(?:\\[\s\S]|[^`\\])*`|\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g;
  return text.replace(pieces, (piece) => (piece.startsWith("`") ? piece : piece.replace(/[^\n]/g, " ")));
}

/** Casts that bypass the type checker, without a comment on their line or the one before that gives a reason. */
function silencedWithoutReason(path: string, text: string, code: string): string[] {
  const lines = text.split("\n");
  return [...code.matchAll(/\bas\s+(never|unknown\s+as)\b/g)].flatMap((match) => {
    const line = lineAt(code, match.index);
    const around = [lines[line - 2] ?? "", lines[line - 1] ?? ""];
    if (around.some((one) => /\/\/ |\/\*\* |^\s*\* /.test(one))) return [];
    return [`${path}:${line}: ${match[0]} silences the type checker; say why beside it, or find the right type`];
  });
}

const lineAt = (text: string, index: number): number => text.slice(0, index).split("\n").length;

/** What is untidy in a file, each as `path:line: what`. `path` is relative to the project. */
export function untidy(path: string, text: string): string[] {
  const code = codeOf(text);
  const found = rules.flatMap(({ says, pattern, applies, everywhere }) => {
    if (!applies(path)) return [];
    const searched = everywhere ? text : code;
    return [...searched.matchAll(new RegExp(pattern, "g"))].map(
      (match) => `${path}:${lineAt(searched, match.index)}: ${match[0].trim()} ${says}`,
    );
  });
  if (isTypeScript(path)) found.push(...silencedWithoutReason(path, text, code));
  const lines = text.replace(/\n$/, "").split("\n").length;
  if (isTypeScript(path) && !isGenerated(path) && lines > longestFile) {
    found.push(`${path}:${longestFile + 1}: ${lines} lines, at most ${longestFile}`);
  }
  return found;
}

/** Lines of a lock file that name a registry; packages of this project resolve to folders. */
export function boundToRegistry(path: string, lock: string): string[] {
  return lock
    .split("\n")
    .flatMap((line, i) => (/"resolved"\s*:\s*"[^"]*:/.test(line) ? [`${path}:${i + 1}: ${line.trim()}`] : []));
}

/** Migrations are named NNNN_name.sql and numbered from 0001 without a gap. */
export function misnumbered(files: readonly string[]): string[] {
  return [...files].sort().flatMap((file, i) => {
    const expected = String(i + 1).padStart(4, "0");
    if (!/^\d{4}_[a-z0-9_]+\.sql$/.test(file)) return [`migrations/${file}:1: not named NNNN_name.sql`];
    return file.startsWith(expected) ? [] : [`migrations/${file}:1: its number should be ${expected}`];
  });
}

interface Import {
  to: string;
  at: string;
}

/** Imports between slices, except in tests: for each slice, one place for each slice that it uses. */
function sliceImports(files: ReadonlyMap<string, string>): Map<string, Import[]> {
  const imports = new Map<string, Import[]>();
  for (const [path, text] of files) {
    const slice = /^server\/([^/]+)\//.exec(path)?.[1];
    if (slice === undefined || isTest(path) || slice === "main") continue;
    for (const match of text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)) {
      const to = /^\/server\/([^/]+)\//.exec(new URL(match[1] ?? "", `file:///${path}`).pathname)?.[1];
      if (to === undefined || to === slice) continue;
      const own = imports.get(slice) ?? [];
      if (!own.some((known) => known.to === to)) own.push({ to, at: `${path}:${lineAt(text, match.index)}` });
      imports.set(slice, own);
    }
  }
  return imports;
}

/** The cycles among the folders of `server/`, each as the imports that form it. `files` maps paths to texts. */
export function sliceCycles(files: ReadonlyMap<string, string>): string[] {
  const imports = sliceImports(files);
  const cycles: string[] = [];
  const done = new Set<string>();
  const follow = (slice: string, trail: readonly (Import & { from: string })[]): void => {
    const start = trail.findIndex(({ from }) => from === slice);
    if (start >= 0) {
      const steps = trail.slice(start);
      cycles.push(`${steps[0]?.at}: ${steps.map(({ from, to, at }) => `${from} -> ${to} (${at})`).join(", ")}`);
      return;
    }
    if (done.has(slice)) return;
    for (const next of imports.get(slice) ?? []) follow(next.to, [...trail, { ...next, from: slice }]);
    done.add(slice);
  };
  for (const slice of imports.keys()) follow(slice, []);
  return cycles;
}
