import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Component, Page } from "../../engine/document.ts";
import { isChoice } from "../../engine/quiz.ts";
import { ChoiceField } from "./choice.tsx";
import { Heading, type Moves } from "./heading.tsx";
import { Picture } from "./picture.tsx";
import { type FieldProps, goOn, nothingWrong, questionsOf, type Stage, settleAll, type Wrong } from "./stage.ts";

interface PageProps {
  stage: Stage;
  page: Page;
  moves: Moves;
}

export function PageForm({ stage, page, moves }: PageProps) {
  const { run, view } = stage;
  const form = useRef<HTMLFormElement>(null);
  const { wrong, next, right } = useNext(stage, page, form);
  const swallow = useSecondClicks();
  const leave = (turn: () => void) => () => {
    if (run.view.page !== page) return;
    settleAll(stage);
    turn();
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    if (hasNext(stage, page)) next();
  };
  return (
    <form ref={form} class="page" noValidate onSubmit={submit} onClickCapture={swallow}>
      <Head stage={stage} page={page} moves={moves} />
      <Parts stage={stage} page={page} wrong={wrong} next={next} right={right} />
      <div class="foot">
        {view.canGoBack && (
          <button type="button" class="plain" onClick={leave(() => run.back())}>
            {stage.texts.back}
          </button>
        )}
        <span class="gap" />
        {view.canSkip && (
          <button type="button" class="plain" onClick={leave(() => run.skip())}>
            {stage.texts.skip}
          </button>
        )}
        {page.kind === "result" && stage.parts.offers?.fitsNothing(stage, page) !== true && (
          <button type="button" class="plain" onClick={stage.options.restart}>
            {stage.texts.restart}
          </button>
        )}
        {hasNext(stage, page) && (
          // By its click and not by the form's submission: a sandboxed frame may forbid that.
          <button type="submit" class="main" onClick={submit}>
            {view.isLast ? stage.texts.finish : stage.texts.next}
          </button>
        )}
      </div>
    </form>
  );
}

const hasNext = ({ view }: Stage, page: Page): boolean => page.kind !== "result" || !view.isLast;

/** Going on from a page, and what keeps the shopper there. */
function useNext(stage: Stage, page: Page, form: { current: HTMLFormElement | null }) {
  const [wrong, setWrong] = useState<Wrong>(nothingWrong);
  const focuses = useRef(false);
  useLayoutEffect(() => {
    if (!focuses.current) return;
    focuses.current = false;
    const first = form.current?.querySelector<HTMLElement>('[aria-invalid="true"]');
    const inGroup = first?.querySelector<HTMLElement>("input:checked") ?? first?.querySelector<HTMLElement>("input");
    (inGroup ?? first)?.focus();
  }, [wrong]);
  const next = (): void => {
    // The page was turned already, and is drawn until the pointer is up.
    if (stage.run.view.page !== page) return;
    focuses.current = true;
    setWrong(goOn(stage));
  };
  const right = (of: keyof Wrong, component_key: string): void => {
    if (!wrong[of].has(component_key)) return;
    const left = new Map(wrong[of]);
    left.delete(component_key);
    setWrong({ ...wrong, [of]: left });
  };
  return { wrong, next, right };
}

/** The second click of a double click on the page before is not meant for what now lies below the pointer. */
function useSecondClicks(): (event: MouseEvent) => void {
  const isNew = useRef(true);
  return (event) => {
    if (isNew.current && event.detail > 1) {
      event.preventDefault();
      event.stopPropagation();
    }
    isNew.current = false;
  };
}

function Head({ stage, page, moves }: PageProps) {
  const { live } = stage.options;
  const presentation = stage.view.position === 1 ? live.document.presentation : null;
  const headline = page.kind === "result" ? page.headline : null;
  return (
    <div class="head">
      <Picture url={presentation?.cover_image_url} kind="cover" />
      <Heading moves={moves}>{headline || page.title.trim() || live.name}</Heading>
      {page.subtitle && <p class="lead">{page.subtitle}</p>}
      {presentation?.description && <p class="lead">{presentation.description}</p>}
      <Picture url={page.image_url} kind="wide" />
    </div>
  );
}

interface PartsProps {
  stage: Stage;
  page: Page;
  wrong: Wrong;
  next(): void;
  right: FieldProps["right"];
}

function Parts({ stage, page, wrong, next, right }: PartsProps) {
  const goesOn = advances(stage, page) ? next : null;
  const { offers } = stage.parts;
  return (
    <>
      {page.components.map((component, index) => (
        <Part key={index} stage={stage} component={component} id={`c${index}`} {...{ wrong, right, goesOn }} />
      ))}
      {offers?.fitsNothing(stage, page) && <offers.NothingFits stage={stage} />}
    </>
  );
}

/** Whether an answer alone goes on: on a page that asks for one option and shows nothing that depends on it. */
function advances({ options }: Stage, page: Page): boolean {
  const [question, another] = questionsOf(page);
  if (options.live.document.presentation?.advance === "button" || another !== undefined) return false;
  if (question === undefined || !isChoice(question) || question.multiple) return false;
  return page.components.every((component) => component === question || component.kind === "content");
}

interface PartProps {
  stage: Stage;
  component: Component;
  id: string;
  wrong: Wrong;
  right: FieldProps["right"];
  goesOn: (() => void) | null;
}

function Part({ stage, component, id, wrong, right, goesOn }: PartProps) {
  const { fields, offers, content } = stage.parts;
  if (component.kind === "products") return offers && <offers.Products stage={stage} block={component} id={id} />;
  if (component.kind === "formula") return content && <content.Fact stage={stage} component={component} />;
  if (component.kind === "content") return content && <content.Content stage={stage} html={component.html_text} />;
  const { component_key } = component;
  const field = {
    stage,
    id,
    wrong: wrong.answers.get(component_key),
    unticked: wrong.consents.get(component_key),
    right,
  };
  if (isChoice(component)) return <ChoiceField {...field} component={component} goesOn={goesOn} />;
  return fields && <fields.TypedField {...field} component={component} />;
}
