import {
  addComponent,
  addOption,
  addPage,
  duplicateComponent,
  duplicateOption,
  duplicatePage,
  moveComponent,
  moveOption,
  movePage,
  removeComponent,
  removeOption,
  removePage,
  setField,
} from "../dashboard/editor/document/edits.ts";
import type { Edit } from "../dashboard/editor/document/history.ts";
import { keysFor } from "../dashboard/editor/document/keys.ts";
import {
  addDimension,
  addJump,
  addMapping,
  addPicks,
  moveEntry,
  movePick,
  removeDimension,
  removeJump,
  removeMapping,
  removePick,
  setJump,
  setMappingValue,
  setPick,
  setPoints,
} from "../dashboard/editor/document/logic-edits.ts";
import { renameKey } from "../dashboard/editor/document/rename.ts";
import { addResult, nameResult } from "../dashboard/editor/document/results.ts";
import { componentKinds } from "../dashboard/editor/parts/kinds.ts";
import type { ChoiceComponent, Component, QuizDocument } from "../engine/document.ts";

/**
 * Every operation twice: in the editor's way, by changes with inverses on an immutable document; and plainly, by
 * assignments on a copy. To undo the plain one, the previous copy is used.
 */

export type Rest = readonly [number, number, number, number];
export interface EditorMove {
  /** null: the document has nothing that it applies to */
  edit(document: QuizDocument, rest: Rest): Edit;
  plain(copy: QuizDocument, rest: Rest): void;
}

const at = (list: readonly unknown[], n: number): number => (list.length === 0 ? 0 : n % list.length);
const pageOf = (document: QuizDocument, n: number) => at(document.pages, n);
const placeOf = (document: QuizDocument, [a, b]: Rest) => {
  const page = pageOf(document, a);
  return { page, component: at(document.pages[page]?.components ?? [], b) };
};
const partOf = (document: QuizDocument, rest: Rest): Component | undefined => {
  const { page, component } = placeOf(document, rest);
  return document.pages[page]?.components[component];
};
const choiceOf = (document: QuizDocument, rest: Rest): ChoiceComponent | undefined => {
  const part = partOf(document, rest);
  return part?.kind === "choice" || part?.kind === "image" ? part : undefined;
};
const blockOf = (document: QuizDocument, rest: Rest) => {
  const part = partOf(document, rest);
  return part?.kind === "products" && part.source !== "rules" ? part : undefined;
};
const kindOf = (n: number) => componentKinds[n % componentKinds.length] ?? "text";
const keys = (document: QuizDocument) => keysFor(document, [], () => 0.5);
const shift = <T>(list: T[], from: number, to: number): void => {
  if (from < list.length && to < list.length) list.splice(to, 0, ...list.splice(from, 1));
};
/** A value that an edit inserts, so that the plain model need not generate the same keys. */
const inserted = (edit: Edit, at = 0): never => {
  const change = edit.changes[at];
  // the plain model inserts it into lists of several types; the edit decided which
  return structuredClone(change?.kind === "insert" ? change.value : undefined) as never;
};

