import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ProfileSearch } from "../../../contract/search.ts";
import { openSearchCopy, type SearchCopy } from "../../../testkit/search-copy.ts";
import { searchModel } from "../../../testkit/search-model.ts";
import { mixedSearch, widelyAnswered, widestSearches, wordiestSearch } from "../../../testkit/widest-searches.ts";
import { formatId } from "../../platform/ids.ts";
import { compileSearch, type SearchRow } from "./compile.ts";
import { readNumbers } from "./numbers.ts";
import { readSearch } from "./read-search.ts";

const store = widelyAnswered();
let copy: SearchCopy;
beforeAll(async () => {
  copy = await openSearchCopy();
  await copy.fill(store);
});
afterAll(() => copy.close());

async function found(body: ProfileSearch): Promise<string[]> {
  const read = readSearch(body, "body");
  if (!("search" in read)) throw new Error(JSON.stringify(read.errors));
  const numbers = await readNumbers((question) => copy.query(question), read.search);
  const rows = await copy.query<SearchRow>(compileSearch(read.search, numbers, { after: null, limit: 10 }));
  return rows.flatMap(({ id }) => (id === null ? [] : [formatId("prof", id)]));
}

describe("the widest search that is legal, 1,600 different terms", () => {
  it.for([...widestSearches, ["every kind in turn", mixedSearch] as const])(
    "finds whom the plain model finds: %s [search.bounds]",
    { timeout: 60_000 },
    async ([, body]) => {
      expect(await found(body)).toEqual(searchModel(store, body).ids);
    },
  );

  it("is refused where it has more words to match than a statement can hold [search.bounds]", () => {
    expect(readSearch(wordiestSearch, "body.search")).toEqual({
      errors: [{ field: "body.search.groups", message: "has more than 200 words to match" }],
    });
  });
});
