/** What a key may do [api.scopes]. */
export const scopes = {
  "quizzes:read": "List quizzes, read quizzes and their saved versions",
  "quizzes:write": "Archive, unarchive and soft-delete a quiz; save the draft as a version",
  "quizzes:publish": "Publish a saved version",
  "analytics:read": "Every analytics route; the quiz_analytics export",
  "profiles:read":
    "Personal data: people (list, search, detail), the profiles and responses exports, webhook endpoints with include_pii",
  "webhooks:manage": "Create, edit, delete and redeliver webhooks; the event feed",
} as const;

export type Scope = keyof typeof scopes;
export const allScopes = Object.keys(scopes) as Scope[];

/** What a key created without an explicit choice may do [api.default-scopes]. */
export const defaultScopes: readonly Scope[] = ["quizzes:read", "analytics:read"];
