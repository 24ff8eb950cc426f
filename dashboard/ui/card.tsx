import { Group, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

interface CardProps {
  title: string;
  text?: ReactNode;
  /** next to the title */
  side?: ReactNode;
  children?: ReactNode;
}

/** A section of a screen with its own heading. */
export const Card = ({ title, text, side, children }: CardProps) => (
  <section className="qs-card">
    <Group justify="space-between" align="flex-start" mb={children ? "sm" : 0}>
      <div className="qs-card-words">
        <Title order={2} size="h4">
          {title}
        </Title>
        {text !== undefined && (
          <Text size="sm" c="dimmed" component="div">
            {text}
          </Text>
        )}
      </div>
      {side}
    </Group>
    {children}
  </section>
);
