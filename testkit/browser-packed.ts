import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";

/** The Chromium in the package `@sparticuz/chromium`, unpacked once: 67 MB that become 200. */

const require = createRequire(import.meta.url);

export interface PackedChromium {
  executablePath: string;
  args: string[];
  env: Record<string, string>;
}

/**
 * Not the package's own arguments: those disable protections of pages, for the sake of cloud functions. Tests run as
 * root in containers, where Chromium's sandbox does not work.
 */
const args = [
  ...["--no-sandbox", "--no-zygote", "--disable-gpu", "--disable-dev-shm-usage", "--font-render-hinting=none"],
  // helper threads of V8 and a separate process for drawing cost a sixth more processor time, which other tests need
  ...["--js-flags=--single-threaded", "--in-process-gpu"],
];

const unpack = 'import("@sparticuz/chromium").then(({ default: chromium }) => chromium.executablePath())';

/**
 * Several processes may begin at once: each unpacks into its own folder, and the first renames its folder to the final
 * name.
 */
export async function packedChromium(): Promise<PackedChromium> {
  const described = require(join(require.resolve("@sparticuz/chromium"), "../../package.json")) as { version: string };
  const kept = join(import.meta.dirname, "../node_modules/.cache");
  const folder = join(kept, `quizstore-chromium-${described.version}`);
  if (!existsSync(folder)) {
    await mkdir(kept, { recursive: true });
    const own = await mkdtemp(`${folder}-`);
    // the package unpacks into the folder for temporary files
    const options = { env: { ...process.env, TMPDIR: own }, cwd: import.meta.dirname };
    await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", unpack], options);
    await rename(own, folder).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
      await rm(own, { recursive: true, force: true });
    });
  }
  const inherited = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  // on a machine without any font, no text would be shown
  const fonts = existsSync("/etc/fonts/fonts.conf") ? {} : { FONTCONFIG_PATH: join(folder, "fonts") };
  return { executablePath: join(folder, "chromium"), args, env: { ...Object.fromEntries(inherited), ...fonts } };
}
