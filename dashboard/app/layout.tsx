import { ActionIcon, Burger, Button, Group } from "@mantine/core";
import { Link, Outlet, useLocation, useMatches, useNavigate } from "@tanstack/react-router";
import { Suspense, useEffect, useState } from "react";
import { EmptyState } from "../ui/empty-state.tsx";
import { IconSearch } from "../ui/icons.tsx";
import { Page } from "../ui/page.tsx";
import { ScreenSkeleton } from "../ui/skeletons.tsx";
import { keepStore } from "../ui/subnav.tsx";
import { When } from "../ui/when.tsx";
import type { StoreOfMe } from "./account-types.ts";
import { Brand } from "./brand.tsx";
import { openMenu, useMenuKeys } from "./command-menu-state.ts";
import { latePart } from "./late.tsx";
import { NavigationList } from "./navigation-list.tsx";
import { OfflineNote } from "./offline-note.tsx";
import { useMe, useStoreOrNull } from "./session.ts";
import { StoreSwitcher } from "./store-switcher.tsx";
import { UserMenu } from "./user-menu.tsx";

const CommandMenu = latePart(() => import("./command-menu.tsx"), "CommandMenu", { isOver: true });
const PhoneMenu = latePart(() => import("./phone-menu.tsx"), "PhoneMenu", { isOver: true });
const ShortcutsHelp = latePart(() => import("./shortcuts-help.tsx"), "ShortcutsHelp", { isOver: true });

interface LayoutProps {
  stores: readonly StoreOfMe[];
  /** a store that the address names and the person does not belong to */
  missing: string | null;
}

/** The frame of every screen: a sidebar, which is a drawer on phones, and the screen. */
export function Layout({ stores, missing }: LayoutProps) {
  const opened = useMenuKeys();
  return (
    <>
      <a className="qs-skip" href="#main">
        Skip to content
      </a>
      <div className="qs-shell">
        <PhoneTop stores={stores} />
        {/* no header: dialogs have headers of their own, and a page has one banner */}
        <aside className="qs-side" aria-label="Store and screens">
          <SideContents stores={stores} />
        </aside>
        <main className="qs-main" id="main" tabIndex={-1}>
          <OfflineNote />
          <SupportNote />
          <Screen missing={missing} />
        </main>
      </div>
      <Suspense>
        {opened.menu && <CommandMenu />}
        {opened.help && <ShortcutsHelp />}
      </Suspense>
    </>
  );
}

/** Reminds an operator on every screen that they are here as support. */
function SupportNote() {
  const until = useStoreOrNull()?.supportUntil;
  if (until === undefined) return null;
  return (
    <p className="qs-card qs-support">
      You are here as support until <When at={until} />. The store's audit log marks what you change.{" "}
      <Link to="/operator">Back to all stores</Link>
    </p>
  );
}

const toAllStores = (
  <Button component={Link} to="/operator">
    To all stores
  </Button>
);

/** Redirects once: this stays on the screen until the next one is loaded. */
function LedToAllStores() {
  const navigate = useNavigate();
  useEffect(() => void navigate({ to: "/operator", replace: true }), [navigate]);
  return <ScreenSkeleton />;
}

function Screen({ missing }: { missing: string | null }) {
  const store = useStoreOrNull();
  const { person } = useMe();
  // the path of the rendered screen, which differs from the address while the next screen loads
  const drawn = useMatches({ select: (matches) => matches.at(-1)?.pathname ?? "" });
  const needsNoStore = /^\/(account|operator)(\/|$)/.test(drawn);
  if (missing !== null && !needsNoStore) {
    return (
      <Page title="This store is not yours">
        <EmptyState
          title="You do not belong to the store of this address"
          text={
            person.operator
              ? "Sign in to it as support first, or choose another store."
              : "Ask one of its owners to invite you, or choose another store."
          }
          action={person.operator && toAllStores}
        />
      </Page>
    );
  }
  if (store === null && !needsNoStore) {
    if (person.operator && drawn === "/") return <LedToAllStores />;
    return (
      <Page title="No store yet">
        <EmptyState
          title="You do not belong to a store yet"
          text={
            person.operator
              ? "Choose a store and sign in to it as support."
              : "An owner of a store can invite you to it."
          }
          action={person.operator && toAllStores}
        />
      </Page>
    );
  }
  return <Outlet />;
}

function SideContents({ stores }: { stores: readonly StoreOfMe[] }) {
  return (
    <>
      <Group justify="space-between" wrap="nowrap" px={10}>
        <Brand />
        <SearchButton />
      </Group>
      <StoreSwitcher stores={stores} />
      <NavigationList />
      <div className="qs-grow" />
      <UserMenu />
    </>
  );
}

const SearchButton = () => (
  <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Search and commands (Ctrl K)" onClick={openMenu}>
    <IconSearch />
  </ActionIcon>
);

function PhoneTop({ stores }: { stores: readonly StoreOfMe[] }) {
  const [isOpen, setOpen] = useState(false);
  const { href } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: whoever went somewhere wants to see it
  useEffect(() => setOpen(false), [href]);
  return (
    <aside className="qs-top" aria-label="Menu and search">
      <Burger size="sm" opened={isOpen} onClick={() => setOpen(true)} aria-label="Menu" aria-expanded={isOpen} />
      <Link to="/" search={keepStore} className="qs-top-brand">
        <Brand />
      </Link>
      <div className="qs-grow" />
      <SearchButton />
      <Suspense>{isOpen && <PhoneMenu stores={stores} onClose={() => setOpen(false)} />}</Suspense>
    </aside>
  );
}
