import type { ReactNode } from "react";
import type { Scope } from "../../contract/scopes.ts";
import {
  IconAccount,
  IconChart,
  IconCode,
  IconExport,
  IconHome,
  IconOperator,
  IconPeople,
  IconQuiz,
  IconSettings,
} from "../ui/icons.tsx";
import type { Member } from "./account-types.ts";
import { may } from "./session.ts";

/** A destination of the command menu. */
export interface Entry {
  label: string;
  to: string;
  /** other words that people may search for */
  words: string;
  /** the scope that it needs; without one every member sees it */
  scope?: Scope;
  ownersOnly?: true;
}

/** A screen that is also in the sidebar. */
export interface Destination extends Entry {
  icon: () => ReactNode;
  /** where it leads members who are not owners, if `to` is for owners */
  toOthers?: string;
}

const all: readonly Destination[] = [
  { label: "Home", to: "/", icon: IconHome, words: "start overview today" },
  { label: "Quizzes", to: "/quizzes", icon: IconQuiz, words: "funnel paths answers products" },
  {
    label: "Analytics",
    to: "/analytics",
    icon: IconChart,
    words: "store traffic breakdown revenue",
    scope: "analytics:read",
  },
  {
    label: "People",
    to: "/profiles",
    icon: IconPeople,
    words: "profiles contacts search segments",
    scope: "profiles:read",
  },
  { label: "Exports", to: "/exports", icon: IconExport, words: "download csv files" },
  {
    label: "Developers",
    to: "/developers/keys",
    toOthers: "/developers/webhooks",
    icon: IconCode,
    words: "api keys",
    scope: "webhooks:manage",
  },
  {
    label: "Settings",
    to: "/settings/store",
    icon: IconSettings,
    words: "store name time zone",
  },
];

/** Screens below those of the sidebar, which the command menu reaches directly. */
const below: readonly Entry[] = [
  { label: "Webhooks", to: "/developers/webhooks", words: "endpoints deliveries", scope: "webhooks:manage" },
  { label: "Events", to: "/developers/events", words: "feed topics", scope: "webhooks:manage" },
  { label: "Search people", to: "/profiles/search", words: "answers segments builder", scope: "profiles:read" },
  { label: "Plan and credits", to: "/settings/plan", words: "limits usage" },
  { label: "Commerce connection", to: "/settings/commerce", words: "orders shopify secret test", ownersOnly: true },
  { label: "Team and invitations", to: "/settings/people", words: "members roles", ownersOnly: true },
  {
    label: "Data requests",
    to: "/settings/data-requests",
    words: "privacy customers personal data",
    ownersOnly: true,
  },
  { label: "Audit log", to: "/settings/audit", words: "who did what", ownersOnly: true },
];

/** Whether a screen belongs to a destination: the first segment of the path decides. */
export const isBelow = (pathname: string, to: string): boolean => pathname.split("/")[1] === to.split("/")[1];

export const destinationsFor = (member: Member | null): Destination[] =>
  member === null
    ? []
    : all
        .filter(({ scope }) => scope === undefined || may(member, scope))
        .map(({ to, toOthers = to, ...destination }) => ({
          ...destination,
          to: member.role === "owner" ? to : toOthers,
        }));

/** Common actions, with the screen where each is done. */
const actions: readonly Entry[] = [
  { label: "New quiz", to: "/quizzes/new", words: "make create template", scope: "quizzes:write" },
  { label: "Invite somebody", to: "/settings/people", words: "member colleague role", ownersOnly: true },
  { label: "Make an API key", to: "/developers/keys", words: "token secret", ownersOnly: true },
];

const allowed = (list: readonly Entry[], member: Member): Entry[] =>
  list.filter(
    ({ scope, ownersOnly }) => (scope === undefined || may(member, scope)) && (!ownersOnly || member.role === "owner"),
  );

export const actionsFor = (member: Member): Entry[] => allowed(actions, member);
export const screensBelowFor = (member: Member): Entry[] => allowed(below, member);

export const accountDestination: Destination = {
  label: "My account",
  to: "/account",
  icon: IconAccount,
  words: "password authenticator sessions sign out personal token assistant",
};

export const operatorDestination: Destination = {
  label: "Operator",
  to: "/operator",
  icon: IconOperator,
  words: "stores plans limits support",
};
