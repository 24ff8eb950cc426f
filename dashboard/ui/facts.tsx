import type { ReactNode } from "react";

/** A list of names and values. */
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
