import { Skeleton, Stack } from "@mantine/core";

/** Placeholders for loading content, of the same size, so that nothing moves when it arrives. */

/** Rows of a list or table. */
export const ListSkeleton = ({ rows = 6, height = 44 }: { rows?: number; height?: number }) => (
  <div aria-busy="true" role="status" aria-label="Loading">
    <Stack gap="xs">
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: grey rows are all alike
        <Skeleton key={index} height={height} radius="md" />
      ))}
    </Stack>
  </div>
);

/** One shape of the given height, such as a chart. */
export const BoxSkeleton = ({ height }: { height: number }) => (
  <div aria-busy="true" role="status" aria-label="Loading">
    <Skeleton height={height} radius="md" />
  </div>
);

/** A whole screen, inside the frame. */
export const ScreenSkeleton = () => (
  <div className="qs-page" aria-busy="true" role="status" aria-label="Loading">
    <Skeleton height={31} width={220} mb={20} radius="md" />
    <ListSkeleton />
  </div>
);

/** The frame itself, until it is known who is signed in. */
export const AppSkeleton = () => (
  <div className="qs-shell">
    <div className="qs-side" />
    <div className="qs-top" />
    <main className="qs-main">
      <ScreenSkeleton />
    </main>
  </div>
);
