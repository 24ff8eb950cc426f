import { Button, Checkbox, Group, Modal, Text, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type CatalogProduct, searchCatalog } from "../../api/generated.ts";
import { useApi } from "../../app/api.ts";
import { ProblemNote } from "../../ui/problem-note.tsx";
import { useFormat } from "../../ui/use-format.ts";
import { useCatalog } from "../context.tsx";

interface ProductPickerProps {
  title?: string;
  /** also products that the shop does not show */
  anyState?: boolean;
  /** what is done with the chosen products, on the button */
  verb?: string;
  close: () => void;
  choose: (products: { product_id: string; variant_id: null }[]) => void;
}

/** Selects from any number of shop products by title and picture, page by page [editor.catalog]. */
export function ProductPicker({
  title = "Choose products",
  verb = "Add",
  anyState = false,
  close,
  choose,
}: ProductPickerProps) {
  const api = useApi();
  const [words, setWords] = useState("");
  const [query] = useDebouncedValue(words.trim(), 250);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const found = useInfiniteQuery({
    queryKey: ["catalog", query, anyState],
    queryFn: ({ pageParam, signal }) =>
      searchCatalog(
        api,
        {
          query: {
            limit: 20,
            ...(query ? { q: query } : {}),
            ...(anyState ? { state: "any" as const } : {}),
            ...(pageParam ? { cursor: pageParam } : {}),
          },
        },
        { signal },
      ),
    initialPageParam: "",
    getNextPageParam: (last) => last.next_cursor,
  });
  const products = found.data?.pages.flatMap(({ data }) => data);
  const toggle = (id: string): void =>
    setChosen(chosen.includes(id) ? chosen.filter((existing) => existing !== id) : [...chosen, id]);
  return (
    <Modal opened onClose={close} title={title} size="lg">
      <TextInput
        data-autofocus
        label="Search by title"
        value={words}
        onChange={(event) => setWords(event.currentTarget.value)}
      />
      {found.isError && <ProblemNote error={found.error} retry={found.refetch} />}
      <ul className="qs-ed-products" aria-busy={found.isFetching}>
        {products?.map((product) => (
          <li key={product.product_id}>
            <ProductLine
              product={product}
              checked={chosen.includes(product.product_id)}
              toggle={() => toggle(product.product_id)}
            />
          </li>
        ))}
      </ul>
      {found.isPending && <Text size="sm">Searching…</Text>}
      {products?.length === 0 && (
        <Text size="sm" c="dimmed">
          {query === "" ? "The shop has sent no products yet." : "No product's title has these words."}
        </Text>
      )}
      <Group justify="space-between" mt="md">
        <Button
          variant="default"
          disabled={!found.hasNextPage}
          loading={found.isFetchingNextPage}
          onClick={() => void found.fetchNextPage()}
        >
          Show more
        </Button>
        <Button
          disabled={chosen.length === 0}
          onClick={() => {
            choose(chosen.map((product_id) => ({ product_id, variant_id: null })));
            close();
          }}
        >
          {chosen.length === 1 ? `${verb} 1 product` : `${verb} ${chosen.length} products`}
        </Button>
      </Group>
    </Modal>
  );
}

function ProductLine({ product, checked, toggle }: { product: CatalogProduct; checked: boolean; toggle: () => void }) {
  const format = useFormat();
  const { shown } = useCatalog();
  const [first] = product.variants;
  return (
    <div className="qs-ed-product">
      <Checkbox checked={checked} onChange={toggle} label={product.title} className="qs-grow qs-name" />
      <span className="qs-ed-thumb">
        {product.image_url && <img src={shown(product.image_url)} alt="" loading="lazy" />}
      </span>
      <small className="qs-ed-price">{first?.price ? format.money(first.price) : ""}</small>
    </div>
  );
}
