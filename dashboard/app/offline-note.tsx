import { Alert } from "@mantine/core";
import { useNetwork } from "@mantine/hooks";

/** Reports being offline once for the whole screen, rather than in each of its parts [dashboard.offline]. */
export function OfflineNote() {
  const { online } = useNetwork();
  return (
    <div role="status">
      {!online && (
        <Alert color="orange" mb="md" variant="light">
          You are offline. What you see may be old, and nothing reaches the server until you are back.
        </Alert>
      )}
    </div>
  );
}
