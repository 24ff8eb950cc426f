import { Spotlight, type SpotlightActionData, type SpotlightActionGroupData, spotlight } from "@mantine/spotlight";
import "@mantine/spotlight/styles.layer.css";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useEffect } from "react";
import { IconKeyboard, IconNext, IconPlus, IconSearch, IconSignOut } from "../ui/icons.tsx";
import { notifyProblem } from "../ui/notify.ts";
import { closeMenu, openHelp } from "./command-menu-state.ts";
import {
  accountDestination,
  actionsFor,
  destinationsFor,
  type Entry,
  operatorDestination,
  screensBelowFor,
} from "./navigation.ts";
import { useQuizActions } from "./quiz-actions.tsx";
import { memberOf, useSession, useStoreOrNull } from "./session.ts";

/** Opens any screen or quiz, and runs common actions, from the keyboard [dashboard.command-menu]. */
export function CommandMenu() {
  const { me, signOut } = useSession();
  const store = useStoreOrNull();
  const member = store && memberOf(store);
  const navigate = useNavigate();
  const quizzes = useQuizActions();
  useEffect(() => spotlight.open(), []);
  const destinations = [
    ...destinationsFor(member),
    accountDestination,
    ...(me.person.operator ? [operatorDestination] : []),
  ];
  const entry = ({ label, to, words }: Entry, icon: ReactNode): SpotlightActionData => ({
    id: label,
    label,
    keywords: words.split(" "),
    leftSection: icon,
    onClick: () => void navigate({ to }),
  });
  const screens: SpotlightActionData[] = [
    ...destinations.map((destination) => entry(destination, <destination.icon />)),
    ...(member ? screensBelowFor(member) : []).map((screen) => entry(screen, <IconNext />)),
  ];
  const others: SpotlightActionData[] = [
    ...(member ? actionsFor(member) : []).map((action) => entry(action, <IconPlus />)),
    { id: "help", label: "Keyboard shortcuts", leftSection: <IconKeyboard />, onClick: openHelp },
    {
      id: "sign-out",
      label: "Sign out",
      leftSection: <IconSignOut />,
      onClick: () => void signOut().catch(notifyProblem),
    },
  ];
  const groups: SpotlightActionGroupData[] = [
    { group: "Screens", actions: screens },
    { group: "Actions", actions: others },
    { group: "Quizzes", actions: quizzes },
  ];
  return (
    <Spotlight
      actions={groups.filter(({ actions }) => actions.length > 0)}
      nothingFound="Nothing found"
      attributes={{ content: { "aria-label": "Search and commands" } }}
      shortcut={null}
      limit={30}
      scrollable
      maxHeight={420}
      onSpotlightClose={closeMenu}
      searchProps={{
        leftSection: <IconSearch />,
        placeholder: "Go to a screen or quiz, or do something",
        "aria-label": "Search",
      }}
    />
  );
}
