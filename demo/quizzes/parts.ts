import type {
  ChoiceComponent,
  ChoiceOption,
  Component,
  Condition,
  ContentComponent,
  Page,
  ProductPick,
} from "../../engine/document.ts";
import { goods } from "../catalog.ts";

/** Short ways to write the parts that the demo's documents repeat most. */

export const option = (
  option_id: string,
  label: string,
  points: Record<string, number> = {},
  image_url: string | null = null,
): ChoiceOption => ({ option_id, label, points, image_url });

export const pictured = (option_id: string, label: string, points: Record<string, number> = {}): ChoiceOption =>
  option(option_id, label, points, `https://cdn.lumen-fern.example/quiz/${option_id.replaceAll("_", "-")}.jpg`);

interface Asking {
  required?: boolean;
  multiple?: boolean;
}

export const choice = (
  component_key: string,
  question: string,
  options: ChoiceOption[],
  { required = true, multiple = false }: Asking = {},
): ChoiceComponent => ({ kind: "choice", component_key, question, required, multiple, options });

export const image = (
  component_key: string,
  question: string,
  options: ChoiceOption[],
  asking: Asking = {},
): ChoiceComponent => ({ ...choice(component_key, question, options, asking), kind: "image" });

export const content = (component_key: string, html_text: string): ContentComponent => ({
  kind: "content",
  component_key,
  html_text,
});

export const oneOf = (component_key: string, ...option_ids: string[]): Condition => ({
  component_key,
  op: "in",
  option_ids,
});

interface PageRules {
  kind?: Page["kind"];
  skippable?: boolean;
  visible_when?: Condition;
}

export const page = (page_key: string, title: string, components: Component[], rules: PageRules = {}): Page => ({
  page_key,
  title,
  kind: rules.kind ?? "question",
  skippable: rules.skippable ?? false,
  visible_when: rules.visible_when ?? null,
  components,
});

export const always = (key: string, size?: number): ProductPick => ({
  ...goods(key, size),
  when: null,
  dimension_id: null,
});

export const whenever = (when: Condition, key: string, size?: number): ProductPick => ({ ...always(key, size), when });

export const forWinner = (dimension_id: string, key: string, size?: number): ProductPick => ({
  ...always(key, size),
  dimension_id,
});
