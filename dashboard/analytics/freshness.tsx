import { Alert, Button, Group, Text } from "@mantine/core";
import { useIsFetching, useQueryClient } from "@tanstack/react-query";
import type { Freshness } from "../../client/src/index.ts";
import { When } from "../ui/when.tsx";
import { IconRefresh } from "./icons.tsx";

/** How fresh the figures are, and a button to refresh them [dashboard-figures.freshness]. */
export function FreshnessLine({ freshness }: { freshness: Freshness | undefined }) {
  const queries = useQueryClient();
  const asking = useIsFetching({ queryKey: ["figures"] }) > 0;
  const asOf = freshness?.as_of ?? null;
  return (
    <Group gap="xs" wrap="nowrap">
      <Text size="sm" c="dimmed" className="qs-as-of" data-as-of={asOf ?? ""}>
        {asOf === null ? (
          "No figures yet"
        ) : (
          <>
            As of <When at={asOf} />
          </>
        )}
        {freshness?.stale ? ", newer ones are on their way" : ""}
      </Text>
      <Button
        variant="subtle"
        color="gray"
        size="compact-sm"
        flex="none"
        leftSection={<IconRefresh />}
        data-asking={asking}
        onClick={() => queries.invalidateQueries({ queryKey: ["figures"] })}
      >
        Refresh
      </Button>
    </Group>
  );
}

/** Loading a store's facts for the first time takes a while, and the zeros shown until then are not results. */
export function PendingNote({ freshness }: { freshness: Freshness | undefined }) {
  if (!freshness?.pending) return null;
  return (
    <Alert variant="light" color="blue" title="The figures are being put together">
      This happens once. They appear here by themselves in a moment.
    </Alert>
  );
}
