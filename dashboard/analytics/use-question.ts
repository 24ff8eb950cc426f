import { keepPreviousData, type UseQueryResult, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Freshness } from "../../client/src/index.ts";
import { useApi } from "../app/api.ts";
import { polled } from "../app/polling.ts";
import { AnswerClock } from "./answer-clock.ts";
import type { Question } from "./questions.ts";

/** An answer with its ETag, by which the server knows whether there is a newer one. */
interface ReceivedAnswer<Body> {
  body: Body;
  etag: string | null;
  /** in ms on the page's clock */
  receivedAt: number;
}

export type QuestionQuery<Body> = UseQueryResult<Body>;

const clock = new AnswerClock();
/** Monotonic, unlike the time of day. */
const pageNow = (): number => performance.now();
const bodyOf = <Body>({ body }: ReceivedAnswer<Body>): Body => body;

/**
 * Asks a question, and polls while its answer may change. The answer for other filters stays, marked as a placeholder,
 * until the new one arrives; an unchanged answer is not sent again.
 *
 * @param live follow today's events within seconds
 */
export function useQuestion<Body extends { freshness: Freshness }>(
  question: Question<Body>,
  { enabled = true, live = false }: { enabled?: boolean; live?: boolean } = {},
): QuestionQuery<Body> {
  const api = useApi();
  const queries = useQueryClient();
  const queryKey = ["figures", question.operation, question.params ?? null, question.query ?? null];
  return useQuery({
    queryKey,
    queryFn: async ({ signal }): Promise<ReceivedAnswer<Body>> => {
      const cached = queries.getQueryData<ReceivedAnswer<Body>>(queryKey);
      // an ETag that no answer has, so that the first request always gets an answer
      const { data, etag } = await question.ask(api, { signal, ifNoneMatch: cached?.etag ?? '"none"' }).withResponse();
      const receivedAt = pageNow();
      if (data !== null) {
        // a request that names an older answer gets a newer one as soon as it is made
        if (cached) clock.tell(data.freshness, receivedAt);
        return { body: data, etag, receivedAt };
      }
      if (cached) return cached;
      throw new Error("the server answered 304, but no earlier answer is cached");
    },
    select: bodyOf,
    placeholderData: keepPreviousData,
    enabled,
    refetchInterval: (query) =>
      polled(
        query,
        query.state.data
          ? clock.askAgainAfter(query.state.data.body.freshness, {
              live,
              receivedAt: query.state.data.receivedAt,
              now: pageNow(),
            })
          : false,
      ),
  });
}
