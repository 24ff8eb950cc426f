import { Button, Text } from "@mantine/core";
import { firstWords } from "../../../engine/condition-words.ts";
import { useDocument, useEdit, useEditor, useFinding, useReadOnly, useUi } from "../context.tsx";
import { saidOf } from "../document/finding-words.ts";
import { addJump, duplicateJump, moveEntry, removeJump } from "../document/logic-edits.ts";
import { nths } from "../locate.ts";
import { ConditionForm } from "../parts/condition-form.tsx";
import { EntryMenu } from "../parts/entry-menu.tsx";
import { ChoiceField } from "../parts/fields.tsx";
import { Advanced, KeyField } from "../parts/key-field.tsx";
import { useNear } from "../parts/use-near.ts";
import { LogicMap } from "./logic-map.tsx";

/** The ways through the quiz: as a graph, and as a list of jumps [editor.logic]. */
export function LogicTab() {
  return (
    <div className="qs-ed-logic">
      <LogicMap />
      <Jumps />
    </div>
  );
}

function Jumps() {
  const pages = useDocument((document) => document.pages);
  const rules = useDocument((document) => document.jump_rules);
  const selected = useUi((state) => state.selection.page);
  const edit = useEdit();
  const { session, ui } = useEditor();
  const readOnly = useReadOnly();
  const source = selected ?? pages[0]?.page_key;
  const nth = nths(rules.map(({ jump_rule_key }) => jump_rule_key));
  const data = pages.map(({ page_key, title }, index) => ({
    value: page_key,
    label: `${index + 1}. ${firstWords(title, page_key)}`,
  }));
  const add = (): void => {
    if (source === undefined) return;
    const keys = session.keys();
    edit((document) => addJump(document, keys, source));
    const at = session.document.jump_rules.length - 1;
    ui.goTo({ tab: "logic", selection: null, field: `jump_rules.${at}.source_page_key` });
  };
  return (
    <section className="qs-ed-form" aria-label="Jumps">
      <h2>Jumps</h2>
      <Text size="sm" c="dimmed">
        After a page its first jump whose condition holds is taken; without one the next page follows.
      </Text>
      <ol className="qs-ed-list">
        {rules.map((rule, index) => (
          <Jump key={`${rule.jump_rule_key} ${nth[index]}`} {...{ index, data }} count={rules.length} />
        ))}
      </ol>
      <Button
        size="compact-sm"
        variant="default"
        data-field="jump_rules"
        disabled={readOnly || source === undefined}
        onClick={add}
      >
        Add a jump
      </Button>
    </section>
  );
}

interface JumpProps {
  index: number;
  count: number;
  data: readonly { value: string; label: string }[];
}

/** How many jumps to render at once: five hundred forms take seconds. */
const drawnAtOnce = 10;

function Jump({ index, ...shared }: JumpProps) {
  const name = `jump_rules.${index}`;
  const { ref, isNear } = useNear<HTMLLIElement>(index < drawnAtOnce, (field) => `${field}.`.startsWith(`${name}.`));
  return (
    <li ref={ref} className="qs-ed-option qs-card" data-field={name} tabIndex={-1}>
      {isNear ? <JumpForm index={index} {...shared} /> : <div style={{ blockSize: "16rem" }} />}
    </li>
  );
}

function JumpForm({ index, count, data }: JumpProps) {
  const edit = useEdit();
  const at = ["jump_rules", index];
  const finding = useFinding(at);
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would draw a frame within the card */}
      <div className="qs-grow qs-ed-form" role="group" aria-label={`Jump ${index + 1}`}>
        {finding && <span className="qs-ed-error">{saidOf(finding, "This jump")}</span>}
        <div className="qs-ed-pair">
          <ChoiceField path={[...at, "source_page_key"]} label="From" data={data} />
          <ChoiceField path={[...at, "target_page_key"]} label="To" data={data} />
        </div>
        <ConditionForm path={[...at, "when"]} label="When" none="Always." isNeeded />
        <Advanced keys={{ at: at.join("."), name: "jump_rule_key" }}>
          <KeyField
            path={[...at, "jump_rule_key"]}
            label="Key"
            description="Figures know the jump by it, and begin anew under a new one."
          />
        </Advanced>
      </div>
      <EntryMenu
        {...{ index, count }}
        name={`jump ${index + 1}`}
        move={(to) => edit((document) => moveEntry(document, "jump_rules", index, to))}
        duplicate={() => edit((document, session) => duplicateJump(document, session.keys(), index))}
        remove={() => edit((document) => removeJump(document, index))}
      />
    </>
  );
}
