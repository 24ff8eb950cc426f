import type { SessionFacts } from "../record/types.ts";
import { modeOf, previewOf } from "./attributes.ts";
import type { PageState } from "./types.ts";
import { visitOf } from "./visit.ts";

/** What Chromium browsers report in addition to the user agent. */
interface UserAgentData {
  platform: string;
  mobile: boolean;
  getHighEntropyValues(hints: string[]): Promise<{ platformVersion?: string; model?: string }>;
}

type ClientHints = NonNullable<SessionFacts["client_hints"]> | null;

const utmNames = ["source", "medium", "campaign", "content", "term"] as const;

function utmOf(search: string): NonNullable<SessionFacts["utm"]> | null {
  const query = new URLSearchParams(search);
  const found = utmNames.flatMap((name) => {
    const value = query.get(`utm_${name}`);
    return value ? [[name, value.slice(0, 500)] as const] : [];
  });
  return found.length === 0 ? null : Object.fromEntries(found);
}

/** Longest wait for them, so that they do not delay the quiz. */
const hintsPatienceMs = 500;

export async function clientHints(): Promise<NonNullable<ClientHints>> {
  const { userAgentData: data, maxTouchPoints: touch_points } = navigator as Navigator & {
    userAgentData?: UserAgentData;
  };
  if (!data) return { touch_points };
  const { platform, mobile } = data;
  const few = { platform, platform_version: null, model: null, mobile, touch_points };
  const late = new Promise<typeof few>((resolve) => setTimeout(resolve, hintsPatienceMs, few));
  const hints = data.getHighEntropyValues(["platformVersion", "model"]).then(
    ({ platformVersion = null, model = null }) => ({ ...few, platform_version: platformVersion, model }),
    () => few,
  );
  return Promise.race([hints, late]);
}

/** Whether the page is the server's own, for a live quiz or a preview, and thus no page of the shop. */
export const isHostedPage = (base: string): boolean =>
  ["q/", "preview/"].some((path) => location.href.startsWith(base + path));

/** The channel that the page declares, if the server accepts the value. */
function channelOf({ dataset }: HTMLElement, base: string): string {
  const channel = dataset["channel"] ?? "";
  if (/^[a-z0-9_]{1,32}$/.test(channel)) return channel;
  return isHostedPage(base) ? "hosted_page" : "online_store";
}

/** What the page and the browser tell about a session when it begins [player.session-facts]. */
export function sessionFacts(
  element: HTMLElement,
  page: PageState,
  about: { quiz_id: string; version_id: string; client_hints: ClientHints; locale: string },
): SessionFacts {
  const visit = visitOf(element, page);
  return {
    ...about,
    time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    channel: channelOf(element, page.base),
    placement: (element.dataset["placement"] ?? modeOf(element)).slice(0, 200),
    page_url: location.href.slice(0, 4000),
    referrer: visit.referrer.slice(0, 4000),
    utm: utmOf(visit.utm),
    preview: previewOf(element) !== null,
  };
}
