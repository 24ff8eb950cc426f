import { Anchor } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useId } from "react";
import { IconHint } from "../analytics/icons.tsx";
import { type Attention, getAttention } from "../api/generated.ts";
import { useApi } from "../app/api.ts";
import { polled } from "../app/polling.ts";
import { IconWarning } from "../ui/icons.tsx";
import { QueryView } from "../ui/query-view.tsx";
import { BoxSkeleton } from "../ui/skeletons.tsx";

/** Things that need attention, problems first [dashboard-figures.attention]. */
export function AttentionList() {
  const api = useApi();
  const heading = useId();
  const query = useQuery({
    queryKey: ["attention"],
    queryFn: ({ signal }) => getAttention(api, { signal }),
    refetchInterval: (query) => polled(query, 5_000),
  });
  return (
    <section className="qs-card qs-figure-card" aria-labelledby={heading} data-attention>
      <div className="qs-figure-title">
        <h2 id={heading}>Needs attention</h2>
      </div>
      <QueryView query={query} skeleton={<BoxSkeleton height={120} />}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="qs-dim">Nothing: all is well.</p>
          ) : (
            <ul className="qs-attention">
              {data.map((item) => (
                <li key={`${item.kind} ${item.subject?.id ?? ""}`} data-kind={item.kind}>
                  <span className={`qs-mark ${item.severity}`}>
                    {item.severity === "problem" ? <IconWarning /> : <IconHint />}
                  </span>
                  {item.url === null ? (
                    <div>
                      <ItemText item={item} />
                    </div>
                  ) : (
                    <Anchor component={Link} to={insideDashboard(item.url)} inherit>
                      <ItemText item={item} />
                    </Anchor>
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </QueryView>
    </section>
  );
}

/** The sentence does not name the quiz or webhook, so its name is shown above. */
const ItemText = ({ item: { subject, text } }: { item: Attention }) => (
  <>
    {subject === null ? null : (
      <strong className="qs-attention-subject qs-name">{subject.name || "Untitled quiz"}</strong>
    )}
    {text}
  </>
);

/** The router's addresses are relative to /dashboard. */
const insideDashboard = (url: string): string => url.replace(/^\/dashboard(?=\/|$)/, "") || "/";
