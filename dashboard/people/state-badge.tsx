import { Badge, type BadgeProps } from "@mantine/core";
import type { ReactNode } from "react";

/** A state in a word or two, never truncated [dashboard-people.looks]. */
export const StateBadge = (props: Pick<BadgeProps, "color" | "leftSection"> & { children: ReactNode }) => (
  <Badge variant="light" tt="none" fw={600} miw="max-content" {...props} />
);

/** A text that must not wrap, such as a time in a narrow column. */
export const Whole = ({ children }: { children: ReactNode }) => (
  <span style={{ whiteSpace: "nowrap" }}>{children}</span>
);
