import type { Condition, QuizDocument } from "../../../engine/document.ts";
import { isChoice, isOperand } from "../../../engine/kinds/value.ts";
import { picksOf } from "../../../engine/quiz.ts";
import { type Recalled, writeRecall } from "../../../engine/recall.ts";
import { recallingTexts, recallsIn, replaceRecalls } from "../../../engine/recall-texts.ts";
import { type Change, type Path, valueAt } from "./change.ts";
import { renamedLeaves } from "./condition.ts";
import { renamedFormula } from "./formula-names.ts";
import type { Edit } from "./history.ts";
import { renamedBounds } from "./price-bounds.ts";

/**
 * Renames the key at a path along with all references to it, as one edit [editor.keys]. If a key occurs twice,
 * references mean the first, as in the engine, so renaming the second leaves them alone.
 */
export function renameKey(document: QuizDocument, path: Path, key: string): Edit {
  const before = valueAt(document, path);
  if (typeof before !== "string" || before === key) return { said: "", changes: [] };
  const set: Change = { kind: "set", path, value: key };
  const follow = isFirst(document, path) ? followers(document, path, before, key) : [];
  return { said: "change a key", changes: [set, ...follow] };
}

/** Whether another thing of the same kind already has the key, so that references would become ambiguous. */
export const isTaken = (document: QuizDocument, path: Path, key: string): boolean =>
  alike(document, path).some((entry) => entry.key === key && entry.path.join(".") !== path.join("."));

const isFirst = (document: QuizDocument, path: Path): boolean => {
  const key = valueAt(document, path);
  return (
    alike(document, path)
      .find((entry) => entry.key === key)
      ?.path.join(".") === path.join(".")
  );
};

/** The keys that must differ from the one at a path, including that one, in document order. */
function alike(document: QuizDocument, path: Path): { key: string; path: Path }[] {
  const name = path.at(-1);
  const { pages, dimensions, jump_rules } = document;
  switch (name) {
    case "page_key":
      return pages.map(({ page_key }, index) => ({ key: page_key, path: ["pages", index, name] }));
    case "dimension_id":
      return dimensions.map(({ dimension_id }, index) => ({ key: dimension_id, path: ["dimensions", index, name] }));
    case "jump_rule_key":
      return jump_rules.map(({ jump_rule_key }, index) => ({ key: jump_rule_key, path: ["jump_rules", index, name] }));
    case "option_id":
      return optionKeys(document, path.slice(0, -2));
    default:
      return pages.flatMap(({ components }, page) =>
        components.flatMap((component, index) => {
          const key = name === "block_key" ? ownKey(component, "block_key") : ownKey(component, "component_key");
          return key === undefined ? [] : [{ key, path: ["pages", page, "components", index, name ?? ""] }];
        }),
      );
  }
}

const ownKey = (component: object, name: string): string | undefined => {
  const key = valueAt(component, [name]);
  return typeof key === "string" ? key : undefined;
};

/** @param at path of the options list */
function optionKeys(document: QuizDocument, at: Path): { key: string; path: Path }[] {
  const options = valueAt(document, at);
  if (!Array.isArray(options)) return [];
  return options.flatMap((option: object, index) => {
    const key = ownKey(option, "option_id");
    return key === undefined ? [] : [{ key, path: [...at, index, "option_id"] }];
  });
}

function followers(document: QuizDocument, path: Path, before: string, key: string): Change[] {
  switch (path.at(-1)) {
    case "page_key":
      return pageFollowers(document, before, key);
    case "component_key":
      return [
        ...conditionFollowers(document, (leaf) =>
          "component_key" in leaf && leaf.component_key === before ? { ...leaf, component_key: key } : leaf,
        ),
        ...formulaFollowers(document, before, key),
        ...recallFollowers(document, (what) =>
          "component_key" in what && what.component_key === before ? { ...what, component_key: key } : what,
        ),
        ...boundFollowers(document, before, key),
        ...document.property_mappings.flatMap((mapping, index): Change[] =>
          mapping.component_key === before
            ? [{ kind: "set", path: ["property_mappings", index, "component_key"], value: key }]
            : [],
        ),
      ];
    case "option_id":
      return optionFollowers(document, path, before, key);
    case "dimension_id":
      return dimensionFollowers(document, before, key);
    default:
      // a document never refers to a jump or a products block
      return [];
  }
}

/** Updates the jumps from and to a page. */
export const pageFollowers = ({ jump_rules }: QuizDocument, before: string, key: string): Change[] =>
  jump_rules.flatMap((rule, index): Change[] =>
    (["source_page_key", "target_page_key"] as const).flatMap((field) =>
      rule[field] === before ? [{ kind: "set", path: ["jump_rules", index, field], value: key }] : [],
    ),
  );

function optionFollowers(document: QuizDocument, path: Path, before: string, key: string): Change[] {
  const question: Path = [...path.slice(0, -3), "component_key"];
  // references to a question mean the first with its key
  if (!isFirst(document, question)) return [];
  const component_key = valueAt(document, question);
  const renamed = (id: string): string => (id === before ? key : id);
  const conditions = conditionFollowers(document, (leaf) => {
    if ("kind" in leaf || leaf.component_key !== component_key) return leaf;
    if ("option_ids" in leaf) return { ...leaf, option_ids: leaf.option_ids.map(renamed) };
    return leaf.op === "eq" && leaf.value === before ? { ...leaf, value: key } : leaf;
  });
  const mappingChanges = document.property_mappings.flatMap((mapping, index): Change[] => {
    const values = mapping.option_values;
    if (mapping.component_key !== component_key || !values || !Object.hasOwn(values, before)) return [];
    return [{ kind: "set", path: ["property_mappings", index, "option_values"], value: moved(values, before, key) }];
  });
  return [...conditions, ...mappingChanges];
}

