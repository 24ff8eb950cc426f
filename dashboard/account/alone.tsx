import { Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { Brand } from "../app/brand.tsx";
import { useHeading } from "../ui/heading.ts";

interface AloneProps {
  title: string;
  /** the title as rendered, for a title with a name in it that may run in the other text direction */
  drawn?: ReactNode;
  text?: ReactNode;
  children: ReactNode;
}

/** A screen without the sidebar, for people who are not signed in. */
export function Alone({ title, drawn = title, text, children }: AloneProps) {
  const heading = useHeading(title);
  return (
    <main className="qs-alone" id="main">
      <Brand />
      <div className="qs-card qs-alone-card">
        <Title order={1} size="h2" mb="xs" ref={heading} tabIndex={-1}>
          {drawn}
        </Title>
        {text !== undefined && (
          <Text mb="md" component="div">
            {text}
          </Text>
        )}
        {children}
      </div>
    </main>
  );
}
