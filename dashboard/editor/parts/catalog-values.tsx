import { MultiSelect, TagsInput, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { bounds } from "../../../engine/document.ts";
import { type CatalogValue, listCatalogValues } from "../../api/generated.ts";
import { useApi } from "../../app/api.ts";
import { problemOf } from "../../app/problems.ts";
import { useEdit, useFinding, useReadOnly, useValue } from "../context.tsx";
import type { Path } from "../document/change.ts";
import { saidOf } from "../document/finding-words.ts";
import { setEntries } from "../document/rules.ts";
import { fieldName } from "./fields.tsx";

type Kind = "tag" | "vendor" | "product_type" | "collection" | "option";

interface CatalogValuesProps {
  path: Path;
  label: string;
  kind: Kind;
  /** of kind option: only values of this one */
  option?: string;
}

const searchAfterMs = 250;

/** What the catalog has of a kind, with how many products have it now, to pick from; a text may also be typed [editor.rules]. */
export function CatalogValues({ path, label, kind, option }: CatalogValuesProps) {
  const chosen = useValue<readonly string[]>(path) ?? [];
  const edit = useEdit();
  const finding = useFinding(path);
  const readOnly = useReadOnly();
  const [search, setSearch] = useState("");
  const { values, sentence } = useCatalogValues(kind, search, option);
  const countOf = (value: string): string => {
    const found = values.find((one) => one.value === value);
    return found ? productsIn(found.products) : "";
  };
  const shared = {
    label,
    error: finding ? saidOf(finding) : undefined,
    "data-field": fieldName(path),
    readOnly,
    value: [...chosen],
    searchValue: search,
    onSearchChange: setSearch,
    onChange: (entries: string[]) => edit((document) => setEntries(document, path, entries)),
    comboboxProps: { portalProps: { target: ".qs-ed" }, shadow: "md" },
  };
  if (kind === "collection") {
    const known = values.map(({ value, label: title }) => ({ value, label: title }));
    const missing = chosen.filter((id) => values.every(({ value }) => value !== id));
    return (
      <MultiSelect
        {...shared}
        searchable
        maxValues={bounds.selected}
        placeholder={chosen.length === 0 ? "Choose collections" : ""}
        data={[...known, ...missing.map((id) => ({ value: id, label: id.split("/").at(-1) ?? id }))]}
        renderOption={({ option: { value, label: title } }) => <Counted text={title} count={countOf(value)} />}
        nothingFoundMessage={sentence}
      />
    );
  }
  return (
    <TagsInput
      {...shared}
      placeholder={chosen.length === 0 ? "Choose or type" : ""}
      maxTags={bounds.selected}
      // a vendor or type may have a comma
      splitChars={kind === "tag" ? [","] : []}
      acceptValueOnBlur={false}
      data={[...new Set(values.map(({ value }) => value))]}
      filter={({ options }) => options}
      renderOption={({ option: { value } }) => <Counted text={value} count={countOf(value)} />}
    />
  );
}

const Counted = ({ text, count }: { text: string; count: string }) => (
  <span className="qs-grow">
    {text}{" "}
    <Text span size="xs" c="dimmed">
      {count}
    </Text>
  </span>
);

export const productsIn = (count: number): string => (count === 1 ? "1 product" : `${count} products`);

/** Those that contain what is searched; empty while they are loaded. */
export function useCatalogValues(kind: Kind, search: string, option?: string) {
  const api = useApi();
  const [q] = useDebouncedValue(search.trim(), searchAfterMs);
  const found = useQuery({
    queryKey: ["catalog", "values", kind, q],
    queryFn: ({ signal }) => listCatalogValues(api, { query: { kind, ...(q ? { q } : {}) } }, { signal }),
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  });
  const values: readonly CatalogValue[] = found.data?.data ?? [];
  const sentence = found.isError
    ? problemOf(found.error).sentence
    : found.isPending
      ? "Searching…"
      : "Nothing of this name";
  return {
    values: option === undefined ? values : values.filter((one) => one.option?.toLowerCase() === option.toLowerCase()),
    catalog: found.data?.catalog,
    sentence,
  };
}
