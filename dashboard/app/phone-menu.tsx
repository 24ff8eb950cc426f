import { Drawer } from "@mantine/core";
import type { StoreOfMe } from "./account-types.ts";
import { NavigationList } from "./navigation-list.tsx";
import { StoreSwitcher } from "./store-switcher.tsx";
import { UserMenu } from "./user-menu.tsx";

/** The sidebar on phones. */
export const PhoneMenu = ({ stores, onClose }: { stores: readonly StoreOfMe[]; onClose: () => void }) => (
  <Drawer opened onClose={onClose} title="Menu" size="18rem">
    <div className="qs-drawer">
      <StoreSwitcher stores={stores} />
      <NavigationList />
      <UserMenu />
    </div>
  </Drawer>
);
