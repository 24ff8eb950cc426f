import { Alert, Button, Checkbox, Text } from "@mantine/core";
import { useState } from "react";
import type { ProductRule } from "../../../engine/document.ts";
import { bounds } from "../../../engine/document.ts";
import { IconPlus } from "../../ui/icons.tsx";
import { useDocument, useEdit, useFinding, useReadOnly, useSession, useSet, useUi } from "../context.tsx";
import { componentPath, type Place } from "../document/edits.ts";
import { saidOf } from "../document/finding-words.ts";
import { addRule, duplicateRule, moveRule, removeRule, ruledAt, rulesPath, setEffect } from "../document/rules.ts";
import { useRuled } from "../ruled-products.tsx";
import { productsIn, useCatalogValues } from "./catalog-values.tsx";
import { ConditionForm } from "./condition-form.tsx";
import { EntryMenu } from "./entry-menu.tsx";
import { ChoiceField, fieldName, NativeField, NumberField, TextField } from "./fields.tsx";
import { SelectorForm } from "./selector-form.tsx";
import { WhyProducts } from "./why-products.tsx";

/** A block that rules fill from the shop's catalog: from what, by which rules, in which order [editor.rules]. */
export function RulesForm({ place }: { place: Place }) {
  const block = useDocument((document) => ruledAt(document, place));
  const { blocks } = useRuled();
  const [open, setOpen] = useOpenRules(place);
  const edit = useEdit();
  const readOnly = useReadOnly();
  const finding = useFinding(rulesPath(place));
  if (block === null) return null;
  const at = componentPath(place);
  const matches = blocks.get(block.block_key)?.matches;
  const add = (): void => {
    edit((document) => addRule(document, place));
    setOpen(block.rules.length);
  };
  return (
    <>
      <CatalogNote />
      <SelectorForm
        path={[...at, "from"]}
        legend="Choose from"
        none="The whole catalog."
        count={matches?.from ?? null}
      />
      <fieldset className="qs-ed-condition" data-field={fieldName(rulesPath(place))} tabIndex={-1}>
        <legend>Rules</legend>
        {finding && <span className="qs-ed-error">{saidOf(finding)}</span>}
        {block.rules.length === 0 && (
          <Text size="sm" c="dimmed">
            Without rules everybody is shown the same products.
          </Text>
        )}
        <ol className="qs-ed-list">
          {block.rules.map((rule, index) => (
            <RuleRow
              // biome-ignore lint/suspicious/noArrayIndexKey: a draft may have two rules of one key
              key={`${rule.rule_key} ${index}`}
              {...{ place, index, rule }}
              rules={block.rules.length}
              count={matches?.rules.find(({ rule_key }) => rule_key === rule.rule_key)?.products ?? null}
              isOpen={open === index}
              toggle={() => setOpen(open === index ? null : index)}
            />
          ))}
        </ol>
        <Button
          size="compact-sm"
          variant="subtle"
          leftSection={<IconPlus />}
          disabled={readOnly || block.rules.length >= bounds.productRules}
          onClick={add}
        >
          Add a rule
        </Button>
      </fieldset>
      <OrderFields place={place} />
      <FallbackFields place={place} count={matches?.fallback ?? null} />
      <WhyProducts place={place} />
    </>
  );
}

/** The rule that is open: the one that a link leads to, or that somebody opened. */
function useOpenRules(place: Place) {
  const [open, setOpen] = useState<number | null>(null);
  const [followed, setFollowed] = useState(0);
  const request = useUi((state) => state.focusRequest);
  if (request !== null && request.at !== followed) {
    const before = `${fieldName(rulesPath(place))}.`;
    setFollowed(request.at);
    if (request.field.startsWith(before)) setOpen(Number(request.field.slice(before.length).split(".")[0]));
  }
  return [open, setOpen] as const;
}

/** A catalog from before the program kept tags says so, as rules on tags cannot find its products. */
function CatalogNote() {
  const { catalog } = useCatalogValues("tag", "");
  if (catalog === undefined) return null;
  if (catalog.products === 0) {
    return (
      <Alert color="orange" variant="light" role="status">
        The shop has sent no products yet: rules have nothing to choose from.
      </Alert>
    );
  }
  if (catalog.without_tags === 0) return null;
  return (
    <Alert color="orange" variant="light" role="status">
      Of {productsIn(catalog.products)}, {catalog.without_tags} {catalog.without_tags === 1 ? "is" : "are"} known
      without tags, vendor and type: they came before these were kept. Each follows with its next change in the shop;
      all of them come with <code>quizstore import products FILE</code>.
    </Alert>
  );
}

const effects: Record<ProductRule["effect"], string> = {
  include: "Show what matches",
  score: "Give points to what matches",
  exclude: "Never show what matches",
};

interface RuleRowProps {
  place: Place;
  index: number;
  rule: ProductRule;
  rules: number;
  count: number | null;
  isOpen: boolean;
  toggle: () => void;
}

