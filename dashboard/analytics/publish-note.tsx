import type { AnalyticsOverview } from "../../client/src/index.ts";
import { When } from "../ui/when.tsx";

/** Lists in words what was published in the range; the chart has a line for each [dashboard-figures.markers]. */
export function PublishNote({ answer: { markers } }: { answer: Pick<AnalyticsOverview, "markers"> }) {
  if (markers.length === 0) return null;
  return (
    <>
      Published:{" "}
      {markers.map(({ published_at, version_number, approximate }, index) => (
        <span key={published_at} data-marker={published_at} data-version={version_number ?? ""}>
          {index > 0 ? ", " : ""}
          {version_number === null ? "live" : `version ${version_number}`}
          {approximate ? " since about " : " "}
          <When at={published_at} />
        </span>
      ))}
    </>
  );
}
