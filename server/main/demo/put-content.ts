import { demoCatalog } from "../../../demo/catalog.ts";
import { demoQuizzes } from "../../../demo/quizzes.ts";
import type { PlannedQuiz } from "../../../demo/shoppers.ts";
import { putProducts } from "../../orders/catalog.ts";
import type { CommandDeps } from "../../platform/command-line/commands.ts";
import type { Transaction } from "../../platform/database/sql.ts";
import { importQuiz } from "../../quizzes/public.ts";

/** Puts the demo's catalog and quizzes into a store, as if they had been published over the previous days. */

const dayMs = 24 * 60 * 60 * 1000;

export async function putDemoContent(
  tx: Transaction,
  { random }: Pick<CommandDeps, "random">,
  storeId: string,
  history: { from: number; to: number },
): Promise<PlannedQuiz[]> {
  await putProducts(tx.forStore(storeId), demoCatalog, history.to);
  const planned: PlannedQuiz[] = [];
  for (const [index, { name, share, versions }] of demoQuizzes.entries()) {
    let quizId: string | null = null;
    const live: PlannedQuiz["versions"][number][] = [];
    for (const [number, { document, publishedDaysBeforeEnd }] of versions.entries()) {
      // a moment apart, so that the list has an order; the first versions are older than the first shopper
      const first = history.from - (demoQuizzes.length - index) * 60_000;
      const from =
        publishedDaysBeforeEnd === null ? first : Math.max(first, history.to - publishedDaysBeforeEnd * dayMs);
      const deps = { calendar: { now: () => from, afterReal: (ms: number) => from + ms }, random };
      const input = { document, name, publish: true, admin: "demo", ...(quizId === null ? {} : { quizId }) };
      const made = await importQuiz(tx, deps, storeId, input);
      quizId = made.quiz_id;
      if (made.version_id === null) throw new Error("a demo quiz was not published");
      live.push({ version_id: made.version_id, version_number: number + 1, document, from });
    }
    if (quizId !== null) planned.push({ quiz_id: quizId, share, versions: live });
  }
  return planned;
}
