import { Anchor, Group, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { ProfileSummary } from "../../client/src/index.ts";
import { DataTable } from "../ui/data-table.tsx";
import { useFormat } from "../ui/use-format.ts";
import { When } from "../ui/when.tsx";
import type { More } from "./more.ts";
import { StateBadge, Whole } from "./state-badge.tsx";

interface Props {
  label: string;
  people: readonly ProfileSummary[];
  more: More;
  empty: ReactNode;
}

/** People, last seen first, from the list or the search. */
export function PeopleTable({ label, people, more, empty }: Props) {
  const format = useFormat();
  return (
    <DataTable
      label={label}
      rows={people}
      rowKey={({ id }) => id}
      empty={empty}
      more={more}
      columns={[
        { key: "person", header: "Person", primary: true, cell: (person) => <PersonCell person={person} /> },
        {
          key: "seen",
          header: "Last seen",
          cell: ({ last_seen_at: at }) => (
            <Whole>
              <When at={at} />
            </Whole>
          ),
        },
        { key: "quizzes", header: "Quizzes", cell: ({ quizzes }) => <Quizzes quizzes={quizzes} /> },
        {
          key: "finished",
          header: "Finished",
          align: "end",
          cell: ({ completed_count, sessions_count }) =>
            `${format.number(completed_count)} of ${format.number(sessions_count)}`,
        },
        { key: "orders", header: "Orders", align: "end", cell: ({ orders_count }) => format.number(orders_count) },
        { key: "spent", header: "Spent", align: "end", cell: ({ spent }) => format.money(spent) },
      ]}
    />
  );
}

/** A person's name: a contact, else the beginning of the id. */
export const personName = ({ id, email, phone }: Pick<ProfileSummary, "id" | "email" | "phone">): string =>
  email ?? phone ?? `Person ${id.slice(5, 13)}`;

function PersonCell({ person }: { person: ProfileSummary }) {
  const second = person.email !== null ? person.phone : null;
  return (
    <div dir="auto">
      <Group gap="xs" wrap="nowrap">
        <Anchor
          component={Link}
          to={`/profiles/${person.id}`}
          fw={500}
          lineClamp={2}
          style={{ overflowWrap: "anywhere" }}
        >
          {personName(person)}
        </Anchor>
        {person.returning && <StateBadge>Returning</StateBadge>}
      </Group>
      {second !== null && (
        <Text size="sm" c="dimmed">
          {second}
        </Text>
      )}
    </div>
  );
}

const shownQuizzes = 2;

function Quizzes({ quizzes }: Pick<ProfileSummary, "quizzes">) {
  const others = quizzes.length - shownQuizzes;
  return (
    <Text size="sm" lineClamp={2} style={{ overflowWrap: "anywhere" }}>
      {quizzes.slice(0, shownQuizzes).map(({ id, name }, index) => (
        <span key={id}>
          {index > 0 && ", "}
          <bdi>{name}</bdi>
        </span>
      ))}
      {others > 0 && ` and ${others} more`}
    </Text>
  );
}