function dimensionFollowers(document: QuizDocument, before: string, key: string): Change[] {
  const renamed = (id: string): string => (id === before ? key : id);
  const changes = conditionFollowers(document, (leaf) => {
    if (!("kind" in leaf)) return leaf;
    if (leaf.kind === "winner") return { ...leaf, dimension_ids: leaf.dimension_ids.map(renamed) };
    return leaf.kind === "points" && leaf.dimension_id === before ? { ...leaf, dimension_id: key } : leaf;
  });
  const components = document.pages.flatMap((page) => page.components);
  for (const [page, { outcome, components: placed }] of document.pages.entries()) {
    if (outcome?.dimension_id === before)
      changes.push({ kind: "set", path: ["pages", page, "outcome", "dimension_id"], value: key });
    for (const [index, component] of placed.entries()) {
      const at: Path = ["pages", page, "components", index];
      if (isChoice(component)) {
        for (const [option, { points }] of component.options.entries())
          if (Object.hasOwn(points, before))
            changes.push({
              kind: "set",
              path: [...at, "options", option, "points"],
              value: moved(points, before, key),
            });
      }
      if (component.kind !== "products") continue;
      for (const [pick, { dimension_id }] of picksOf(component).entries())
        if (dimension_id === before)
          changes.push({ kind: "set", path: [...at, "products", pick, "dimension_id"], value: key });
    }
  }
  changes.push(
    ...recallFollowers(document, (what) =>
      what.kind === "points" && what.dimension_id === before ? { ...what, dimension_id: key } : what,
    ),
  );
  // formulas mean the number or formula if one has the same name
  const isOther = components.some((each) => isOperand(each) && each.component_key === before);
  return isOther ? changes : [...changes, ...formulaFollowers(document, before, key)];
}

/** Renames one entry and keeps the order. */
function moved<Value>(entries: Readonly<Record<string, Value>>, before: string, key: string): Record<string, Value> {
  const others = Object.entries(entries).filter(([name]) => name !== key);
  return Object.fromEntries(others.map(([name, value]) => [name === before ? key : name, value]));
}

function formulaFollowers({ pages }: QuizDocument, before: string, key: string): Change[] {
  const renamed = new Map([[before, key]]);
  return pages.flatMap(({ components }, page) =>
    components.flatMap((component, index): Change[] => {
      if (component.kind !== "formula") return [];
      const value = renamedFormula(component.expression, renamed);
      if (value === component.expression) return [];
      return [{ kind: "set", path: ["pages", page, "components", index, "expression"], value }];
    }),
  );
}

/** A key with a brace or a bar cannot be recalled: texts then keep the former one, which the lint reports. */
function recallFollowers(document: QuizDocument, rename: (what: Recalled) => Recalled): Change[] {
  return [...recallingTexts(document)].flatMap((given): Change[] => {
    if (recallsIn(given).every((what) => rename(what) === what)) return [];
    const value = replaceRecalls(given, (what, fallback) => writeRecall(rename(what), fallback));
    return [{ kind: "set", path: given.path, value }];
  });
}

/** Price bounds of rules, which read a number question or a formula. */
function boundFollowers({ pages }: QuizDocument, before: string, key: string): Change[] {
  const renamed = new Map([[before, key]]);
  return pages.flatMap(({ components }, page) =>
    components.flatMap((component, index): Change[] => {
      if (component.kind !== "products" || component.source !== "rules") return [];
      const block = renamedBounds(component, renamed);
      const path: Path = ["pages", page, "components", index];
      const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
      const changes = (["from", "fallback"] as const).flatMap((field): Change[] =>
        isSame(block[field], component[field]) ? [] : [{ kind: "set", path: [...path, field], value: block[field] }],
      );
      for (const [rule, { match }] of block.rules.entries())
        if (!isSame(match, component.rules[rule]?.match))
          changes.push({ kind: "set", path: [...path, "rules", rule, "match"], value: match });
      return changes;
    }),
  );
}

function conditionFollowers(document: QuizDocument, rename: Parameters<typeof renamedLeaves>[1]): Change[] {
  const changes: Change[] = [];
  const ask = (condition: Condition | null, path: Path): void => {
    if (condition === null) return;
    const value = renamedLeaves(condition, rename);
    if (JSON.stringify(value) !== JSON.stringify(condition)) changes.push({ kind: "set", path, value });
  };
  for (const [page, { visible_when, components }] of document.pages.entries()) {
    ask(visible_when, ["pages", page, "visible_when"]);
    for (const [index, component] of components.entries()) {
      ask(component.visible_when ?? null, ["pages", page, "components", index, "visible_when"]);
      if (component.kind !== "products") continue;
      const [list, entries] =
        component.source === "rules" ? ["rules", component.rules] : ["products", component.products];
      for (const [entry, { when }] of entries.entries())
        ask(when, ["pages", page, "components", index, list, entry, "when"]);
    }
  }
  for (const [index, { when }] of document.jump_rules.entries()) ask(when, ["jump_rules", index, "when"]);
  return changes;
}
