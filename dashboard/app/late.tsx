import { lazyRouteComponent } from "@tanstack/react-router";
import { Component, type ComponentType, type ReactNode, use, useEffect } from "react";
import { ProblemNote } from "../ui/problem-note.tsx";
import { fetched, PartMissing } from "./release.ts";

/** Parts of the dashboard that are fetched when they are wanted, and what is shown where they cannot be [dashboard.late-parts]. */

type Screen = () => ReactNode;

/** A screen, by its name in the module that has it. */
export function lateScreen<Name extends string>(load: () => Promise<Record<Name, Screen>>, name: Name) {
  return lazyRouteComponent(async (): Promise<{ screen: Screen }> => {
    const module = await fetched(load);
    return { screen: module[name] };
  }, "screen");
}

const soon: (() => Promise<unknown>)[] = [];

/** Fetches what any click may want next, so that it is there when the server is not: before it says that it is away, for one. */
export function fetchSoon(): void {
  for (const get of soon.splice(0)) void get();
}

/** What is fetched where it is first shown, or before that. */
interface LatePart<Props> {
  (props: Props): ReactNode;
  /** a failure is told where the part is shown */
  fetch(): Promise<unknown>;
}

/**
 * Something on a screen, such as a chart. Where it cannot be fetched that is said in its place, and the rest of the screen
 * stays. `isOver`: a dialog or menu over any screen, which the next click may want; said at the window's edge.
 */
export function latePart<Name extends string, Props extends object>(
  load: () => Promise<Record<Name, ComponentType<Props>>>,
  name: Name,
  { isOver = false } = {},
): LatePart<Props> {
  let part: Promise<ComponentType<Props>> | null = null;
  let found: ComponentType<Props> | null = null;
  const get = (): Promise<ComponentType<Props>> => {
    part ??= fetched(load).then((module) => {
      found = module[name];
      return found;
    });
    return part;
  };
  const Found = (props: Props) => {
    // what is there already is drawn at once: a promise would be waited for, however long it is kept
    const Shown = found ?? use(get());
    return <Shown {...props} />;
  };
  const fetchIt = () =>
    get().catch(() => {
      // whoever wants it then may find the server back
      part = null;
    });
  if (isOver) soon.push(fetchIt);
  const Part = (props: Props) => (
    <PartBoundary isOver={isOver}>
      <Found {...props} />
    </PartBoundary>
  );
  return Object.assign(Part, { fetch: fetchIt });
}

/** Fetches what the next click on this screen may want, once what it shows is there and nothing else is to be done. */
export function useFetchedWhenIdle(isThere: boolean, parts: readonly Pick<LatePart<never>, "fetch">[]): void {
  useEffect(() => {
    if (!isThere) return;
    const get = () => {
      for (const part of parts) void part.fetch();
    };
    if (typeof requestIdleCallback === "undefined") {
      const timer = setTimeout(get, 500);
      return () => clearTimeout(timer);
    }
    const waiting = requestIdleCallback(get);
    return () => cancelIdleCallback(waiting);
  }, [isThere, parts]);
}

interface BoundaryProps {
  isOver: boolean;
  children: ReactNode;
}

class PartBoundary extends Component<BoundaryProps, { error: unknown }> {
  override state: { error: unknown } = { error: null };

  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    // a mistake of the part itself is told as one of the screen
    if (!(error instanceof PartMissing)) throw error;
    const note = <ProblemNote error={error} />;
    return this.props.isOver ? <div className="qs-over">{note}</div> : note;
  }
}
