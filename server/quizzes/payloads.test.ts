import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestApp, type TestApp } from "../../testkit/app.ts";
import { checkShape, deliveriesOf, handOverDue, insertEndpoint } from "../../testkit/deliveries.ts";
import { makeQuiz } from "../../testkit/quizzes.ts";
import { finderDocument } from "../../testkit/small-quizzes.ts";

let t: TestApp;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());

describe("quiz.published [webhooks.quiz-published]", () => {
  it("tells which version went live, whether the API or the editor published it", async () => {
    const store = await t.store();
    const endpoint = await insertEndpoint(t, store, { topics: ["quiz.published"], includePii: false });
    const draft = await makeQuiz(t, store, { document: finderDocument, name: "Gifts" });
    const saved = await t.request("POST", `/v1/quizzes/${draft.id}/versions`, { key: store.key });
    const publish = `/v1/quizzes/${draft.id}/versions/${saved.body.id}/publish`;
    await t.request("POST", publish, { key: store.key });
    await t.request("POST", publish, { key: store.key });
    const imported = await makeQuiz(t, store, { document: finderDocument, name: "Teas", publish: true });
    await handOverDue(t);
    const deliveries = await deliveriesOf(t, store, endpoint);
    const objects = new Map(deliveries.map((row) => [row.envelope.data.object.quiz_id, row.envelope.data.object]));
    expect([...objects.keys()].toSorted()).toEqual([draft.id, imported.id].toSorted());
    expect(objects.get(imported.id)).toMatchObject({ quiz_name: "Teas", version_id: imported.versionId });
    expect([objects.get(draft.id)]).toEqual([
      {
        quiz_id: draft.id,
        quiz_name: "Gifts",
        version_id: saved.body.id,
        version_number: 1,
        published_at: new Date(t.calendar.now()).toISOString(),
      },
    ]);
    checkShape(deliveries[0]?.envelope);
  });
});
