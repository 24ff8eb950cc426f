import { join } from "node:path";
import { build } from "vite";

/** Bundles a module and everything it imports into one script, for a test's page. */
export async function bundleForBrowser(entry: string): Promise<string> {
  const result = await build({
    configFile: false,
    root: join(import.meta.dirname, ".."),
    logLevel: "error",
    oxc: { jsx: { runtime: "automatic", importSource: "#draw", development: false } },
    build: {
      write: false,
      minify: false,
      lib: { entry, formats: ["iife"], name: "bundle" },
    },
  });
  const [output] = Array.isArray(result) ? result : [result];
  const chunk = output !== undefined && "output" in output ? output.output[0] : undefined;
  if (chunk === undefined) throw new Error(`Vite built nothing of ${entry}`);
  return chunk.code;
}
