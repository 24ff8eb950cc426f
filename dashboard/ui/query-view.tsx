import type { ReactNode } from "react";
import { ProblemNote } from "./problem-note.tsx";
import { ListSkeleton } from "./skeletons.tsx";

/** Of a query, whether of one answer or of pages. */
interface Asked<Data> {
  data: Data | undefined;
  error: unknown;
  isError: boolean;
  refetch: () => unknown;
}

interface QueryViewProps<Data> {
  query: Asked<Data>;
  /** as large as what will be there */
  skeleton?: ReactNode;
  children: (data: Data) => ReactNode;
}

/** What was asked for: a skeleton, then it, or why not. What was there before stays while it is asked for again. */
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