export const editorMoves: Record<string, EditorMove> = {
  addPage: {
    edit: (d, [a, b]) => addPage(d, keys(d), b % 2 ? "content" : "question", a % (d.pages.length + 1)),
    plain: (d, [a, b]) => {
      const made = inserted(addPage(d, keys(d), b % 2 ? "content" : "question"));
      d.pages.splice(a % (d.pages.length + 1), 0, made);
    },
  },
  duplicatePage: {
    edit: (d, [a]) => duplicatePage(d, keys(d), pageOf(d, a)),
    plain: (d, [a]) => {
      if (d.pages.length > 0) d.pages.splice(pageOf(d, a) + 1, 0, inserted(duplicatePage(d, keys(d), pageOf(d, a))));
    },
  },
  removePage: {
    edit: (d, [a]) => removePage(d, pageOf(d, a)),
    plain: (d, [a]) => {
      const [gone] = d.pages.splice(pageOf(d, a), 1);
      if (!gone) return;
      d.jump_rules = d.jump_rules.filter((rule) => rule.source_page_key !== gone.page_key);
      const asked = gone.components.map((part) => ("component_key" in part ? part.component_key : null));
      d.property_mappings = d.property_mappings.filter(({ component_key }) => !asked.includes(component_key));
    },
  },
  movePage: {
    edit: (d, [a, b]) => movePage(d, pageOf(d, a), pageOf(d, b)),
    plain: (d, [a, b]) => shift(d.pages, pageOf(d, a), pageOf(d, b)),
  },
  title: {
    edit: (d, [a, b]) =>
      d.pages.length === 0 ? { said: "", changes: [] } : setField(d, ["pages", pageOf(d, a), "title"], `t${b}`),
    plain: (d, [a, b]) => {
      const page = d.pages[pageOf(d, a)];
      if (page) page.title = `t${b}`;
    },
  },
  addComponent: {
    edit: (d, [a, b, c]) =>
      addComponent(d, keys(d), pageOf(d, a), kindOf(b), c % ((d.pages[pageOf(d, a)]?.components.length ?? 0) + 1)),
    plain: (d, [a, b, c]) => {
      const list = d.pages[pageOf(d, a)]?.components;
      list?.splice(c % (list.length + 1), 0, inserted(addComponent(d, keys(d), pageOf(d, a), kindOf(b))));
    },
  },
  duplicateComponent: {
    edit: (d, rest) => duplicateComponent(d, keys(d), placeOf(d, rest)),
    plain: (d, rest) => {
      const { page, component } = placeOf(d, rest);
      if (partOf(d, rest))
        d.pages[page]?.components.splice(
          component + 1,
          0,
          inserted(duplicateComponent(d, keys(d), { page, component })),
        );
    },
  },
  removeComponent: {
    edit: (d, rest) => removeComponent(d, placeOf(d, rest)),
    plain: (d, rest) => {
      const { page, component } = placeOf(d, rest);
      const [gone] = d.pages[page]?.components.splice(component, 1) ?? [];
      if (gone && "component_key" in gone)
        d.property_mappings = d.property_mappings.filter((mapping) => mapping.component_key !== gone.component_key);
    },
  },
  moveComponent: {
    edit: (d, rest) => moveComponent(d, placeOf(d, rest), placeOf(d, [rest[2], rest[3], 0, 0])),
    plain: (d, rest) => {
      const [from, to] = [placeOf(d, rest), placeOf(d, [rest[2], rest[3], 0, 0])];
      if (!partOf(d, rest)) return;
      const moved = d.pages[from.page]?.components.splice(from.component, 1) ?? [];
      d.pages[to.page]?.components.splice(to.component, 0, ...moved);
    },
  },
  question: {
    edit: (d, rest) => {
      const { page, component } = placeOf(d, rest);
      return choiceOf(d, rest)
        ? setField(d, ["pages", page, "components", component, "question"], `q${rest[2]}`)
        : { said: "", changes: [] };
    },
    plain: (d, rest) => {
      const choice = choiceOf(d, rest);
      if (choice) choice.question = `q${rest[2]}`;
    },
  },
  addOption: {
    edit: (d, rest) => addOption(d, keys(d), placeOf(d, rest), "new"),
    plain: (d, rest) => choiceOf(d, rest)?.options.push(inserted(addOption(d, keys(d), placeOf(d, rest), "new"))),
  },
  duplicateOption: {
    edit: (d, rest) => duplicateOption(d, keys(d), placeOf(d, rest), at(choiceOf(d, rest)?.options ?? [], rest[2])),
    plain: (d, rest) => {
      const options = choiceOf(d, rest)?.options ?? [];
      const n = at(options, rest[2]);
      if (options[n]) options.splice(n + 1, 0, inserted(duplicateOption(d, keys(d), placeOf(d, rest), n)));
    },
  },
  removeOption: {
    edit: (d, rest) => removeOption(d, placeOf(d, rest), at(choiceOf(d, rest)?.options ?? [], rest[2])),
    plain: (d, rest) => {
      const choice = choiceOf(d, rest);
      const [gone] = choice?.options.splice(at(choice.options, rest[2]), 1) ?? [];
      if (!choice || !gone) return;
      for (const mapping of d.property_mappings)
        if (mapping.component_key === choice.component_key) delete mapping.option_values?.[gone.option_id];
    },
  },
  moveOption: {
    edit: (d, rest) => {
      const options = choiceOf(d, rest)?.options ?? [];
      return moveOption(d, placeOf(d, rest), at(options, rest[2]), at(options, rest[3]));
    },
    plain: (d, rest) => {
      const options = choiceOf(d, rest)?.options ?? [];
      shift(options, at(options, rest[2]), at(options, rest[3]));
    },
  },
  points: {
    edit: (d, rest) => {
      const id = d.dimensions[at(d.dimensions, rest[3])]?.dimension_id;
      const option = at(choiceOf(d, rest)?.options ?? [], rest[2]);
      return setPoints(
        d,
        id === undefined ? [] : [{ place: placeOf(d, rest), option, dimension_id: id, points: rest[3] % 4 }],
      );
    },
    plain: (d, rest) => {
      const id = d.dimensions[at(d.dimensions, rest[3])]?.dimension_id;
      const option = choiceOf(d, rest)?.options[at(choiceOf(d, rest)?.options ?? [], rest[2])];
      if (!option || id === undefined || (option.points[id] ?? 0) === rest[3] % 4) return;
      if (rest[3] % 4 === 0) delete option.points[id];
      else option.points[id] = rest[3] % 4;
    },
  },
  addDimension: {
    edit: (d, [a]) => addDimension(d, keys(d), `D${a}`),
    plain: (d, [a]) => void d.dimensions.push(inserted(addDimension(d, keys(d), `D${a}`))),
  },
  nameDimension: {
    edit: (d, [a, b]) =>
      d.dimensions.length
        ? nameResult(d, ["dimensions", at(d.dimensions, a), "name"], `N${b}`)
        : { said: "", changes: [] },
    plain: (d, [a, b]) => {
      const dimension = d.dimensions[at(d.dimensions, a)];
      const page = d.pages.find(({ outcome }) => outcome && outcome.dimension_id === dimension?.dimension_id);
      if (page && page.title === dimension?.name) page.title = `N${b}`;
      if (dimension) dimension.name = `N${b}`;
    },
  },
  addResult: {
    edit: (d) => addResult(d, keys(d)),
    plain: (d) => {
      const edit = addResult(d, keys(d));
      d.dimensions.push(inserted(edit));
      const forAll = d.pages.findIndex(({ kind, visible_when }) => kind === "result" && visible_when === null);
      d.pages.splice(forAll === -1 ? d.pages.length : forAll, 0, inserted(edit, 1));
    },
  },
  titleOfResult: {
    edit: (d, [a, b]) =>
      d.pages.length ? nameResult(d, ["pages", pageOf(d, a), "title"], `R${b}`) : { said: "", changes: [] },
    plain: (d, [a, b]) => {
      const page = d.pages[pageOf(d, a)];
      if (!page) return;
      const id = page.outcome?.dimension_id;
      const isTheirs = d.pages.find(({ outcome }) => outcome && outcome.dimension_id === id) === page;
      const dimension = d.dimensions.find(({ dimension_id }) => dimension_id === id);
      if (isTheirs && dimension && dimension.name === page.title) dimension.name = `R${b}`;
      page.title = `R${b}`;
    },
  },
  removeDimension: {
    edit: (d, [a]) => removeDimension(d, at(d.dimensions, a)),
    plain: (d, [a]) => {
      const [gone] = d.dimensions.splice(at(d.dimensions, a), 1);
      if (!gone) return;
      for (const part of d.pages.flatMap((page) => page.components)) {
        if (part.kind === "choice" || part.kind === "image")
          for (const option of part.options) delete option.points[gone.dimension_id];
        if (part.kind === "products" && part.source !== "rules")
          for (const pick of part.products) if (pick.dimension_id === gone.dimension_id) pick.dimension_id = null;
      }
    },
  },
  moveDimension: {
    edit: (d, [a, b]) => moveEntry(d, "dimensions", at(d.dimensions, a), at(d.dimensions, b)),
    plain: (d, [a, b]) => shift(d.dimensions, at(d.dimensions, a), at(d.dimensions, b)),
  },
  addJump: {
    edit: (d, [a]) => addJump(d, keys(d), d.pages[pageOf(d, a)]?.page_key ?? ""),
    plain: (d, [a]) => {
      const page = d.pages[pageOf(d, a)];
      if (page) d.jump_rules.push(inserted(addJump(d, keys(d), page.page_key)));
    },
  },
  jumpTarget: {
    edit: (d, [a, b]) =>
      d.jump_rules.length ? setJump(d, at(d.jump_rules, a), "target_page_key", `p${b}`) : { said: "", changes: [] },
    plain: (d, [a, b]) => {
      const rule = d.jump_rules[at(d.jump_rules, a)];
      if (rule) rule.target_page_key = `p${b}`;
    },
  },
  removeJump: {
    edit: (d, [a]) => removeJump(d, at(d.jump_rules, a)),
    plain: (d, [a]) => void d.jump_rules.splice(at(d.jump_rules, a), 1),
  },
  moveJump: {
    edit: (d, [a, b]) => moveEntry(d, "jump_rules", at(d.jump_rules, a), at(d.jump_rules, b)),
    plain: (d, [a, b]) => shift(d.jump_rules, at(d.jump_rules, a), at(d.jump_rules, b)),
  },
  addPicks: {
    edit: (d, rest) => addPicks(d, placeOf(d, rest), [{ product_id: `p${rest[2]}`, variant_id: null }]),
    plain: (d, rest) =>
      void blockOf(d, rest)?.products.push({
        product_id: `p${rest[2]}`,
        variant_id: null,
        when: null,
        dimension_id: null,
      }),
  },
  setPick: {
    edit: (d, rest) => {
      const n = at(blockOf(d, rest)?.products ?? [], rest[2]);
      return blockOf(d, rest)?.products[n]
        ? setPick(d, placeOf(d, rest), n, "dimension_id", `x${rest[3]}`)
        : { said: "", changes: [] };
    },
    plain: (d, rest) => {
      const pick = blockOf(d, rest)?.products[at(blockOf(d, rest)?.products ?? [], rest[2])];
      if (pick) pick.dimension_id = `x${rest[3]}`;
    },
  },
  movePick: {
    edit: (d, rest) => {
      const list = blockOf(d, rest)?.products ?? [];
      return movePick(d, placeOf(d, rest), at(list, rest[2]), at(list, rest[3]));
    },
    plain: (d, rest) => {
      const list = blockOf(d, rest)?.products ?? [];
      shift(list, at(list, rest[2]), at(list, rest[3]));
    },
  },
  removePick: {
    edit: (d, rest) => removePick(d, placeOf(d, rest), at(blockOf(d, rest)?.products ?? [], rest[2])),
    plain: (d, rest) => void blockOf(d, rest)?.products.splice(at(blockOf(d, rest)?.products ?? [], rest[2]), 1),
  },
  addMapping: {
    edit: (d, [a]) => addMapping(d, "feel", `m${a}`),
    plain: (d, [a]) => void d.property_mappings.push({ component_key: "feel", property_name: `m${a}` }),
  },
  mappingValue: {
    edit: (d, [a, b]) =>
      d.property_mappings.length
        ? setMappingValue(d, at(d.property_mappings, a), "dry", b % 3 ? `v${b}` : "")
        : { said: "", changes: [] },
    plain: (d, [a, b]) => {
      const mapping = d.property_mappings[at(d.property_mappings, a)];
      if (!mapping) return;
      if (b % 3) mapping.option_values = { ...mapping.option_values, dry: `v${b}` };
      else delete mapping.option_values?.["dry"];
    },
  },
  removeMapping: {
    edit: (d, [a]) => removeMapping(d, at(d.property_mappings, a)),
    plain: (d, [a]) => void d.property_mappings.splice(at(d.property_mappings, a), 1),
  },
  pageKey: {
    edit: (d, [a, b]) => renameKey(d, ["pages", pageOf(d, a), "page_key"], `page key ${b}`),
    plain: (d, [a, b]) => {
      const page = d.pages[pageOf(d, a)];
      if (!page) return;
      const { page_key: before } = page;
      // of two pages with the same key, the first is meant
      const isMeant = d.pages.find((one) => one.page_key === before) === page;
      page.page_key = `page key ${b}`;
      if (!isMeant) return;
      for (const rule of d.jump_rules) {
        if (rule.source_page_key === before) rule.source_page_key = page.page_key;
        if (rule.target_page_key === before) rule.target_page_key = page.page_key;
      }
    },
  },
  dimensionKey: {
    edit: (d, [a, b]) => renameKey(d, ["dimensions", at(d.dimensions, a), "dimension_id"], `D key ${b}`),
    plain: (d, [a, b]) => {
      const dimension = d.dimensions[at(d.dimensions, a)];
      const key = `D key ${b}`;
      if (!dimension || dimension.dimension_id === key) return;
      const { dimension_id: before } = dimension;
      const isMeant = d.dimensions.find((one) => one.dimension_id === before) === dimension;
      dimension.dimension_id = key;
      if (!isMeant) return;
      for (const { outcome, visible_when } of d.pages) {
        if (outcome?.dimension_id === before) outcome.dimension_id = key;
        if (visible_when && "kind" in visible_when && visible_when.kind === "winner")
          visible_when.dimension_ids = visible_when.dimension_ids.map((id) => (id === before ? key : id));
      }
      for (const part of d.pages.flatMap((page) => page.components)) {
        if (part.kind === "choice" || part.kind === "image") {
          for (const option of part.options) {
            if (!Object.hasOwn(option.points, before)) continue;
            const entries = Object.entries(option.points).filter(([id]) => id !== key);
            option.points = Object.fromEntries(entries.map(([id, points]) => [id === before ? key : id, points]));
          }
        }
        if (part.kind === "products" && part.source !== "rules")
          for (const pick of part.products) if (pick.dimension_id === before) pick.dimension_id = key;
      }
    },
  },
  accent: {
    edit: (d, [a]) => setField(d, ["presentation", "theme", "accent"], `#00000${a % 10}`),
    plain: (d, [a]) => {
      d.presentation = { ...d.presentation, theme: { ...d.presentation?.theme, accent: `#00000${a % 10}` } };
    },
  },
};
