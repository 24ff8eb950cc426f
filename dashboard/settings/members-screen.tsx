import { Badge, Button, Group, Select, Stack, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { Role } from "../../contract/roles.ts";
import {
  type Invitation,
  listInvitations,
  listMembers,
  type Member,
  removeMember,
  revokeInvitation,
  updateMember,
} from "../api/generated.ts";
import { useApi } from "../app/api.ts";
import { useMe, useMember, useSession } from "../app/session.ts";
import { Card } from "../ui/card.tsx";
import { useConfirm } from "../ui/confirm.ts";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { notifyDone, notifyProblem } from "../ui/notify.ts";
import { QueryView } from "../ui/query-view.tsx";
import { When } from "../ui/when.tsx";
import { InviteCard } from "./invite-card.tsx";
import { roleNames, roleOptions } from "./role-names.ts";
import { SettingsPage } from "./settings-page.tsx";

/** The store's members and their roles. */
export function MembersScreen() {
  return (
    <SettingsPage title="Team and invitations" ownersOnly>
      <Stack maw="60rem">
        <InviteCard />
        <MembersCard />
        <InvitationsCard />
      </Stack>
    </SettingsPage>
  );
}

function useMemberChanges() {
  const api = useApi();
  const queries = useQueryClient();
  const confirm = useConfirm();
  const { store } = useMember();
  const { person } = useMe();
  const { refresh: refreshMe } = useSession();
  const refresh = () => queries.invalidateQueries({ queryKey: ["members"] });
  const setRole = async (member: Member, role: Role) => {
    const change = () => updateMember(api, { path: { user_id: member.user_id }, body: { role } });
    const isOwn = member.user_id === person.id;
    const done = isOwn
      ? await confirm({
          title: "Give up your own role?",
          destroys: (
            <>
              You are then {roleNames[role].toLowerCase()} of <b className="qs-name">{store.name}</b>, and only another
              owner can change that.
            </>
          ),
          verb: "Give it up",
          run: change,
        })
      : await change().catch(notifyProblem);
    if (done) notifyDone(`${member.email} is ${roleNames[role].toLowerCase()} now`);
    await refresh();
    if (isOwn) await refreshMe();
  };
  const remove = async (member: Member) => {
    const done = await confirm({
      title: "Remove from the store?",
      destroys: (
        <>
          <b className="qs-name">{member.name || member.email}</b> loses every access to{" "}
          <b className="qs-name">{store.name}</b> at once. API keys that they made go on working.
        </>
      ),
      verb: "Remove",
      run: async () => {
        await removeMember(api, { path: { user_id: member.user_id } });
        return true;
      },
    });
    if (!done) return;
    await refresh();
    if (member.user_id === person.id) await refreshMe();
  };
  return { setRole, remove };
}

function MembersCard() {
  const api = useApi();
  const { role } = useMember();
  const { person } = useMe();
  const query = useQuery({ queryKey: ["members"], queryFn: () => listMembers(api), enabled: role === "owner" });
  const { setRole, remove } = useMemberChanges();
  const owners = query.data?.data.filter((member) => member.role === "owner") ?? [];
  const isOnlyOwner = (member: Member) => owners.length === 1 && member.role === "owner";
  const columns: Column<Member>[] = [
    {
      key: "person",
      header: "Person",
      cell: (member) => <PersonCell member={member} isOwn={member.user_id === person.id} />,
    },
    {
      key: "role",
      header: "Role",
      cell: (member) => (
        <Select
          size="xs"
          w="8rem"
          aria-label={`Role of ${member.email}`}
          data={roleOptions}
          value={member.role}
          allowDeselect={false}
          disabled={isOnlyOwner(member)}
          onChange={(value) => value !== null && value !== member.role && void setRole(member, value as Role)}
        />
      ),
    },
    { key: "since", header: "Since", cell: ({ since }) => <When at={since} /> },
    { key: "seen", header: "Signed in", cell: ({ signed_in_at: at }) => <When at={at} ago /> },
    {
      key: "remove",
      header: "Remove",
      bare: true,
      cell: (member) =>
        isOnlyOwner(member) ? (
          <Text size="sm" c="dimmed">
            The only owner stays
          </Text>
        ) : (
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => remove(member)}
            aria-label={`Remove ${member.email}`}
          >
            Remove
          </Button>
        ),
    },
  ];
  return (
    <Card title="Team">
      <QueryView query={query}>
        {({ data }) => <DataTable label="Team" columns={columns} rows={data} rowKey={({ user_id: id }) => id} />}
      </QueryView>
    </Card>
  );
}

const PersonCell = ({ member, isOwn }: { member: Member; isOwn: boolean }) => (
  <>
    <Group gap="xs">
      <span className="qs-name">{member.name || member.email}</span>
      {isOwn && <Badge variant="light">You</Badge>}
      {member.disabled && (
        <Badge variant="light" color="red">
          Disabled
        </Badge>
      )}
      {member.two_factor && (
        <Badge variant="light" color="gray">
          Authenticator
        </Badge>
      )}
    </Group>
    {member.name !== "" && <div className="qs-name qs-second">{member.email}</div>}
  </>
);

function InvitationsCard() {
  const api = useApi();
  const { role } = useMember();
  const queries = useQueryClient();
  const confirm = useConfirm();
  const query = useQuery({ queryKey: ["invitations"], queryFn: () => listInvitations(api), enabled: role === "owner" });
  const revoke = async ({ id, email }: Invitation) => {
    await confirm({
      title: "Withdraw the invitation?",
      destroys: (
        <>
          The link that <b className="qs-name">{email}</b> was given will no longer work.
        </>
      ),
      verb: "Withdraw",
      run: () => revokeInvitation(api, { path: { invitation_id: id } }).then(() => true),
    });
    await queries.invalidateQueries({ queryKey: ["invitations"] });
  };
  const columns: Column<Invitation>[] = [
    { key: "email", header: "Email", cell: ({ email }) => <span className="qs-name">{email}</span> },
    { key: "role", header: "Role", cell: (invitation) => roleNames[invitation.role] },
    { key: "by", header: "By", cell: ({ invited_by: by }) => <span className="qs-name">{by ?? "An operator"}</span> },
    { key: "until", header: "Valid until", cell: ({ expires_at: at }) => <When at={at} /> },
    {
      key: "revoke",
      header: "Withdraw",
      bare: true,
      cell: (invitation) => (
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => revoke(invitation)}
          aria-label={`Withdraw the invitation of ${invitation.email}`}
        >
          Withdraw
        </Button>
      ),
    },
  ];
  return (
    <Card title="Open invitations">
      <QueryView query={query}>
        {({ data }) => (
          <DataTable
            label="Open invitations"
            columns={columns}
            rows={data}
            rowKey={({ id }) => id}
            empty={
              <EmptyState
                title="No open invitation"
                text="Invite somebody above: they get a link that works for a week."
              />
            }
          />
        )}
      </QueryView>
    </Card>
  );
}
