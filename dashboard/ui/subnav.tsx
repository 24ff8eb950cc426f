import { Link } from "@tanstack/react-router";

export interface SubnavLink {
  label: string;
  to: string;
}

/** Links between the screens of one group, shown on each of them. */
export const Subnav = ({ label, links }: { label: string; links: readonly SubnavLink[] }) => (
  <nav aria-label={label} className="qs-subnav">
    <ul>
      {links.map(({ label: name, to }) => (
        <li key={to}>
          <Link to={to} search={keepStore} activeOptions={{ includeSearch: false }}>
            {name}
          </Link>
        </li>
      ))}
    </ul>
  </nav>
);

/** Keeps only the store: filters of one screen mean nothing on another. */
export const keepStore = (now: { store?: unknown }): object => (now.store === undefined ? {} : { store: now.store });
