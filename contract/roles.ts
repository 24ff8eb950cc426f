import { allScopes, type Scope } from "./scopes.ts";

/** A person's role in a store [dashboard-api.roles]. Each role includes the rights of the ones before it. */
export const roles = ["analyst", "editor", "owner"] as const;
export type Role = (typeof roles)[number];

/** The scopes of a role: only owners see contacts, and so have `profiles:read`. */
export const roleScopes: Readonly<Record<Role, readonly Scope[]>> = {
  analyst: ["quizzes:read", "analytics:read"],
  editor: ["quizzes:read", "analytics:read", "quizzes:write", "quizzes:publish", "webhooks:manage"],
  owner: allScopes,
};

/** This role and the higher ones. */
export const rolesFrom = (least: Role): Role[] => roles.slice(roles.indexOf(least));

/** The roles that hold a scope. */
export const rolesWith = (scope: Scope): Role[] => roles.filter((role) => roleScopes[role].includes(scope));
