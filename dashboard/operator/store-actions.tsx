import { Button, Menu } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { disconnectStore, endSupport, type OperatedStore, reconnectStore } from "../api/generated.ts";
import { personApi } from "../app/api.ts";
import { personQueries } from "../app/query.ts";
import { useConfirm } from "../ui/confirm.ts";
import { notifyDone, notifyProblem } from "../ui/notify.ts";
import { ChangeStore } from "./change-store.tsx";
import { Support } from "./support.tsx";

/** The operator's actions on a store. */
export function StoreActions({ store }: { store: OperatedStore }) {
  const queries = useQueryClient();
  const confirm = useConfirm();
  const [opened, setOpened] = useState<"change" | "support" | null>(null);
  const path = { store_id: store.id };
  const refresh = async () => {
    await queries.invalidateQueries({ queryKey: ["operated"] });
    await personQueries.invalidateQueries({ queryKey: ["supported"] });
  };
  const disconnect = () =>
    confirm({
      title: "Disconnect the store?",
      destroys: (
        <>
          Every API key of <b className="qs-name">{store.name}</b> is revoked, every webhook endpoint deleted and every
          export cancelled. Connecting it again brings none of them back.
        </>
      ),
      verb: "Disconnect",
      typed: store.name,
      run: () => disconnectStore(personApi, { path }),
    }).then(refresh);
  const reconnect = () =>
    reconnectStore(personApi, { path })
      .then(() => notifyDone("The store is connected again"))
      .then(refresh)
      .catch(notifyProblem);
  const leave = () => endSupport(personApi, { path }).then(refresh).catch(notifyProblem);
  return (
    <>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <Button size="compact-sm" variant="default" aria-label={`What to do with ${store.name}`}>
            Do…
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setOpened("change")}>Plan, zone and limits</Menu.Item>
          {store.support_until === null ? (
            <Menu.Item onClick={() => setOpened("support")} disabled={store.disconnected_at !== null}>
              Sign in as support
            </Menu.Item>
          ) : (
            <Menu.Item onClick={leave}>Leave as support</Menu.Item>
          )}
          <Menu.Divider />
          {store.disconnected_at === null ? (
            <Menu.Item color="red" onClick={disconnect}>
              Disconnect
            </Menu.Item>
          ) : (
            <Menu.Item onClick={reconnect}>Connect again</Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {opened === "change" && <ChangeStore store={store} onClose={() => setOpened(null)} onChanged={refresh} />}
      {opened === "support" && <Support store={store} onClose={() => setOpened(null)} onBegun={refresh} />}
    </>
  );
}
