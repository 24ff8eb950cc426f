import { type Answered, type CallOptions, type Client, type Input, type Reply, type Route, replyOf } from "./core.ts";

/** Paged lists: awaiting one gives the first page, iterating it gives all rows of all pages [client.lists]. */

export interface Page<Row> {
  data: Row[];
  has_more: boolean;
  next_cursor: string | null;
}

export interface List<Row, One extends Page<Row>> extends Reply<One>, AsyncIterable<Row> {
  pages(): AsyncIterable<One>;
}

export function list<Row, One extends Page<Row>>(
  client: Client,
  route: Route,
  input: Input,
  options?: CallOptions,
): List<Row, One> {
  const send = (at: Input) => client.send(route, at, options) as Promise<Answered<One>>;
  const first = send(input);
  const answer = replyOf(first);

  async function* pages(): AsyncGenerator<One> {
    // the caller learns of a failure from the iteration
    answer.catch(() => undefined);
    let page = (await first).data;
    yield page;
    while (page.has_more && page.next_cursor !== null) {
      page = (await send({ ...input, query: { ...input.query, cursor: page.next_cursor } })).data;
      yield page;
    }
  }

  async function* rows(): AsyncGenerator<Row> {
    for await (const { data } of pages()) yield* data;
  }

  return Object.assign(answer, { pages, [Symbol.asyncIterator]: rows });
}
