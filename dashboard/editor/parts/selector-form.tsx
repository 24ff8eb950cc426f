import { Button, CloseButton, Text } from "@mantine/core";
import { Suspense, useState } from "react";
import { bounds, type PriceBound, type ProductSelector } from "../../../engine/document.ts";
import { isNumber } from "../../../engine/kinds/value.ts";
import { latePart } from "../../app/late.tsx";
import { useCatalog, useDocument, useEdit, useFinding, useReadOnly, useSet, useValue } from "../context.tsx";
import type { Path } from "../document/change.ts";
import { saidOf } from "../document/finding-words.ts";
import { type SelectorList, selectorLists, setBound, setEntries } from "../document/rules.ts";
import { CatalogValues, productsIn, useCatalogValues } from "./catalog-values.tsx";
import { fieldName, NativeField } from "./fields.tsx";

const ProductPicker = latePart(() => import("./product-picker.tsx"), "ProductPicker");

const labels: Record<SelectorList, string> = {
  tags_any: "Has one of these tags",
  tags_all: "Has all of these tags",
  tags_none: "Has none of these tags",
  collections: "Is in one of these collections",
  product_types: "Is of one of these types",
  vendors: "Is from one of these vendors",
  product_ids: "Is one of these products",
};

const kinds = {
  tags_any: "tag",
  tags_all: "tag",
  tags_none: "tag",
  collections: "collection",
  product_types: "product_type",
  vendors: "vendor",
} as const;

interface SelectorFormProps {
  path: Path;
  legend: string;
  /** what a selector without parts means */
  none: string;
  /** products that it matches now; null: not known yet */
  count: number | null;
}

/** Which products a rule is about: all parts must hold [editor.rules]. */
export function SelectorForm({ path, legend, none, count }: SelectorFormProps) {
  const selector = useValue<ProductSelector | null>(path) ?? {};
  const [added, setAdded] = useState<readonly string[]>([]);
  const finding = useFinding(path);
  const readOnly = useReadOnly();
  const isShown = (part: string): boolean => Object.hasOwn(selector, part) || added.includes(part);
  const parts = [...selectorLists, "price", "options"] as const;
  const others = parts.filter((part) => !isShown(part));
  return (
    <fieldset className="qs-ed-condition" data-field={fieldName(path)} tabIndex={-1} disabled={readOnly}>
      <legend>{legend}</legend>
      {finding && <span className="qs-ed-error">{saidOf(finding)}</span>}
      {others.length === parts.length && (
        <Text size="sm" c="dimmed">
          {none}
        </Text>
      )}
      {selectorLists.filter(isShown).map((list) => (
        <ListPart key={list} path={path} list={list} remove={() => setAdded(added.filter((part) => part !== list))} />
      ))}
      {isShown("price") && <PricePart path={path} />}
      {isShown("options") && <OptionsPart path={path} />}
      <NativeField
        label={`Narrow ${legend.toLowerCase()}`}
        isLabelUnseen
        value=""
        data={[
          { value: "", label: "Narrow by…" },
          ...others.map((part) => ({
            value: part,
            label: part === "price" ? "Price" : part === "options" ? "Option, such as size" : labels[part],
          })),
        ]}
        onChange={(part) => part !== "" && setAdded([...added, part])}
      />
      {count !== null && (
        <Text size="xs" c={count === 0 ? "red" : "dimmed"} role="status">
          {count === 0 ? "Matches no product now." : `Matches ${productsIn(count)} now.`}
        </Text>
      )}
    </fieldset>
  );
}

interface ListPartProps {
  path: Path;
  list: SelectorList;
  remove: () => void;
}

function ListPart({ path, list, remove }: ListPartProps) {
  const at = [...path, list];
  const set = useSet(path);
  const value = useValue<ProductSelector | null>(path);
  const clear = (): void => {
    const { [list]: _, ...others } = value ?? {};
    set(others);
    remove();
  };
  return (
    <div className="qs-ed-leaf">
      <div className="qs-grow">
        {list === "product_ids" ? (
          <ProductsPart path={at} />
        ) : (
          <CatalogValues path={at} label={labels[list]} kind={kinds[list]} />
        )}
      </div>
      <CloseButton aria-label={`Remove: ${labels[list].toLowerCase()}`} onClick={clear} />
    </div>
  );
}

