import { type Static, Type } from "typebox";
import { dateTime, id, nullable, oneOf, page, pageQuery, strict } from "./common.ts";
import { nothing, operation } from "./operation.ts";
import { roles } from "./roles.ts";

/** The people of a store, invitations, and the log of what was done; docs/rules/accounts.md. */

export const role = oneOf(
  roles,
  "What the person may do in the store; each role may do all that the ones before it may",
);
export const email = Type.String({
  minLength: 3,
  maxLength: 254,
  description: "Capitals and blanks around it do not matter",
});
export const name = Type.String({ maxLength: 200, description: "As others see it; may be empty" });

const owners = { tag: "Members", scope: null, access: { to: "member", role: "owner" } } as const;

const member = Type.Object(
  {
    user_id: id("user"),
    email,
    name,
    role,
    since: dateTime(),
    signed_in_at: nullable(dateTime("Last")),
    disabled: Type.Boolean({ description: "Cannot sign in at the moment" }),
    two_factor: Type.Boolean(),
  },
  { title: "Member" },
);
export type Member = Static<typeof member>;

const memberExample: Member = {
  user_id: "user_0198f2c4d4e37f608a9b0c1d2e3f4a5b",
  email: "ada@example.com",
  name: "Ada",
  role: "editor",
  since: "2026-09-01T08:15:00.000Z",
  signed_in_at: "2026-09-02T08:15:00.000Z",
  disabled: false,
  two_factor: true,
};

export const listMembers = operation({
  ...owners,
  id: "listMembers",
  method: "GET",
  path: "/dashboard/api/members",
  summary: "List the people of the store, those who came first first",
  cost: "read",
  answer: {
    status: 200,
    shape: Type.Object({ data: Type.Array(member) }),
    example: { data: [memberExample] },
  },
});

const memberParams = Type.Object({ user_id: id("user") });

export const updateMember = operation({
  ...owners,
  id: "updateMember",
  method: "PATCH",
  path: "/dashboard/api/members/{user_id}",
  summary: "Give a member another role",
  description: "A store keeps an owner. The person's sessions go on with a new token.",
  cost: "write",
  params: memberParams,
  body: Type.Object({ role }, strict),
  bodyExample: { role: "editor" },
  answer: { status: 200, shape: member, example: memberExample },
  problems: ["last_owner"],
});

export const removeMember = operation({
  ...owners,
  id: "removeMember",
  method: "DELETE",
  path: "/dashboard/api/members/{user_id}",
  summary: "Remove a member from the store",
  description: "A store keeps an owner.",
  cost: "write",
  params: memberParams,
  answer: { status: 204, shape: nothing, example: null },
  problems: ["last_owner"],
});

const invitationFields = {
  id: id("inv"),
  email,
  role,
  invited_by: nullable(Type.String({ description: "Address of whoever invited; null: an operator" })),
  created_at: dateTime(),
  expires_at: dateTime(),
};
const invitation = Type.Object(invitationFields, { title: "Invitation" });
export type Invitation = Static<typeof invitation>;

const invitationExample: Invitation = {
  id: "inv_0198f2c4d4e37f608a9b0c1d2e3f4a5b",
  email: "ada@example.com",
  role: "editor",
  invited_by: "grace@example.com",
  created_at: "2026-09-01T08:15:00.000Z",
  expires_at: "2026-09-08T08:15:00.000Z",
};

export const listInvitations = operation({
  ...owners,
  id: "listInvitations",
  method: "GET",
  path: "/dashboard/api/invitations",
  summary: "List the invitations that are open, newest first",
  cost: "read",
  answer: {
    status: 200,
    shape: Type.Object({ data: Type.Array(invitation) }),
    example: { data: [invitationExample] },
  },
});

export const createInvitation = operation({
  ...owners,
  id: "createInvitation",
  method: "POST",
  path: "/dashboard/api/invitations",
  summary: "Invite somebody to the store",
  description:
    "Answers the link that the person opens, once; where mail is set up it is mailed too: `mailed` says whether the mail server accepted it within five seconds. An invitation of the same address is replaced.",
  cost: "write",
  body: Type.Object({ email, role }, strict),
  bodyExample: { email: "ada@example.com", role: "editor" },
  answer: {
    status: 201,
    shape: Type.Object(
      { ...invitationFields, url: Type.String({ format: "uri" }), mailed: Type.Boolean() },
      { title: "CreatedInvitation" },
    ),
    example: {
      ...invitationExample,
      url: "https://quiz.example.com/dashboard/link/mCq7ZPzRxkqFhOT0zXG2cVb8mJb0aXQkWv9b7T3dC0E",
      mailed: false,
    },
  },
  problems: ["conflict"],
});

export const revokeInvitation = operation({
  ...owners,
  id: "revokeInvitation",
  method: "DELETE",
  path: "/dashboard/api/invitations/{invitation_id}",
  summary: "Withdraw an invitation",
  cost: "write",
  params: Type.Object({ invitation_id: id("inv") }),
  answer: { status: 204, shape: nothing, example: null },
});

const auditEntry = Type.Object(
  {
    id: id("aud"),
    at: dateTime(),
    actor: Type.Object({
      kind: oneOf(["person", "key", "command_line", "system"]),
      id: nullable(Type.String({ description: "Of the person or the key" })),
      name: Type.String({ description: "Address of a person, admin of a key" }),
      role: nullable(role),
      support: Type.Boolean({ description: "An operator who helps the store" }),
    }),
    address: nullable(Type.String({ description: "Network address that it was done from" })),
    action: Type.String({ description: "Such as member.removed" }),
    target: nullable(Type.String({ description: "What it was done to" })),
    details: Type.Object({}, { additionalProperties: true }),
  },
  { title: "AuditEntry" },
);
export type AuditEntry = Static<typeof auditEntry>;

export const listAudit = operation({
  ...owners,
  id: "listAudit",
  method: "GET",
  path: "/dashboard/api/audit",
  summary: "List who did what in the store, newest first",
  description: "Entries are kept for 400 days.",
  cost: "read",
  query: Type.Object({
    ...pageQuery,
    action: Type.Optional(Type.String({ minLength: 1, maxLength: 60, description: "Entries of this action only" })),
  }),
  answer: {
    status: 200,
    shape: page(auditEntry),
    example: {
      data: [
        {
          id: "aud_0198f2c4d4e37f608a9b0c1d2e3f4a5b",
          at: "2026-09-01T08:15:00.000Z",
          actor: {
            kind: "person",
            id: "user_0198f2c4d4e37f608a9b0c1d2e3f4a5b",
            name: "grace@example.com",
            role: "owner",
            support: false,
          },
          address: "203.0.113.7",
          action: "member.removed",
          target: "ada@example.com",
          details: { role: "editor" },
        },
      ],
      has_more: false,
      next_cursor: null,
    },
  },
});

export const memberOperations = [
  listMembers,
  updateMember,
  removeMember,
  listInvitations,
  createInvitation,
  revokeInvitation,
  listAudit,
] as const;
