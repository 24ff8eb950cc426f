import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "../platform/config.ts";

/**
 * The file with the last address of a data directory's server. Commands for the same directory create links to it,
 * although only the server was given `--port`.
 */
const fileOf = ({ dataDir }: Config): string => join(dataDir, "address");

export async function rememberAddress(config: Config): Promise<void> {
  if (config.databaseUrl === null) await writeFile(fileOf(config), `${config.baseUrl}\n`);
}

/** A command's settings, with the last address unless one is set explicitly. */
export async function atLastAddress(config: Config, environment = process.env): Promise<Config> {
  const isSet = [environment["BASE_URL"], environment["PORT"]].some((text) => text?.trim());
  if (isSet || config.databaseUrl !== null) return config;
  try {
    const baseUrl = (await readFile(fileOf(config), "utf8")).trim();
    return URL.canParse(baseUrl) ? { ...config, baseUrl } : config;
  } catch {
    // no server has run there yet
    return config;
  }
}
