import { type Role, roles } from "../../contract/roles.ts";

export const roleNames: Readonly<Record<Role, string>> = { owner: "Owner", editor: "Editor", analyst: "Analyst" };

/** What each role may do, in one sentence. */
export const roleSentences: Readonly<Record<Role, string>> = {
  owner: "Everything: people, keys, settings, contacts and erasures too.",
  editor: "Quizzes, publishing, webhooks, and exports without contacts.",
  analyst: "Reads figures, and sees no contacts.",
};

export const roleOptions = roles.map((role) => ({ value: role, label: roleNames[role] }));
