import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { formatId } from "../server/platform/ids.ts";
import { largeQuiz } from "../testkit/large-quiz.ts";
import { openOwnDatabase } from "../testkit/own-database.ts";
import { databaseUrl, entryOf, thisCheckout } from "../testkit/real-processes.ts";
import { seedDatabase } from "../testkit/seeded/stores.ts";
import { newSecretKey, startProgram } from "./load-programs.ts";

export interface EditorStore {
  /** lets its owner in */
  link: string;
  quizId: string;
  stop(): Promise<void>;
}

const words = ["Calm", "Wild", "Bright", "Plain", "Soft", "Rich", "Light", "Deep"];
const things = ["cream", "oil", "soap", "balm", "mask", "mist", "scrub"];

/** Titles of three words and a number, each of its own. */
const productAt = (n: number) => ({
  id: n + 1,
  title: `${words[n % 8]} ${words[Math.floor(n / 8) % 8]} ${things[n % 7]} ${n + 1}`,
  image: { src: `https://pictures.example/${n + 1}.png` },
  variants: [{ id: n + 1, price: "5.00", title: "Default Title" }],
});

/** The whole program on a database of its own, with a shop of so many products and one large draft. */
export async function startEditorStore(products: number): Promise<EditorStore> {
  const database = await openOwnDatabase();
  const secretKey = newSecretKey();
  const [store] = await seedDatabase(database.connection, secretKey, [
    { sessions: 100, quizzes: 1, plan: "enterprise", limits: {} },
  ]);
  if (!store) throw new Error("no store was made");
  const program = await startProgram(database.connection, secretKey, "127.0.0.1:9");
  const folder = await mkdtemp(join(tmpdir(), "quizstore-editor-"));
  const stop = async () => {
    await program.stop();
    await database.close();
    await rm(folder, { recursive: true, force: true });
  };
  const env = {
    ...process.env,
    DATABASE_URL: databaseUrl(database.connection),
    SECRET_KEY: secretKey,
    BASE_URL: program.origin,
  };
  const command = async (...args: string[]): Promise<string> => {
    const of = ["--store", formatId("store", store.id), "--json"];
    const { stdout } = await promisify(execFile)(process.execPath, [entryOf(thisCheckout), ...args, ...of], { env });
    return stdout;
  };
  try {
    const catalog = join(folder, "products.ndjson");
    await writeFile(catalog, Array.from({ length: products }, (_, n) => `${JSON.stringify(productAt(n))}\n`).join(""));
    const begun = performance.now();
    await command("import", "products", catalog);
    console.log(`${products.toLocaleString("en")} products in ${Math.round((performance.now() - begun) / 1_000)} s`);
    const draft = join(folder, "large.json");
    await writeFile(draft, JSON.stringify({ name: "Large", document: largeQuiz() }));
    const { quiz_id: quizId }: { quiz_id: string } = JSON.parse(await command("quiz", "import", draft));
    const { url: link }: { url: string } = JSON.parse(
      await command("user", "invite", "owner@bench.example", "--role", "owner"),
    );
    return { link, quizId, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
