import { Accordion, Group, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import type { Profile } from "../../client/src/index.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { useFormat } from "../ui/use-format.ts";
import { When } from "../ui/when.tsx";
import { StateBadge } from "./state-badge.tsx";

/** The parts of a person's page next to the timeline. */

export const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <section>
    <Title order={2} size="h4" mb="xs">
      {title}
    </Title>
    {children}
  </section>
);

export function Identities({ person }: { person: Profile }) {
  return (
    <Part title="Contacts">
      {person.identities.length === 0 ? (
        <Text c="dimmed">No contact is kept.</Text>
      ) : (
        <Stack gap="sm">
          {person.identities.map(({ kind, value, consent, last_seen_at }) => (
            <Group key={`${kind} ${value}`} justify="space-between" gap="xs" className="qs-card" p="sm">
              <div>
                <Text className="qs-name" fw={500}>
                  {value}
                </Text>
                <Text size="sm" c="dimmed">
                  {kind === "email" ? "Email" : "Phone"}, last left <When at={last_seen_at} />
                </Text>
                <ConsentBadge consent={consent} />
              </div>
              <CopyButton value={value} label={kind === "email" ? "Copy email" : "Copy phone number"} />
            </Group>
          ))}
        </Stack>
      )}
    </Part>
  );
}

/** null: the question has no consent checkbox. */
function ConsentBadge({ consent }: { consent: boolean | null }) {
  if (consent === null) return null;
  return (
    <StateBadge color={consent ? "green" : "gray"}>
      {consent ? "Agreed to marketing" : "Did not agree to marketing"}
    </StateBadge>
  );
}

export function LatestResults({ person }: { person: Profile }) {
  if (person.latest_results.length === 0) return null;
  return (
    <Part title="Latest results">
      <Accordion variant="separated" defaultValue={person.latest_results[0]?.quiz_id ?? null} order={3}>
        {person.latest_results.map((result) => (
          <Accordion.Item key={result.quiz_id} value={result.quiz_id}>
            <Accordion.Control>
              <Text className="qs-name" fw={500}>
                {result.quiz_name}
              </Text>
              <Text size="sm" c="dimmed" component="div">
                Finished <When at={result.completed_at} />
              </Text>
            </Accordion.Control>
            <Accordion.Panel>
              <ResultView result={result} />
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
    </Part>
  );
}

type Result = Profile["latest_results"][number];

function ResultView({ result }: { result: Result }) {
  const format = useFormat();
  const { answers, winner, points, formulas, result_page } = result;
  const products = result_page?.shown_products ?? [];
  return (
    <Stack gap="sm">
      {winner !== null && (
        <Fact label="Result">
          {winner.name} ({points.map(({ name, total }) => `${name} ${format.number(total)}`).join(", ")})
        </Fact>
      )}
      {answers.map(({ component_key, question, values, other_text: written, removed }) => (
        <Fact key={component_key} label={`${question}${removed ? " (removed from the quiz)" : ""}`}>
          {values.length === 0 ? "–" : values.join(", ")}
          {written !== undefined && ` (${written})`}
        </Fact>
      ))}
      {formulas.map(({ component_key, label, value }) => (
        <Fact key={component_key} label={label}>
          {format.number(value)}
        </Fact>
      ))}
      {products.length > 0 && (
        <Fact label="Products shown">{products.map(({ title, product_id }) => title ?? product_id).join(", ")}</Fact>
      )}
    </Stack>
  );
}

const Fact = ({ label, children }: { label: string; children: ReactNode }) => (
  <div>
    <Text size="sm" c="dimmed" className="qs-name">
      {label}
    </Text>
    <Text className="qs-name">{children}</Text>
  </div>
);

export function Orders({ person }: { person: Profile }) {
  const format = useFormat();
  if (person.orders.length === 0) return null;
  return (
    <Part title="Orders">
      <DataTable
        label="Orders, newest first"
        rows={person.orders}
        rowKey={({ order_id }) => order_id}
        columns={[
          {
            key: "order",
            header: "Order",
            primary: true,
            cell: ({ order_name, order_id, quiz_name }) => (
              <>
                <span className="qs-name">{order_name ?? order_id}</span>
                {quiz_name !== null && (
                  <Text size="sm" c="dimmed" className="qs-name">
                    after {quiz_name}
                  </Text>
                )}
              </>
            ),
          },
          { key: "when", header: "When", cell: ({ created_at }) => <When at={created_at} /> },
          { key: "amount", header: "Amount", align: "end", cell: ({ amount }) => format.money(amount) },
        ]}
      />
      {person.truncated && (
        <Text size="sm" c="dimmed" mt="xs">
          Only the newest 1,000 are listed.
        </Text>
      )}
    </Part>
  );
}
