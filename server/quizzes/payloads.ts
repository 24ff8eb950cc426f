import type { PayloadBuilder } from "../platform/event-payloads.ts";

/**
 * quiz.published [webhooks.quiz-published]: its object was stored when the quiz was published, and is sent as it was
 * then.
 */
export const quizPayloads: PayloadBuilder = {
  build: async (_db, _storeId, events) => new Map(events.map(({ id, data }) => [id, { object: data }])),
};
