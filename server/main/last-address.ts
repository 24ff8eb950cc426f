import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "../platform/config.ts";

/**
 * Where the server of a data directory was reached last. Commands beside it make links that lead there, though `--port` was
 * said to the server alone.
 */
const fileOf = ({ dataDir }: Config): string => join(dataDir, "address");

export async function rememberAddress(config: Config): Promise<void> {
  if (config.databaseUrl === null) await writeFile(fileOf(config), `${config.baseUrl}\n`);
}

/** The settings of a command; an address that is set is not put aside. */
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
