import { Text } from "@mantine/core";
import type { ReactNode } from "react";

interface EmptyStateProps {
  /** what is missing */
  title: string;
  /** what to do about it */
  text?: ReactNode;
  action?: ReactNode;
  icon?: ReactNode;
}

/** Shown instead of an empty list or chart. */
export const EmptyState = ({ title, text, action, icon }: EmptyStateProps) => (
  <div className="qs-card qs-empty">
    {icon}
    <Text fw={600}>{title}</Text>
    {text !== undefined && (
      <Text c="dimmed" size="sm" maw="34rem" component="div">
        {text}
      </Text>
    )}
    {action}
  </div>
);
