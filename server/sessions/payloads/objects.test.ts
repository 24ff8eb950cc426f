import { describe, expect, it } from "vitest";
import { compileQuiz } from "../../../engine/compile-quiz.ts";
import type { Page, QuizDocument } from "../../../engine/document.ts";
import { scriptedHistory } from "../../../testkit/histories.ts";
import { opened, say } from "../../../testkit/session-scripts.ts";
import type { CompiledVersion } from "../../quizzes/public.ts";
import { reduceSession } from "../reduce.ts";
import { finishedObject } from "./objects.ts";
import type { ReadSession } from "./read.ts";

const option = (option_id: string, label: string) => ({ option_id, label, image_url: null, points: {} });
const asked = { required: false };
const page: Page = {
  page_key: "all",
  title: "All",
  kind: "question",
  skippable: false,
  visible_when: null,
  components: [
    {
      kind: "image",
      component_key: "looks",
      question: "Which?",
      multiple: true,
      options: [option("a", "Apple"), option("b", "Birch"), option("c", "Clay")],
      ...asked,
    },
    { kind: "date", component_key: "when", question: "When?", with_time: true, ...asked },
    { kind: "phone", component_key: "number", question: "Phone?", consent: null, ...asked },
    {
      kind: "number",
      component_key: "size",
      question: "Size?",
      min: 0,
      max: 9,
      step: 0.5,
      unit: "cm",
      style: "slider",
      ...asked,
    },
  ],
};
const document: QuizDocument = {
  pages: [page],
  jump_rules: [],
  dimensions: [],
  property_mappings: [
    { component_key: "looks", property_name: "looks", option_values: { b: "birch-7" } },
    { component_key: "looks", property_name: "again" },
    { component_key: "when", property_name: "due" },
    { component_key: "size", property_name: "size" },
  ],
};

const quizId = "0198f2c4-a1b0-7c3e-9d5f-6a7b8c9d0e1f";
const version: CompiledVersion = { id: quizId, quizId, number: 2, document, quiz: compileQuiz(document) };
const fact = { placement: null, region: null, page_url: null, utm_source: null, utm_medium: null, utm_campaign: null };

function told(country: string | null, number: string): ReadSession {
  const chosen = { type: "answer_saved" as const, page_key: "all" };
  const events = scriptedHistory(
    opened(),
    { ...chosen, component_key: "looks", option_ids: ["c", "b"] },
    { ...chosen, component_key: "when", value: { date: "2026-05-01", time: "09:30" } },
    say("all", "number", number),
    say("all", "size", 2.5),
  );
  const { state } = reduceSession({ quiz: version.quiz, events, country, now: events.at(-1)?.time ?? 0 });
  const ids = { id: quizId, quiz_id: quizId, version_id: quizId, visitor_id: quizId };
  const device = { class: "other" as const, family: null, vendor: null, model: null, browser: null };
  const more = { browser_version: null, os: null, os_version: null };
  const channel = { channel: "embed", utm_content: null, utm_term: null, device_class: "other" as const };
  return { ...ids, ...fact, ...channel, country, device: { ...device, ...more }, state };
}

const objectOf = (session: ReadSession, of: CompiledVersion | null = version) =>
  finishedObject(session, { quizName: "Any", version: of }, { products: new Map(), currency: "EUR" }, new Date(0));

describe("objects of sessions [webhooks.session-objects]", () => {
  it("tell answers as stored, and as a person reads them", () => {
    expect(objectOf(told(null, "030 123")).answers).toEqual({
      looks: {
        page_key: "all",
        kind: "image",
        option_ids: ["c", "b"],
        value: ["c", "b"],
        values: ["Clay", "Birch"],
        label: "Which?",
      },
      when: {
        page_key: "all",
        kind: "date",
        value: { date: "2026-05-01", time: "09:30" },
        values: ["2026-05-01 09:30"],
        label: "When?",
      },
      number: { page_key: "all", kind: "phone", value: "030 123", values: ["030 123"], label: "Phone?" },
      size: { page_key: "all", kind: "number", value: 2.5, values: ["2.5"], label: "Size?" },
    });
  });

  it("map chosen options, by their labels where the mapping has nothing, and other answers as one string", () => {
    const mapped = objectOf(told(null, "030 123")).property_mappings;
    expect(mapped.map(({ property_name, option_values }) => [property_name, option_values])).toEqual([
      ["looks", ["Clay", "birch-7"]],
      ["again", ["Clay", "Birch"]],
      ["due", ["2026-05-01 09:30"]],
      ["size", ["2.5"]],
    ]);
  });

  it("list a contact as an identity only where it can be one [people.contacts]", () => {
    const identity = { kind: "phone", consent: null, page_key: "all", component_key: "number" };
    expect(objectOf(told(null, "030 123456")).identities).toEqual([]);
    expect(objectOf(told("DE", "030 123456")).identities).toEqual([{ ...identity, value: "+4930123456" }]);
  });

  it("call things by their keys where the version is gone", () => {
    const object = objectOf(told(null, "030 123"), null);
    expect(object).toMatchObject({ version_id: null, version_number: null, property_mappings: [] });
    expect(object.answers["looks"]).toMatchObject({ label: "looks", values: ["c", "b"] });
  });

  it("say when the finish was that the event is about, though it was taken back since", () => {
    expect(objectOf(told(null, "1")).completed_at).toBe("1970-01-01T00:00:00.000Z");
  });
});
