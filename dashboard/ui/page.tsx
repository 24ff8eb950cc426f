import { Anchor, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useHeading } from "./heading.ts";
import { IconBack } from "./icons.tsx";

interface PageProps {
  /** the heading; with the product's name also the document's title */
  title: string;
  /** whether the heading is a text that somebody typed */
  isName?: boolean;
  description?: ReactNode;
  /** buttons next to the heading */
  actions?: ReactNode;
  /** the parent screen */
  back?: { to: string; label: string };
  children: ReactNode;
}

/** The frame of a screen. Its heading takes the focus after a navigation, so that screen readers read it. */
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
