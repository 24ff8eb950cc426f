import { demoShop } from "../catalog.ts";
import { dollars, root } from "./layout.ts";
import { html, type Markup } from "./markup.ts";

/** The page after an order: how the server processed it, and how an integrator reads the same data [demo.receipt]. */

export interface Receipt {
  baseUrl: string;
  order: { name: string; total: string; lines: number };
  happened: Happened;
}

/** The server's data at this moment. */
export interface Happened {
  /** the sessions named in the cart; `status` null: no event of it has arrived */
  sessions: { id: string; status: string | null }[];
  /** the session to which the order is attributed */
  countedFor: string | null;
  profileId: string | null;
  /** how the order was matched to its session or person */
  matchedTier: string | null;
  events: { id: string; topic: string }[];
}

const tiers: Readonly<Record<string, string>> = {
  line_item: "a line of it carries the quiz's session",
  cart: "its cart carries the quiz's session",
  visitor: "its cart carries the quiz's visitor",
  email: "its email is one that was left in a quiz",
  phone: "its phone is one that was left in a quiz",
};

const statuses: Readonly<Record<string, string>> = {
  completed: "finished",
  in_progress: "under way",
  left: "left before its end",
};

const sessionsStep = ({ sessions, countedFor }: Happened): Markup => {
  const [only, another] = sessions;
  if (only === undefined) {
    return html`<li class="waits"><strong>No quiz.</strong> Nothing in the cart came from a quiz, so there is no session behind this order.</li>`;
  }
  const stateOf = (status: string | null) => (status === null ? "" : `, ${statuses[status] ?? status}`);
  if (another === undefined) {
    return html`<li><strong>A session.</strong> The quiz was taken as <code>${only.id}</code>${stateOf(only.status)}.</li>`;
  }
  return html`<li><strong>Sessions.</strong> Quizzes were taken as<ul>${sessions.map(
    ({ id, status }) =>
      html`<li><code>${id}</code>${stateOf(status)}${id === countedFor && ", for which the order is counted"}</li>`,
  )}</ul></li>`;
};

const personStep = ({ profileId }: Happened): Markup =>
  profileId === null
    ? html`<li class="waits"><strong>Nobody yet.</strong> No contact was left in the quiz, so the order belongs to nobody in sight. It waits: once the same session leaves a contact, it is theirs.</li>`
    : html`<li><strong>A person.</strong> The contact that was left in the quiz made, or found, <code>${profileId}</code>.</li>`;

const eventsStep = ({ events }: Happened): Markup => {
  if (events.length === 0) {
    return html`<li class="waits"><strong>No events yet.</strong> Webhooks tell of quizzes that are started and finished, and of people.</li>`;
  }
  const eventItem = ({ id, topic }: { id: string; topic: string }) =>
    html`<li><code>${topic}</code> <code>${id}</code>${topic === "quiz.finished" && ", sent a minute after the finish"}</li>`;
  return html`<li><strong>Webhooks.</strong> These events were written for the shop's endpoints, which hear of them within a second:<ul>${events.map(eventItem)}</ul></li>`;
};

function steps({ order, happened }: Receipt): Markup {
  const { sessions, matchedTier, events } = happened;
  const isUnfinished = sessions.length > 0 && (events.length === 0 || sessions.some(({ status }) => status === null));
  const matched =
    matchedTier === null ? ", and is matched to no session" : `, and was matched: ${tiers[matchedTier] ?? matchedTier}`;
  return html`<ol class="steps" data-happened${isUnfinished && html` data-unfinished`}>
${sessionsStep(happened)}
<li><strong>An order.</strong> ${order.name} over ${dollars(order.total)} arrived at <code>/commerce/v1/shopify/webhooks</code> as a message that the shop signed${matched}.</li>
${personStep(happened)}
${eventsStep(happened)}
</ol>`;
}

function commands({ baseUrl, happened: { profileId } }: Receipt): Markup {
  const ask = (path: string) => `curl -s -H "Authorization: Bearer $KEY" "${baseUrl}${path}"`;
  const person = profileId === null ? "/v1/profiles?has_order=true&limit=3" : `/v1/profiles/${profileId}`;
  const blocks: [title: string, lines: string[]][] = [
    ["The key, which the terminal of npm start shows", ["export KEY=svc_live_..."]],
    [profileId === null ? "People who bought" : "The person, with sessions, answers and orders", [ask(person)]],
    ["What happened last, newest first", [ask("/v1/events?limit=10")]],
    ["Webhooks as they come, in a terminal", [`bin/quizstore.js listen --store ${demoShop.shop_domain}`]],
    [
      "An endpoint of your own",
      [
        `curl -s -X POST -H "Authorization: Bearer $KEY" -H "content-type: application/json" "${baseUrl}/v1/webhooks" \\`,
        `  --data '{"url": "https://your-host.example/hook", "topics": ["quiz.finished", "profile.created"]}'`,
      ],
    ],
  ];
  return html`<section aria-labelledby="read"><h2 id="read">Read it yourself</h2>
${blocks.map(([title, lines]) => html`<p>${title}</p><pre tabindex="0"><code>${lines.join("\n")}</code></pre>`)}</section>`;
}

export const receiptBody = (receipt: Receipt): Markup => html`<h1>Thank you. Here is what happened</h1>
<p class="lead">Order ${receipt.order.name}, ${receipt.order.lines === 1 ? "one line" : `${receipt.order.lines} lines`}, ${dollars(receipt.order.total)}. Nothing was charged, and nothing will arrive.</p>
${steps(receipt)}
${commands(receipt)}
<p><a class="button quiet" href="${root}">Back to the shop</a></p>`;

export const forgottenBody = html`<h1>This order is not kept any more</h1>
<p class="lead">The demo remembers its last orders until it is started anew. What became of them is in the API.</p>
<p><a class="button quiet" href="${root}">Back to the shop</a></p>`;
