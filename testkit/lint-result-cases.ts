import type { Page } from "playwright-core";
import type { Condition } from "../engine/document.ts";
import { choice, option, page, quizDocument } from "./document-parts.ts";
import { click, write } from "./lint-mends.ts";

/** The cases of lint-cases.ts about results and what leads to them. */

const calm = { dimension_id: "calm", name: "Calm" };
const wild = { dimension_id: "wild", name: "Wild" };
const scored = choice("feel", [option("dry", { points: { calm: 1 } }), option("oily", { points: { wild: 1 } })]);
const result = (key: string, visible_when: Condition) => page(key, [], { kind: "result", visible_when });
const winning = (key: string, id: string) => result(key, { kind: "winner", op: "in", dimension_ids: [id] });
const reaching = (key: string, value: number) => result(key, { kind: "points", dimension_id: "calm", op: "eq", value });

export const resultCases = {
  recall_unknown: [
    {
      document: quizDocument([page("a", [scored], { title: "For {{answer:gone|you}}" }), winning("r", "calm")], {
        dimensions: [calm, wild],
      }),
      path: "pages.0.title",
      mend: write("For you"),
    },
  ],
  points_unread: [
    {
      document: quizDocument([page("a", [scored])], { dimensions: [calm, wild] }),
      path: "dimensions.0",
      field: "dimensions.0.name",
      mend: (on: Page) => on.locator('[data-cell="0 0"]').fill("0"),
    },
  ],
  results_overlap: [
    {
      document: quizDocument([page("a", [scored]), winning("r", "calm"), winning("s", "calm")], {
        dimensions: [calm, wild],
      }),
      path: "pages.2.visible_when",
      mend: click("Remove this part"),
    },
  ],
  results_gap: [
    {
      document: quizDocument(
        [
          page("a", [
            choice(
              "feel",
              [1, 2, 3].map((points) => option(`o${points}`, { points: { calm: points } })),
            ),
          ]),
          reaching("r", 1),
          reaching("s", 3),
        ],
        { dimensions: [calm] },
      ),
      path: "pages.1.visible_when",
      mend: click("Remove this part"),
    },
  ],
  result_without_page: [
    {
      document: quizDocument([page("a", [scored]), winning("r", "calm")], { dimensions: [calm, wild] }),
      path: "dimensions.1",
      field: "dimensions.1.name",
      mend: (on: Page) => on.locator('[data-cell="1 1"]').fill("0"),
    },
  ],
};
