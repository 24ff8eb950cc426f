import { allScopes, type Scope } from "./scopes.ts";

/** What a person may do in a store [dashboard-api.roles]. Each role may do all that the ones before it may. */
export const roles = ["analyst", "editor", "owner"] as const;
export type Role = (typeof roles)[number];

/** The scopes that a role stands for: contacts are the owner's alone, as `profiles:read` is. */
export const roleScopes: Readonly<Record<Role, readonly Scope[]>> = {
  analyst: ["quizzes:read", "analytics:read"],
  editor: ["quizzes:read", "analytics:read", "quizzes:write", "quizzes:publish", "webhooks:manage"],
  owner: allScopes,
};

/** The roles that may do what needs at least this one. */
export const rolesFrom = (least: Role): Role[] => roles.slice(roles.indexOf(least));

/** The roles that hold a scope. */
export const rolesWith = (scope: Scope): Role[] => roles.filter((role) => roleScopes[role].includes(scope));
