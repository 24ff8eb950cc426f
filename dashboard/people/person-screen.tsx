import { Button, Grid, Group, List, Loader, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { getProfile, type Profile } from "../../client/src/index.ts";
import { eraseProfile, getProfileData, previewErasure } from "../api/generated.ts";
import { useApi } from "../app/api.ts";
import { useMember } from "../app/session.ts";
import { useConfirm, usePasswordAgain } from "../ui/confirm.ts";
import { notifyDone, notifyProblem } from "../ui/notify.ts";
import { Page } from "../ui/page.tsx";
import { QueryView } from "../ui/query-view.tsx";
import { useFormat } from "../ui/use-format.ts";
import { When } from "../ui/when.tsx";
import { destroyed } from "./erasure-words.ts";
import { NoContacts } from "./no-contacts.tsx";
import { Identities, LatestResults, Orders } from "./person-parts.tsx";
import { PersonTimeline } from "./person-timeline.tsx";
import { saveFile } from "./save-file.ts";
import { StateBadge } from "./state-badge.tsx";

/** One person: who they are, what they answered and did. */
export function PersonScreen() {
  const { contacts } = useMember();
  return contacts ? <PersonContents /> : <NoContacts />;
}

function PersonContents() {
  const { profileId = "" }: { profileId?: string } = useParams({ strict: false });
  const api = useApi();
  const person = useQuery({
    queryKey: ["person", profileId],
    queryFn: ({ signal }) => getProfile(api, { path: { profile_id: profileId } }, { signal }),
  });
  const title = person.data === undefined ? "Person" : nameOf(person.data);
  return (
    <Page
      title={title}
      isName
      back={{ to: "/profiles", label: "People" }}
      description={person.data && <Seen person={person.data} />}
      actions={person.data && <PersonActions person={person.data} name={title} />}
    >
      <QueryView query={person}>{(data) => <PersonView person={data} />}</QueryView>
    </Page>
  );
}

const nameOf = ({ id, identities }: Profile): string => identities[0]?.value ?? `Person ${id.slice(5, 13)}`;

const Seen = ({ person }: { person: Profile }) => (
  <>
    First seen <When at={person.first_seen_at} />, last seen <When at={person.last_seen_at} />
  </>
);

function PersonView({ person }: { person: Profile }) {
  return (
    <Stack gap="lg">
      <Figures person={person} />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <PersonTimeline profileId={person.id} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Stack gap="lg">
            <Identities person={person} />
            <LatestResults person={person} />
            <Orders person={person} />
          </Stack>
        </Grid.Col>
      </Grid>
    </Stack>
  );
}

function Figures({ person }: { person: Profile }) {
  const format = useFormat();
  const figures: [string, string][] = [
    ["Visits to quizzes", format.number(person.sessions_count)],
    ["Finished", format.number(person.completed_count)],
    ["Different quizzes", format.number(person.quizzes_taken_count)],
    ["Orders", format.number(person.orders_count)],
    ["Spent", format.money(person.spent)],
  ];
  return (
    <Group gap="xl" component="dl" m={0} style={{ rowGap: "0.5rem" }}>
      {figures.map(([label, value]) => (
        <div key={label}>
          <Text component="dt" size="sm" c="dimmed">
            {label}
          </Text>
          <Text component="dd" m={0} fw={600} size="lg">
            {value}
          </Text>
        </div>
      ))}
      {person.returning === true && <StateBadge>Returning</StateBadge>}
    </Group>
  );
}

function PersonActions({ person, name }: { person: Profile; name: string }) {
  const { role } = useMember();
  const readData = useDataRequest(person.id);
  const erase = useErasure(person.id, name);
  if (role !== "owner") return null;
  return (
    <Group gap="sm">
      <Button variant="default" {...pressed(readData)}>
        Download all data
      </Button>
      <Button color="red" variant="light" {...pressed(erase)}>
        Erase…
      </Button>
    </Group>
  );
}

/**
 * Shows a spinner instead of disabling the button: it keeps the focus, and the dialog that follows returns the focus to
 * it.
 */
const pressed = ({ isPending, mutate }: { isPending: boolean; mutate: () => void }) => ({
  onClick: () => !isPending && mutate(),
  ...(isPending ? { leftSection: <Loader size={14} color="currentColor" aria-hidden /> } : {}),
});

/** Downloads a person's data when they ask what the shop stores about them. */
function useDataRequest(profileId: string) {
  const api = useApi();
  const withPassword = usePasswordAgain();
  return useMutation({
    mutationFn: async () => {
      const data = await withPassword(() => getProfileData(api, { path: { profile_id: profileId } }));
      if (data === null) return;
      saveFile(`${profileId}.json`, `${JSON.stringify(data, null, 2)}\n`, "application/json");
      notifyDone("The file holds everything that is stored about this person.");
    },
    onError: notifyProblem,
  });
}

function useErasure(profileId: string, name: string) {
  const api = useApi();
  const confirm = useConfirm();
  const withPassword = usePasswordAgain();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const path = { profile_id: profileId };
  const ask = async (parts: string[]) => {
    const done = await confirm({
      title: "Erase this person?",
      verb: "Erase for good",
      destroys: <Destroyed name={name} parts={parts} />,
      run: () => withPassword(() => eraseProfile(api, { path })),
    });
    if (done === null) return;
    // cached lists, files and messages name the person: first drop those of other screens, then this screen's own
    queries.removeQueries({ type: "inactive" });
    notifyDone("The person was erased.");
    await navigate({ to: "/profiles" });
    for (const key of ["person", "person-timeline"]) queries.removeQueries({ queryKey: [key, profileId] });
  };
  return useMutation({
    mutationFn: () => previewErasure(api, { path }),
    onSuccess: (extent) => void ask(destroyed(extent)),
    onError: notifyProblem,
  });
}

const Destroyed = ({ name, parts }: { name: string; parts: string[] }) => (
  <Stack gap="sm">
    <Text>
      <b className="qs-name">{name}</b> is erased from this store and cannot be brought back:
    </Text>
    <List size="sm">
      {parts.map((part) => (
        <List.Item key={part}>{part}</List.Item>
      ))}
    </List>
    <Text size="sm" c="dimmed">
      Figures stay as they are: visits and orders are counted without the person.
    </Text>
  </Stack>
);
