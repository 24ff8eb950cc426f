import { Anchor, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useHeading } from "./heading.ts";
import { IconBack } from "./icons.tsx";

interface PageProps {
  /** the heading, and with the product's name the document's title */
  title: string;
  /** where the heading is a text that somebody typed */
  isName?: boolean;
  description?: ReactNode;
  /** buttons beside the heading */
  actions?: ReactNode;
  /** where this screen belongs to */
  back?: { to: string; label: string };
  children: ReactNode;
}

/** The frame of a screen. Its heading takes the focus of whoever came here by a link, so that it is read out. */
export function Page({ title, isName = false, description, actions, back, children }: PageProps) {
  const heading = useHeading(title);
  return (
    <div className="qs-page">
      {back && (
        <Anchor component={Link} to={back.to} size="sm" className="qs-back">
          <IconBack />
          {back.label}
        </Anchor>
      )}
      <div className="qs-page-head">
        <div>
          <Title order={1} ref={heading} tabIndex={-1} className={isName ? "qs-name" : ""}>
            {title}
          </Title>
          {description !== undefined && (
            <Text c="dimmed" size="sm" mt={4} component="div">
              {description}
            </Text>
          )}
        </div>
        {actions}
      </div>
      {children}
    </div>
  );
}
