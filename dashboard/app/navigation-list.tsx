import { Link, useLocation } from "@tanstack/react-router";
import { keepStore } from "../ui/subnav.tsx";
import { type Destination, destinationsFor, isBelow, operatorDestination } from "./navigation.ts";
import { memberOf, useMe, useStoreOrNull } from "./session.ts";

export function NavigationList() {
  const store = useStoreOrNull();
  const { person } = useMe();
  const destinations = [
    ...destinationsFor(store && memberOf(store)),
    ...(person.operator ? [operatorDestination] : []),
  ];
  return (
    <nav aria-label="Main">
      <ul className="qs-nav">
        {destinations.map((destination) => (
          <li key={destination.to}>
            <NavigationLink {...destination} />
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Marked as active on each screen below it: `/developers/webhooks` is below Developers, and a quiz below Quizzes. */
function NavigationLink({ label, to, icon: Icon }: Destination) {
  const { pathname } = useLocation();
  const isCurrent = isBelow(pathname, to);
  return (
    <Link to={to} search={keepStore} activeProps={none} aria-current={isCurrent ? "page" : undefined}>
      <Icon />
      {label}
    </Link>
  );
}

const none = { className: "", "aria-current": undefined };
