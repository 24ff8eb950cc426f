import type { IdentityCaptured } from "../../../contract/events/identity-captured.ts";
import type { QuizAbandoned } from "../../../contract/events/quiz-abandoned.ts";
import type { QuizFinished } from "../../../contract/events/quiz-finished.ts";
import type { QuizStarted } from "../../../contract/events/quiz-started.ts";
import type { EventAnswer, SessionIdentity } from "../../../contract/events/session.ts";
import type { PropertyMapping } from "../../../engine/document.ts";
import { isoTime, timeOrNull } from "../../platform/clock.ts";
import { readIdentity } from "../../platform/contacts.ts";
import { formatId } from "../../platform/ids.ts";
import type { CompiledVersion } from "../../quizzes/public.ts";
import { answerInWords, type ShownCatalog, sessionResultPage, shownProductBody } from "../result-page.ts";
import type { SessionAnswer } from "../state.ts";
import type { PayloadContext, ReadSession } from "./read.ts";

/**
 * The objects of events about sessions, for an endpoint that receives contacts [webhooks.session-objects]. Questions,
 * options and pages are named as in the version that the shopper saw; if it is gone, by their keys.
 */

function sessionFields(session: ReadSession, { quizName, version }: PayloadContext) {
  const { state, device } = session;
  return {
    id: formatId("sess", session.id),
    quiz_id: formatId("quiz", session.quiz_id),
    quiz_name: quizName,
    version_id: version && formatId("ver", version.id),
    version_number: version?.number ?? null,
    visitor_id: formatId("vis", session.visitor_id),
    channel: session.channel,
    country: session.country,
    page_url: session.page_url,
    utm_source: session.utm_source,
    utm_medium: session.utm_medium,
    utm_campaign: session.utm_campaign,
    utm_content: session.utm_content,
    utm_term: session.utm_term,
    started_at: isoTime(state.started_at ?? state.opened_at),
    device: {
      class: session.device_class,
      family: device.family ?? null,
      vendor: device.vendor ?? null,
      model: device.model ?? null,
      browser: device.browser ?? null,
      browser_version: device.browser_version ?? null,
      os: device.os ?? null,
      os_version: device.os_version ?? null,
    },
  };
}

/** The visitor with the first answer, their origin and device; no answer and no contact [webhooks.quiz-started]. */
export function startedObject(session: ReadSession, around: PayloadContext): QuizStarted {
  return { ...sessionFields(session, around), placement: session.placement, region: session.region };
}

/** The session so far: for quiz.abandoned, and the base of the other objects. */
export function abandonedObject(session: ReadSession, around: PayloadContext): QuizAbandoned {
  const { state } = session;
  return {
    ...sessionFields(session, around),
    ended_at: timeOrNull(state.ended_at),
    answers: Object.fromEntries(
      state.answers.map((answer) => [answer.component_key, answerBody(answer, around.version)]),
    ),
    last_page: lastPage(state.last_page_key, around.version),
    answered_count: state.answered_count,
    identities: identitiesOf(session),
  };
}

function resultFields(session: ReadSession, around: PayloadContext, catalog: ShownCatalog) {
  const { state } = session;
  const { outcome } = state;
  const key = state.terminal_page_key;
  const title = key === null ? null : (around.version?.quiz.pages.get(key)?.page.title ?? null);
  const terminal_page = sessionResultPage(state, { ...catalog, version: around.version, title });
  return {
    ...abandonedObject(session, around),
    completed_at: timeOrNull(state.completed_at),
    formulas: outcome.formulas.flatMap(({ page_key, component_key, label, value }) =>
      value === null ? [] : [{ page_key, component_key, label, value }],
    ),
    points: outcome.points,
    points_total: outcome.points_total,
    terminal_page,
    outcome: terminal_page?.outcome ?? null,
    products_shown: state.shown.map((product) => {
      const { page_key, position, source } = product;
      return { ...shownProductBody(product, catalog), page_key, position, source };
    }),
    property_mappings: propertyMappings(session, around.version),
  };
}

/** @param finishedAt the event's time, used if an event that arrived later has since withdrawn the finish */
export function finishedObject(
  session: ReadSession,
  around: PayloadContext,
  catalog: ShownCatalog,
  finishedAt: Date,
): QuizFinished {
  const fields = resultFields(session, around, catalog);
  return { ...fields, completed_at: fields.completed_at ?? isoTime(finishedAt) };
}

/** A capture is not a finish: until one, the result page and its products are left out. */
export function capturedObject(
  session: ReadSession,
  around: PayloadContext,
  catalog: ShownCatalog,
  identity: SessionIdentity,
): IdentityCaptured {
  const fields = resultFields(session, around, catalog);
  const finished = fields.completed_at !== null;
  return {
    ...fields,
    identities: fields.identities ?? [],
    terminal_page: finished ? fields.terminal_page : null,
    outcome: finished ? fields.outcome : null,
    products_shown: finished ? fields.products_shown : [],
    identity,
  };
}

function answerBody(answer: SessionAnswer, version: CompiledVersion | null): EventAnswer {
  const { component_key, page_key, kind } = answer;
  const label = version?.quiz.questions.get(component_key)?.component.question ?? component_key;
  if (!("option_ids" in answer)) {
    return { page_key, kind, value: answer.value, values: answerInWords(answer), label };
  }
  const option_ids = [...answer.option_ids];
  const body = { page_key, kind, option_ids, value: option_ids, values: optionLabels(answer, version), label };
  return answer.other_text === undefined ? body : { ...body, other_text: answer.other_text };
}

function optionLabels(answer: SessionAnswer, version: CompiledVersion | null): string[] {
  if (!("option_ids" in answer)) return [];
  const options = version?.quiz.questions.get(answer.component_key)?.options;
  return answer.option_ids.map((id) => options?.get(id)?.label ?? id);
}

function lastPage(key: string | null, version: CompiledVersion | null): QuizAbandoned["last_page"] {
  if (key === null) return null;
  const placed = version?.quiz.pages.get(key);
  return { page_key: key, title: placed?.page.title ?? null, position: placed ? placed.index + 1 : null };
}

/** Contacts in force that are identities, in `seq` order. */
export function identitiesOf({ state, country }: Pick<ReadSession, "state" | "country">): SessionIdentity[] {
  return state.contacts.flatMap(({ kind, value: typed, consent, page_key, component_key, current }) => {
    const value = current ? readIdentity(kind, typed, country)?.shown : undefined;
    return value === undefined ? [] : [{ kind, value, consent, page_key, component_key }];
  });
}

/** Questions that have an answer in force, in document order. */
function propertyMappings({ state }: ReadSession, version: CompiledVersion | null) {
  const answers = new Map(state.answers.map((answer) => [answer.component_key, answer]));
  return (version?.document.property_mappings ?? []).flatMap((mapping) => {
    const answer = answers.get(mapping.component_key);
    if (answer === undefined) return [];
    return [
      {
        question_key: mapping.component_key,
        question_label: version?.quiz.questions.get(mapping.component_key)?.component.question ?? mapping.component_key,
        property_name: mapping.property_name,
        option_values: mappedValues(mapping, answer, version),
      },
    ];
  });
}

function mappedValues({ option_values }: PropertyMapping, answer: SessionAnswer, version: CompiledVersion | null) {
  if (!("option_ids" in answer)) return answerInWords(answer);
  const labels = optionLabels(answer, version);
  const mapped = new Map(Object.entries(option_values ?? {}));
  return answer.option_ids.map((id, index) => mapped.get(id) ?? labels[index] ?? id);
}
