/** @jsxImportSource #draw */
import type { Page } from "../../engine/document.ts";
import { isChoice } from "../../engine/kinds/value.ts";
import type { Child } from "../draw/jsx-runtime.ts";
import { ChoiceField } from "./choice.tsx";
import { commitFields, goOn } from "./commit-fields.ts";
import { Content, Fact } from "./content.tsx";
import { Heading } from "./heading.tsx";
import { phonesFor } from "./phone-field.ts";
import { Picture } from "./picture.tsx";
import { fitsNothing, NothingFits, Products } from "./products.tsx";
import { type PartProps, questionsOf, type Stage, shownText, swallowSecond } from "./stage.ts";
import { TypedField } from "./typed-field.tsx";

interface PageProps {
  stage: Stage;
  page: Page;
}

export function PageForm({ stage, page }: PageProps) {
  const { run, view } = stage;
  const next = () => nextFrom(stage, page);
  const leave = (turn: () => void) => () => {
    if (run.view.page !== page) return;
    commitFields(stage);
    turn();
  };
  // Enter in a field submits the form, like its button [player.enter]
  const submit = (event: Event): void => {
    event.preventDefault();
    if (hasNext(stage, page)) next();
  };
  return (
    <form class="page" noValidate onSubmit={submit} onClickCapture={(event) => swallowSecond(stage, event)}>
      <Head stage={stage} page={page} />
      <Parts stage={stage} page={page} next={next} />
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
        {page.kind === "result" && !fitsNothing(stage, page) && (
          <button type="button" class="plain" onClick={stage.options.restart}>
            {stage.texts.restart}
          </button>
        )}
        {hasNext(stage, page) && (
          // Uses the click and not the form's submit event, which a sandboxed frame may block [player.sandbox].
          <button type="submit" class="main" onClick={submit}>
            {view.isLast ? stage.texts.finish : stage.texts.next}
          </button>
        )}
      </div>
    </form>
  );
}

const hasNext = ({ view }: Stage, page: Page): boolean => page.kind !== "result" || !view.isLast;

/** Goes to the next page, or shows what prevents it and moves the focus to the first problem. */
function nextFrom(stage: Stage, page: Page): void {
  // The page was already left, and stays drawn until the pointer is released.
  if (stage.run.view.page !== page) return;
  const awaited = phonesFor(stage, [page]);
  if (awaited) return void awaited.then(() => nextFrom(stage, page));
  stage.here.wrong = goOn(stage);
  stage.drawAgain();
  const first = stage.place.querySelector<HTMLElement>('[aria-invalid="true"]');
  const inGroup = first?.querySelector<HTMLElement>("input:checked") ?? first?.querySelector<HTMLElement>("input");
  (inGroup ?? first)?.focus();
}

/** A page's title, subtitle and picture; the cover and description on the first page [player.pages]. */
function Head({ stage, page }: PageProps) {
  const { live } = stage.options;
  const presentation = stage.view.position === 1 ? live.document.presentation : null;
  const headline = page.kind === "result" ? page.headline : null;
  return (
    <div class="head">
      <Picture url={presentation?.cover_image_url} kind="cover" />
      <Heading stage={stage}>{shownText(stage, headline || page.title).trim() || live.name}</Heading>
      {page.subtitle && <p class="lead">{shownText(stage, page.subtitle)}</p>}
      {presentation?.description && <p class="lead">{presentation.description}</p>}
      <Picture url={page.image_url} kind="wide" />
    </div>
  );
}

function Parts({ stage, page, next }: PageProps & { next(): void }) {
  const goesOn = advances(stage, page) ? next : null;
  return (
    <>
      {page.components.map((component, index) => (
        <Part key={index} stage={stage} component={component} id={`c${index}`} goesOn={goesOn} />
      ))}
      {fitsNothing(stage, page) && <NothingFits stage={stage} />}
    </>
  );
}

/**
 * Whether an answer alone goes on: on a page that asks for one option and shows nothing that depends on it
 * [player.advance].
 */
function advances({ options }: Stage, page: Page): boolean {
  const [question, another] = questionsOf(page);
  if (options.live.document.presentation?.advance === "button" || another !== undefined) return false;
  if (question === undefined || !isChoice(question) || question.multiple) return false;
  return page.components.every((component) => component === question || component.kind === "content");
}

function Part(props: PartProps): Child {
  // each is listed under the kind that it draws
  const drawn = props.stage.options.brought[props.component.kind]?.(props as never);
  return drawn === undefined ? PlainPart(props) : drawn;
}

/** A component as the main part draws it. */
function PlainPart({ stage, component, id, goesOn }: PartProps): Child {
  if (component.kind === "products") return <Products stage={stage} block={component} id={id} />;
  if (component.kind === "formula") return <Fact stage={stage} component={component} />;
  if (component.kind === "content") return <Content stage={stage} html={component.html_text} />;
  const field = { stage, id, wrong: stage.here.wrong.answers.get(component.component_key) };
  if (isChoice(component)) return <ChoiceField {...field} component={component} goesOn={goesOn} />;
  return <TypedField {...field} component={component} />;
}
