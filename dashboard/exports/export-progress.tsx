import { Alert, Button, Group, Progress, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useApi } from "../app/api.ts";
import { ProblemNote } from "../ui/problem-note.tsx";
import { useFormat } from "../ui/use-format.ts";
import { isUnfinished } from "./export-words.ts";
import { download, useExport } from "./use-export.ts";

/** Follows an export until its file is ready [dashboard-exports.progress]. */
export function ExportProgress({ id }: { id: string }) {
  const { data: file, error, refetch } = useExport(id);
  const format = useFormat();
  if (error !== null) return <ProblemNote error={error} retry={() => void refetch()} />;
  if (file === undefined || isUnfinished(file)) {
    return (
      <Stack gap="sm" role="status">
        <Progress value={100} animated aria-label="The file is being prepared" />
        <Text>
          {file?.status === "running" ? "The file is being prepared." : "The file is queued."} You can close this and
          find it under{" "}
          <Text component={Link} to="/exports" td="underline" inherit>
            Exports
          </Text>
          .
        </Text>
      </Stack>
    );
  }
  if (file.status === "failed") {
    return (
      <Alert color="red" title="The file could not be made">
        {file.error ?? "Ask for it again."}
      </Alert>
    );
  }
  return (
    <Stack gap="sm" role="status">
      <Text fw={600}>
        The file is ready: {format.number(file.row_count ?? 0)} {file.row_count === 1 ? "row" : "rows"},{" "}
        {format.bytes(file.bytes)}.
      </Text>
      <Group>
        <DownloadButton id={id} label="Download the file" />
      </Group>
    </Stack>
  );
}

export function DownloadButton({ id, label, small = false }: { id: string; label: string; small?: boolean }) {
  const api = useApi();
  const getting = useMutation({ mutationFn: () => download(api, id) });
  return (
    <Stack gap="xs">
      <Button size={small ? "compact-sm" : "sm"} loading={getting.isPending} onClick={() => getting.mutate()}>
        {label}
      </Button>
      {getting.isError && <ProblemNote error={getting.error} />}
      {getting.data && getting.data.download_url === undefined && (
        <Text size="sm" role="alert">
          {getting.data.status === "completed"
            ? "This file holds contacts, which your role does not show. Ask for one of your own."
            : "This file has expired meanwhile. Ask for it again."}
        </Text>
      )}
    </Stack>
  );
}
