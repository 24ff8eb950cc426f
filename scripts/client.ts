import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { generatedFiles, root } from "./client-code/files.ts";

/** `npm run client`: generates parts of the client and of the dashboard from the contract [client.generated]. */

for (const [path, text] of await generatedFiles()) {
  const file = join(root, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  console.log(path);
}
