import { keepPreviousData, type UseQueryResult, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Freshness } from "../../client/src/index.ts";
import { useApi } from "../app/api.ts";
import { AnswerClock } from "./answer-clock.ts";
import type { Question } from "./questions.ts";

/** An answer and the mark by which the server knows whether there is a newer one. */
interface Held<Body> {
  body: Body;
  etag: string | null;
  /** on the page's clock */
  receivedAt: number;
}

export type AskedQuery<Body> = UseQueryResult<Body>;

const clock = new AnswerClock();
/** Unlike the time of day it is never set. */
const pageNow = (): number => performance.now();
const bodyOf = <Body>({ body }: Held<Body>): Body => body;

/**
 * Asks a question, and asks again while its answer is about to change. What was answered to other filters stays, marked as
 * such, until the new answer is there; nothing is sent twice that has not changed.
 *
 * @param live follow what happens today within seconds
 */
export function useQuestion<Body extends { freshness: Freshness }>(
  question: Question<Body>,
  { enabled = true, live = false }: { enabled?: boolean; live?: boolean } = {},
): AskedQuery<Body> {
  const api = useApi();
  const queries = useQueryClient();
  const queryKey = ["figures", question.operation, question.params ?? null, question.query ?? null];
  return useQuery({
    queryKey,
    queryFn: async ({ signal }): Promise<Held<Body>> => {
      const held = queries.getQueryData<Held<Body>>(queryKey);
      // a mark that no answer has: the first time anything is new
      const { data, etag } = await question.ask(api, { signal, ifNoneMatch: held?.etag ?? '"none"' }).withResponse();
      const receivedAt = pageNow();
      if (data !== null) {
        // whoever names an older answer is sent a newer one as soon as it is made
        if (held) clock.tell(data.freshness, receivedAt);
        return { body: data, etag, receivedAt };
      }
      if (held) return held;
      throw new Error("the server says that nothing changed, and nothing is held");
    },
    select: bodyOf,
    placeholderData: keepPreviousData,
    enabled,
    refetchInterval: ({ state: { data } }) =>
      data ? clock.askAgainAfter(data.body.freshness, { live, receivedAt: data.receivedAt, now: pageNow() }) : false,
  });
}
