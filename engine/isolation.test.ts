import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const folder = new URL(".", import.meta.url);
const sources = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
  (name) => name.endsWith(".ts") && !name.endsWith(".test.ts"),
);

/** Packages that run anywhere, by the file that needs them. */
const packages: Readonly<Record<string, string>> = { "phone-numbers.ts": "libphonenumber-js/core" };

it.each(sources)(
  "%s runs in a browser: nothing from outside the engine, nothing of Node's [engine.anywhere]",
  (name) => {
    const text = readFileSync(new URL(name, folder), "utf8");
    const specifiers = [...text.matchAll(/(?<!["'])\b(?:from|import)\s*\(?\s*["']([^"']+)["']/g)].map(
      (match) => match[1],
    );
    const own = specifiers.filter((specifier) => specifier !== packages[name]);
    for (const specifier of own) expect(specifier).toMatch(/^\.\.?\/(kinds\/)?[a-z-]+\.ts$/);
    const code = text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
    expect(code).not.toMatch(/\b(process|Buffer|globalThis|require|eval|Function|Date|setTimeout)\b\s*[.(]/);
    expect(code).not.toMatch(/Math\.random|new Date|Date\.now|__dirname|import\.meta/);
  },
);
