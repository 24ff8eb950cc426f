import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "../platform/config.ts";
import type { Runner } from "../platform/database/sql.ts";
import { giveToFoldersOwner } from "../platform/folder-owner.ts";
import type { RandomBytes } from "../platform/ids.ts";
import { OperatorError } from "../platform/operator-error.ts";
import { openSecrets, type Secrets } from "../platform/secrets.ts";
import { storesAndKey } from "../stores/admin.ts";

/**
 * SECRET_KEY, or with the embedded database a key that is generated once and stored next to it [operations.secret-key].
 * A key that does not match the stored secrets is refused at once: otherwise webhooks would fail one by one, and newly
 * stored secrets would need yet another key.
 */
export async function openSecretKey(
  config: Pick<Config, "secretKey" | "databaseUrl" | "dataDir">,
  db: Runner,
  random: RandomBytes,
): Promise<Secrets> {
  const file = join(config.dataDir, "secret.key");
  const { key, called } =
    config.secretKey === null
      ? { key: await storedKey(file, config, db, random), called: file }
      : { key: config.secretKey, called: "SECRET_KEY" };
  const secrets = openSecrets(key, random);
  if ((await storesAndKey(db, secrets)) === "another key") {
    throw new OperatorError(
      `${called} is not the key that the secrets of this database were encrypted with; put back the one that was in use, which is part of every backup`,
    );
  }
  return secrets;
}

async function storedKey(
  file: string,
  { databaseUrl }: Pick<Config, "databaseUrl">,
  db: Runner,
  random: RandomBytes,
): Promise<string> {
  if (databaseUrl !== null) {
    throw new OperatorError(
      "SECRET_KEY is required with DATABASE_URL, the same for every process: write at least 32 random characters, such as the output of: openssl rand -hex 32",
    );
  }
  const found = await readKey(file);
  if (found === null) {
    if ((await storesAndKey(db, null)) !== "no store") {
      throw new OperatorError(
        `${file} is missing, and the secrets of this database are encrypted with what was in it; put it back from the backup`,
      );
    }
    try {
      await writeFile(file, `${Buffer.from(random(32)).toString("hex")}\n`, { flag: "wx", mode: 0o600 });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
  await chmod(file, 0o600);
  await giveToFoldersOwner(file);
  const key = found ?? (await readKey(file)) ?? "";
  if (key.length < 32) throw new OperatorError(`${file} holds no secret key; restore it from a backup`);
  return key;
}

async function readKey(file: string): Promise<string | null> {
  try {
    return (await readFile(file, "utf8")).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
