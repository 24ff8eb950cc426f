import { Button, Text } from "@mantine/core";
import { Suspense, useState } from "react";
import { picksOf } from "../../../engine/quiz.ts";
import { latePart } from "../../app/late.tsx";
import { useCatalog, useDocument, useEdit, useFinding, useReadOnly, useSession, useValue } from "../context.tsx";
import { componentAt, componentPath, type Place } from "../document/edits.ts";
import { saidOf } from "../document/finding-words.ts";
import { addPicks, movePick, removePick } from "../document/logic-edits.ts";
import { setSource } from "../document/rules.ts";
import { ConditionForm } from "./condition-form.tsx";
import { EntryMenu } from "./entry-menu.tsx";
import { ChoiceField, fieldName, NativeField, NumberField } from "./fields.tsx";

const RulesForm = latePart(() => import("./rules-form.tsx"), "RulesForm");
const ProductPicker = latePart(() => import("./product-picker.tsx"), "ProductPicker");

/** The products of a block, and who sees each of them. */
export function ProductsForm({ place }: { place: Place }) {
  const block = useDocument((document) => componentAt(document, place));
  const [isPicking, setPicking] = useState(false);
  const edit = useEdit();
  const readOnly = useReadOnly();
  const at = componentPath(place);
  const finding = useFinding([...at, "products"]);
  if (block?.kind !== "products") return null;
  if (block.source === "rules") {
    return (
      <>
        <SourceField place={place} />
        <Suspense>
          <RulesForm place={place} />
        </Suspense>
      </>
    );
  }
  return (
    <>
      <SourceField place={place} />
      <NumberField path={[...at, "limit"]} label="At most" otherwise={1000} form="integer" />
      <fieldset className="qs-ed-condition" data-field={[...at, "products"].join(".")} tabIndex={-1}>
        <legend>Products</legend>
        {finding && <span className="qs-ed-error">{saidOf(finding, "This block")}</span>}
        <ol className="qs-ed-list">
          {block.products.map((pick, index) => (
            <Pick
              // biome-ignore lint/suspicious/noArrayIndexKey: a block may have the same product twice
              key={`${pick.product_id} ${pick.variant_id} ${index}`}
              {...{ place, index }}
              count={block.products.length}
              source={block.source}
            />
          ))}
        </ol>
        <Button size="compact-sm" variant="default" disabled={readOnly} onClick={() => setPicking(true)}>
          Choose products
        </Button>
      </fieldset>
      {isPicking && (
        <Suspense>
          <ProductPicker
            close={() => setPicking(false)}
            choose={(products) => edit((document) => addPicks(document, place, products))}
          />
        </Suspense>
      )}
    </>
  );
}

const sources = [
  { value: "fixed", label: "All of those chosen here" },
  { value: "winner", label: "Those of the result that wins" },
  { value: "answers", label: "Those whose condition holds" },
  { value: "rules", label: "By rule, from the whole catalog" },
] as const;

function SourceField({ place }: { place: Place }) {
  const path = [...componentPath(place), "source"];
  const source = useValue<string>(path) ?? "fixed";
  const finding = useFinding(path);
  const edit = useEdit();
  const readOnly = useReadOnly();
  const choose = (value: string): void => {
    const chosen = sources.find((each) => each.value === value);
    if (chosen) edit((document) => setSource(document, place, chosen.value));
  };
  return (
    <NativeField
      label="Which are shown"
      data-field={fieldName(path)}
      error={finding ? saidOf(finding) : undefined}
      disabled={readOnly}
      value={source}
      data={sources}
      onChange={choose}
    />
  );
}

interface PickProps {
  place: Place;
  index: number;
  count: number;
  source: "fixed" | "winner" | "answers";
}

function Pick({ place, index, count, source }: PickProps) {
  const edit = useEdit();
  const at = [...componentPath(place), "products", index];
  const pick = useDocument((document) => {
    const block = componentAt(document, place);
    return block?.kind === "products" ? picksOf(block)[index] : undefined;
  });
  const dimensions = useDocument((document) => document.dimensions);
  const { products, shown } = useCatalog();
  // show the field even if this kind of block does not use it, as long as the lint has a finding about it
  const has = useSession(({ findings }) =>
    (["variant_id", "dimension_id", "when"] as const)
      .filter((name) => findings.some(({ path }) => `${path}.`.startsWith(`${fieldName(at)}.${name}.`)))
      .join(" "),
  );
  const product = products.get(pick?.product_id ?? "");
  if (!pick) return null;
  const title = product?.title ?? pick.product_id;
  const variants = product?.variants ?? [];
  return (
    <li className="qs-ed-option" data-field={at.join(".")}>
      <span className="qs-ed-thumb">
        {product?.image_url && <img src={shown(product.image_url)} alt="" loading="lazy" />}
      </span>
      <span className="qs-grow qs-name">
        {title}
        {!product && (
          <Text size="xs" c="dimmed" component="span" display="block">
            The shop does not have it: shoppers are not shown it.
          </Text>
        )}
      </span>
      <EntryMenu
        {...{ index, count }}
        name={title}
        move={(to) => edit((document) => movePick(document, place, index, to))}
        duplicate={() => edit((document) => addPicks(document, place, [pick]))}
        remove={() => edit((document) => removePick(document, place, index))}
      />
      <div className="qs-ed-wide">
        {(variants.length > 1 || has.includes("variant_id")) && (
          <ChoiceField
            path={[...at, "variant_id"]}
            label={`Variant of ${title}`}
            otherwise={null}
            clearable
            data={variants.map(({ variant_id, title: name }) => ({ value: variant_id, label: name ?? variant_id }))}
          />
        )}
        {(source === "winner" || has.includes("dimension_id")) && (
          <ChoiceField
            path={[...at, "dimension_id"]}
            label={`Result that shows ${title}`}
            otherwise={null}
            clearable
            data={dimensions.map(({ dimension_id, name }) => ({ value: dimension_id, label: name || dimension_id }))}
          />
        )}
        {(source === "answers" || has.includes("when")) && (
          <ConditionForm path={[...at, "when"]} label={`${title} is shown when`} none="Everybody is shown it." />
        )}
      </div>
    </li>
  );
}
