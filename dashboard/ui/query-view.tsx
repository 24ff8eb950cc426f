import type { ReactNode } from "react";
import { ProblemNote } from "./problem-note.tsx";
import { ListSkeleton } from "./skeletons.tsx";

/** A query for one response or for pages. */
interface AnyQuery<Data> {
  data: Data | undefined;
  error: unknown;
  isError: boolean;
  refetch: () => unknown;
}

interface QueryViewProps<Data> {
  query: AnyQuery<Data>;
  /** as large as the content will be */
  skeleton?: ReactNode;
  children: (data: Data) => ReactNode;
}

/** Shows a query: a skeleton, then its data or its error. Earlier data stays while it is fetched again. */
export function QueryView<Data>({ query, skeleton, children }: QueryViewProps<Data>) {
  const { data, error, isError, refetch } = query;
  return (
    <>
      {isError && (
        <div className="qs-problem">
          <ProblemNote error={error} retry={refetch} />
        </div>
      )}
      {data === undefined ? !isError && (skeleton ?? <ListSkeleton />) : children(data)}
    </>
  );
}
