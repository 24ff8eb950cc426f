import { Button, Text } from "@mantine/core";
import { useMemo } from "react";
import { conditionInWords, firstWords, namesOf } from "../../../engine/condition-words.ts";
import { useCatalog, useDocument, useGoTo } from "../context.tsx";
import { componentPath } from "../document/edits.ts";
import { ChoiceField } from "../parts/fields.tsx";

/** All products that the quiz shows, and who sees each of them. */
export function ProductRules() {
  const document = useDocument((whole) => whole);
  const { products } = useCatalog();
  const goTo = useGoTo();
  const names = useMemo(() => namesOf(document), [document]);
  const picks = document.pages.flatMap((page, at) =>
    page.components.flatMap((component, place) =>
      component.kind === "products" && component.source !== "rules"
        ? component.products.map((pick, index) => ({
            pick,
            index,
            source: component.source,
            page: firstWords(page.title, page.page_key),
            path: [...componentPath({ page: at, component: place }), "products", index],
          }))
        : [],
    ),
  );
  const titleOf = (id: string): string => products.get(id)?.title ?? id;
  const dimensions = document.dimensions.map(({ dimension_id, name }) => ({
    value: dimension_id,
    label: name || dimension_id,
  }));
  return (
    <section aria-label="Product rules" className="qs-ed-form">
      <h2>Product rules</h2>
      {picks.length === 0 ? (
        <Text size="sm" c="dimmed">
          No page shows products yet.
        </Text>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys
        <section className="qs-ed-grid-box" aria-label="Products and for whom" tabIndex={0}>
          <table className="qs-ed-grid">
            <thead>
              <tr>
                <th scope="col">Product</th>
                <th scope="col">Page</th>
                <th scope="col">Shown to</th>
                <th scope="col">
                  <span className="qs-unseen">Change</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {picks.map(({ pick, path, page, source }) => (
                <tr key={path.join(".")}>
                  <th scope="row">{titleOf(pick.product_id)}</th>
                  <td>{page}</td>
                  <td>
                    {source === "fixed" && "everybody"}
                    {source === "winner" && (
                      <ChoiceField
                        path={[...path, "dimension_id"]}
                        label={`Result that shows ${titleOf(pick.product_id)}`}
                        otherwise={null}
                        clearable
                        data={dimensions}
                      />
                    )}
                    {source === "answers" && (pick.when ? `if ${conditionInWords(pick.when, names)}` : "everybody")}
                  </td>
                  <td>
                    <Button size="compact-xs" variant="subtle" onClick={() => goTo(path.join("."))}>
                      Change
                    </Button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </section>
  );
}
