import { parseId } from "../server/platform/ids.ts";
import { createStore } from "../server/stores/admin.ts";
import { builtPlayer } from "../testkit/built-player.ts";
import { choice, option, page, quizDocument } from "../testkit/document-parts.ts";
import { openOwnApi } from "../testkit/own-api.ts";
import { makeQuiz } from "../testkit/quizzes.ts";

/** A store with one quiz of this many pages, each with one choice, on a server in this process. */
export async function storeOfBench(pages: number, labels: readonly string[]) {
  const { files } = await builtPlayer();
  const own = await openOwnApi({ foundations: { player: files } });
  const { opened } = own;
  const given = {
    name: "Bench",
    shopDomain: "bench.example.com",
    plan: "plus",
    timezone: "UTC",
    currency: "USD",
  } as const;
  const store = await opened.database.transaction((tx) => createStore(tx, opened, given));
  const options = labels.map((label) => option(label.toLowerCase(), { label }));
  const document = {
    ...quizDocument(
      Array.from({ length: pages }, (_, index) =>
        page(`page${index}`, [choice(`q${index}`, options, { question: "Which one?" })], {
          title: `Question ${index + 1}`,
        }),
      ),
    ),
    presentation: { advance: "button" },
  };
  const uuid = parseId("store", store.store_id) ?? "";
  const quiz = await makeQuiz(
    { database: opened.database, foundations: opened },
    { uuid },
    { document, publish: true },
  );
  return { url: own.url, quiz: quiz.id, publishableKey: store.publishable_key, close: own.close };
}
