import type { SessionFacts } from "../record/types.ts";
import { modeOf, previewOf } from "./attributes.ts";

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

export async function clientHints(): Promise<ClientHints> {
  const data = (navigator as { userAgentData?: UserAgentData }).userAgentData;
  if (!data) return null;
  const { platform, mobile } = data;
  const few = { platform, platform_version: null, model: null, mobile };
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

/** What the page and the browser tell about a session [player.session-facts]. */
export function sessionFacts(
  element: HTMLElement,
  about: { base: string; quiz_id: string; version_id: string; client_hints: ClientHints },
): SessionFacts {
  const { quiz_id, version_id, client_hints } = about;
  return {
    quiz_id,
    version_id,
    channel: channelOf(element, about.base),
    placement: (element.dataset["placement"] ?? modeOf(element)).slice(0, 200),
    page_url: location.href.slice(0, 4000),
    referrer: document.referrer.slice(0, 4000),
    utm: utmOf(location.search),
    preview: previewOf(element) !== null,
    client_hints,
  };
}
