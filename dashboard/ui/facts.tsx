import type { ReactNode } from "react";

/** Names and what they stand for, one below the other. */
export const Facts = ({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) => (
  <dl className="qs-facts">
    {facts.map(([name, value]) => (
      <div key={name} className="qs-fact">
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);