/** Only one rule is open at a time: a block may have hundreds. */
function RuleRow({ place, index, rule, rules, count, isOpen, toggle }: RuleRowProps) {
  const path = [...rulesPath(place), index];
  const edit = useEdit();
  const isFlawed = useSession(({ findings }) => findings.some((one) => one.path.startsWith(`${fieldName(path)}.`)));
  const matched = count === null ? "" : `, matches ${productsIn(count)}`;
  return (
    <li className="qs-ed-option" data-field={fieldName(path)} tabIndex={-1}>
      <button type="button" className="qs-ed-row-name" aria-expanded={isOpen} onClick={toggle}>
        <span className="qs-grow qs-name">
          {rule.rule_key}
          <Text span size="xs" c={count === 0 ? "red" : "dimmed"} display="block">
            {effects[rule.effect]}
            {rule.effect === "score" && `: ${rule.score ?? 0}`}
            {rule.when === null ? "" : ", if"}
            {matched}
          </Text>
        </span>
        {isFlawed && <span className="qs-ed-dot" role="img" aria-label="Has a finding" />}
      </button>
      <EntryMenu
        {...{ index }}
        count={rules}
        name={rule.rule_key}
        move={(to) => edit((document) => moveRule(document, place, index, to))}
        duplicate={() => edit((document) => duplicateRule(document, place, index))}
        remove={() => edit((document) => removeRule(document, place, index))}
      />
      {isOpen && <RuleForm {...{ place, index, rule, count }} />}
    </li>
  );
}

function RuleForm({ place, index, rule, count }: Pick<RuleRowProps, "place" | "index" | "rule" | "count">) {
  const path = [...rulesPath(place), index];
  const edit = useEdit();
  const readOnly = useReadOnly();
  return (
    <div className="qs-ed-wide qs-ed-form">
      <TextField path={[...path, "rule_key"]} label="Name of the rule" />
      <NativeField
        label="What it does"
        data-field={fieldName([...path, "effect"])}
        disabled={readOnly}
        value={rule.effect}
        data={Object.entries(effects).map(([value, label]) => ({ value, label }))}
        onChange={(value) => edit((document) => setEffect(document, place, index, value as ProductRule["effect"]))}
      />
      {rule.effect === "score" && <NumberField path={[...path, "score"]} label="Points for a product" otherwise={0} />}
      <ConditionForm path={[...path, "when"]} label="Applies when" none="It applies to everybody." />
      <SelectorForm path={[...path, "match"]} legend="What it matches" none="Every product." count={count} />
    </div>
  );
}

function OrderFields({ place }: { place: Place }) {
  const at = componentPath(place);
  return (
    <>
      <ChoiceField
        path={[...at, "order"]}
        label="In this order"
        data={[
          { value: "score", label: "Most points first" },
          { value: "price_asc", label: "Lowest price first" },
          { value: "price_desc", label: "Highest price first" },
          { value: "newest", label: "Newest first" },
          { value: "title", label: "By title" },
        ]}
      />
      <NumberField path={[...at, "limit"]} label="At most" otherwise={bounds.ruledProducts} form="integer" />
      <NumberField path={[...at, "min_score"]} label="Points that a product needs" placeholder="any" otherwise={null} />
      <ChoiceField
        path={[...at, "one_per"]}
        label="Only one of each"
        otherwise={null}
        clearable
        data={[
          { value: "product_type", label: "Product type" },
          { value: "vendor", label: "Vendor" },
        ]}
      />
      <ChoiceField
        path={[...at, "sold_out"]}
        label="What is sold out"
        data={[
          { value: "hide", label: "Is not shown" },
          { value: "last", label: "Comes last" },
          { value: "show", label: "Is shown as any other" },
        ]}
      />
      <NumberField
        path={[...at, "min_stock"]}
        label="Pieces in stock that it needs"
        placeholder="any"
        otherwise={null}
        form="integer"
      />
      <ChoiceField
        path={[...at, "unit"]}
        label="A place shows"
        data={[
          { value: "product", label: "A product, with its best variant" },
          { value: "variant", label: "A variant: a product may be there several times" },
        ]}
      />
    </>
  );
}

function FallbackFields({ place, count }: { place: Place; count: number | null }) {
  const path = [...componentPath(place), "fallback"];
  const has = useDocument((document) => ruledAt(document, place)?.fallback != null);
  const set = useSet(path, "change the fallback");
  const readOnly = useReadOnly();
  return (
    <div className="qs-ed-form" data-field={fieldName(path)} tabIndex={-1}>
      <Checkbox
        label="If nothing is left, show something else"
        checked={has}
        disabled={readOnly}
        onChange={(event) => set(event.currentTarget.checked ? { from: {}, limit: 4 } : null)}
      />
      {has && (
        <>
          <SelectorForm path={[...path, "from"]} legend="Show instead" none="The whole catalog." count={count} />
          <NumberField
            path={[...path, "limit"]}
            label="At most, instead"
            otherwise={bounds.ruledProducts}
            form="integer"
          />
        </>
      )}
    </div>
  );
}
