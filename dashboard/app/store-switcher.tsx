import { NativeSelect, Text } from "@mantine/core";
import { useLocation, useNavigate } from "@tanstack/react-router";
import type { StoreOfMe } from "./account-types.ts";
import { withParams } from "./address.tsx";
import { useStoreOrNull } from "./session.ts";
import { idIn } from "./stores.ts";

/** Selects the store to view. A screen about one thing of a store is left for the other store's Home. */
export function StoreSwitcher({ stores }: { stores: readonly StoreOfMe[] }) {
  const store = useStoreOrNull();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  if (store === null) return null;
  if (stores.length === 1) {
    return (
      <Text size="sm" c="dimmed" px={10} className="qs-cut qs-store-name" title={store.name}>
        {store.name}
      </Text>
    );
  }
  const goTo = (id: string) => {
    void navigate({ to: idIn(pathname) === null ? pathname : "/", search: withParams({ store: id }) });
  };
  return (
    <NativeSelect
      aria-label="Store"
      data={stores.map(({ id, name }) => ({ value: id, label: name }))}
      value={store.id}
      onChange={(event) => goTo(event.currentTarget.value)}
    />
  );
}
