import { lazyRouteComponent } from "@tanstack/react-router";
import { Component, type ComponentType, type ReactNode, use, useEffect } from "react";
import { ProblemNote } from "../ui/problem-note.tsx";
import { fetched, PartMissing } from "./release.ts";

/** Lazily loaded parts of the dashboard, and what is shown when they fail to load [dashboard.late-parts]. */

type Screen = () => ReactNode;

/** A screen, by its export name in its module. */
export function lateScreen<Name extends string>(load: () => Promise<Record<Name, Screen>>, name: Name) {
  return lazyRouteComponent(async (): Promise<{ screen: Screen }> => {
    const module = await fetched(load);
    return { screen: module[name] };
  }, "screen");
}

const soon: (() => Promise<unknown>)[] = [];

/**
 * Preloads parts that any click may need, such as the note that the server is away, which cannot be loaded once it is
 * away.
 */
export function fetchSoon(): void {
  for (const get of soon.splice(0)) void get();
}

/** A component that is loaded when it is first shown, or preloaded. */
interface LatePart<Props> {
  (props: Props): ReactNode;
  /** a failure is reported where the part is shown */
  fetch(): Promise<unknown>;
}

/**
 * A lazily loaded part of a screen, such as a chart. If it cannot be loaded, a message takes its place and the rest of
 * the screen stays. `isOver`: a dialog or menu that any click may open; its message appears at the window's edge.
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
    // a loaded part renders at once: even a resolved promise would suspend
    const Shown = found ?? use(get());
    return <Shown {...props} />;
  };
  const fetchIt = () =>
    get().catch(() => {
      // the server may be back at the next try
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

/** Preloads parts that the next click on this screen may need, once the screen has its content and the page is idle. */
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
    // an error inside the part itself is handled as an error of the screen
    if (!(error instanceof PartMissing)) throw error;
    const note = <ProblemNote error={error} />;
    return this.props.isOver ? <div className="qs-over">{note}</div> : note;
  }
}
