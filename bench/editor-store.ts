import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { largeQuiz } from "../testkit/large-quiz.ts";
import { startOwnedStore } from "./owned-store.ts";

export interface EditorStore {
  /** a link with which its owner signs in */
  link: string;
  quizId: string;
  stop(): Promise<void>;
}

const words = ["Calm", "Wild", "Bright", "Plain", "Soft", "Rich", "Light", "Deep"];
const things = ["cream", "oil", "soap", "balm", "mask", "mist", "scrub"];

/** Products with distinct titles of three words and a number. */
const productAt = (n: number) => ({
  id: n + 1,
  title: `${words[n % 8]} ${words[Math.floor(n / 8) % 8]} ${things[n % 7]} ${n + 1}`,
  image: { src: `https://pictures.example/${n + 1}.png` },
  variants: [{ id: n + 1, price: "5.00", title: "Default Title" }],
});

/** A shop with this many products and one large draft. */
export async function startEditorStore(products: number): Promise<EditorStore> {
  const store = await startOwnedStore({ sessions: 100, quizzes: 1 });
  const folder = await mkdtemp(join(tmpdir(), "quizstore-editor-"));
  const stop = async () => {
    await store.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const catalog = join(folder, "products.ndjson");
    await writeFile(catalog, Array.from({ length: products }, (_, n) => `${JSON.stringify(productAt(n))}\n`).join(""));
    const begun = performance.now();
    await store.command("import", "products", catalog);
    console.log(`${products.toLocaleString("en")} products in ${Math.round((performance.now() - begun) / 1_000)} s`);
    const draft = join(folder, "large.json");
    await writeFile(draft, JSON.stringify({ name: "Large", document: largeQuiz() }));
    const { quiz_id: quizId }: { quiz_id: string } = JSON.parse(await store.command("quiz", "import", draft));
    return { link: await store.ownersLink(), quizId, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
