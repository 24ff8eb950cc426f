import type { ReactNode } from "react";
import { useMember } from "../app/session.ts";
import { EmptyState } from "../ui/empty-state.tsx";
import { Page } from "../ui/page.tsx";
import { Subnav, type SubnavLink } from "../ui/subnav.tsx";

const forAll: readonly SubnavLink[] = [
  { label: "Store", to: "/settings/store" },
  { label: "Plan and credits", to: "/settings/plan" },
];
const forOwners: readonly SubnavLink[] = [
  { label: "Store", to: "/settings/store" },
  { label: "Commerce", to: "/settings/commerce" },
  { label: "Data requests", to: "/settings/data-requests" },
  { label: "Team", to: "/settings/people" },
  { label: "Audit log", to: "/settings/audit" },
  { label: "Plan and credits", to: "/settings/plan" },
];

interface SettingsPageProps {
  title: string;
  description?: string;
  ownersOnly?: boolean;
  actions?: ReactNode;
  children: ReactNode;
}

/** The frame of a settings screen [dashboard.roles]. Other members neither see nor load what is only for owners. */
export function SettingsPage({ title, description, ownersOnly = false, actions, children }: SettingsPageProps) {
  const { role } = useMember();
  const isOwner = role === "owner";
  return (
    <Page title={title} description={description} actions={isOwner || !ownersOnly ? actions : undefined}>
      <Subnav label="Settings" links={isOwner ? forOwners : forAll} />
      {isOwner || !ownersOnly ? (
        children
      ) : (
        <EmptyState title="This is for owners" text="Ask an owner of the store, or let one make you an owner." />
      )}
    </Page>
  );
}