/** Picks products by title; the path's parent may have no list yet. */
function ProductsPart({ path }: { path: Path }) {
  const chosen = useValue<readonly string[]>(path) ?? [];
  const edit = useEdit();
  const { products } = useCatalog();
  const [isPicking, setPicking] = useState(false);
  const put = (ids: readonly string[]) =>
    edit((document) => setEntries(document, path, [...new Set(ids)].slice(0, bounds.selected)));
  return (
    <div data-field={fieldName(path)} tabIndex={-1}>
      <Text size="sm" fw={500}>
        {labels.product_ids}
      </Text>
      <ul className="qs-ed-list">
        {chosen.map((id) => (
          <li key={id} className="qs-ed-leaf">
            <span className="qs-grow qs-name">{products.get(id)?.title ?? id}</span>
            <CloseButton
              size="sm"
              aria-label={`Remove ${products.get(id)?.title ?? id}`}
              onClick={() => put(chosen.filter((other) => other !== id))}
            />
          </li>
        ))}
      </ul>
      <Button size="compact-sm" variant="default" onClick={() => setPicking(true)}>
        Choose products
      </Button>
      {isPicking && (
        <Suspense>
          <ProductPicker
            close={() => setPicking(false)}
            choose={(picked) => put([...chosen, ...picked.map(({ product_id }) => product_id)])}
          />
        </Suspense>
      )}
    </div>
  );
}

function PricePart({ path }: { path: Path }) {
  return (
    <fieldset className="qs-ed-group" data-field={fieldName([...path, "price"])} tabIndex={-1}>
      <legend className="qs-ed-part">Price</legend>
      <BoundField path={path} name="min" label="From" />
      <BoundField path={path} name="max" label="To" />
    </fieldset>
  );
}

/** A bound is an amount, or the value of a number question or formula. */
function BoundField({ path, name, label }: { path: Path; name: "min" | "max"; label: string }) {
  const at = [...path, "price"];
  const price = useValue<ProductSelector["price"]>(at);
  const pages = useDocument((document) => document.pages);
  const finding = useFinding([...at, name]);
  const edit = useEdit();
  const bound = price?.[name];
  const set = (value: PriceBound | undefined) => edit((document) => setBound(document, at, price, { [name]: value }));
  const sources = pages.flatMap(({ components }) =>
    components.flatMap((part) =>
      isNumber(part)
        ? [
            {
              value: `question ${part.component_key}`,
              label: `What is answered to "${part.question || part.component_key}"`,
            },
          ]
        : part.kind === "formula"
          ? [{ value: `formula ${part.component_key}`, label: `The formula "${part.label || part.component_key}"` }]
          : [],
    ),
  );
  const kind =
    bound === undefined
      ? ""
      : typeof bound === "string"
        ? "amount"
        : "formula" in bound
          ? `formula ${bound.formula}`
          : `question ${bound.component_key}`;
  const choose = (next: string): void => {
    const [source, ...rest] = next.split(" ");
    const key = rest.join(" ");
    if (next === "") set(undefined);
    else if (next === "amount") set("0");
    else set(source === "formula" ? { formula: key } : { component_key: key });
  };
  return (
    <div className="qs-ed-leaf">
      <NativeField
        label={label}
        data-field={fieldName([...at, name])}
        error={finding ? saidOf(finding) : undefined}
        value={kind}
        data={[{ value: "", label: "No limit" }, { value: "amount", label: "An amount" }, ...sources]}
        onChange={choose}
      />
      {typeof bound === "string" && (
        <label className="qs-ed-native">
          <span className="qs-unseen">{`${label}: amount`}</span>
          <input
            type="text"
            inputMode="decimal"
            autoComplete="off"
            value={bound}
            onChange={(event) => set(event.currentTarget.value.replace(",", "."))}
          />
        </label>
      )}
    </div>
  );
}

/** The values of each option, such as a size; several options must all fit. */
function OptionsPart({ path }: { path: Path }) {
  const at = [...path, "options"];
  const options = useValue<ProductSelector["options"]>(at) ?? {};
  const set = useSet(at, "change what a rule matches");
  const { values } = useCatalogValues("option", "");
  const names = [...new Map(values.map(({ option }) => [option?.toLowerCase(), option ?? ""])).values()];
  const [added, setAdded] = useState<readonly string[]>([]);
  const shown = [...new Set([...Object.keys(options), ...added])];
  const others = names.filter((name) => shown.every((other) => other.toLowerCase() !== name.toLowerCase()));
  const without = (name: string): void => {
    const { [name]: _, ...rest } = options;
    set(Object.keys(rest).length === 0 ? undefined : rest);
    setAdded(added.filter((other) => other !== name));
  };
  return (
    <fieldset className="qs-ed-group" data-field={fieldName(at)} tabIndex={-1}>
      <legend className="qs-ed-part">Options</legend>
      {shown.map((name) => (
        <div key={name} className="qs-ed-leaf">
          <div className="qs-grow">
            <OptionValues path={at} name={name} />
          </div>
          <CloseButton aria-label={`Remove ${name}`} onClick={() => without(name)} />
        </div>
      ))}
      <NativeField
        label="Option"
        value=""
        data={[
          { value: "", label: names.length === 0 ? "The catalog has no options" : "Choose an option…" },
          ...others.map((name) => ({ value: name, label: name })),
        ]}
        onChange={(name) => name !== "" && setAdded([...added, name])}
      />
    </fieldset>
  );
}

const OptionValues = ({ path, name }: { path: Path; name: string }) => (
  <CatalogValues path={[...path, name]} label={name} kind="option" option={name} />
);
