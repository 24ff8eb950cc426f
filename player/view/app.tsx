import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { RunView } from "../run/types.ts";
import { fill } from "./fill.ts";
import { Heading, type Moves } from "./heading.tsx";
import { PageForm } from "./page.tsx";
import type { Stage } from "./stage.ts";
import { writeNumber } from "./write-number.ts";

interface AppProps {
  stage: Stage;
  moves: Moves;
  /** whether the shopper is still to say if an earlier visit goes on */
  asks: boolean;
  answered(): void;
}

export function App({ stage, moves, asks, answered }: AppProps) {
  const { view, texts, options } = stage;
  const { page } = view;
  /** the end that the shopper came back from: its last page is shown again until they finish anew */
  const [left, setLeft] = useState<RunView | null>(null);
  if (asks && options.earlier !== null) {
    const { goOn, startOver } = options.earlier;
    const choose = (act: () => void) => () => {
      act();
      answered();
    };
    return (
      <Message key="earlier" moves={moves} title={texts.resume_title} text={texts.resume_text}>
        <button type="button" class="plain" onClick={choose(startOver)}>
          {texts.start_over}
        </button>
        <button type="button" class="main" onClick={choose(goOn)}>
          {texts.resume}
        </button>
      </Message>
    );
  }
  if (page === null)
    return <Message key="none" moves={{ focus: false }} title={options.live.name} text={texts.unavailable} />;
  if (view.ended && left !== view) {
    return (
      <Message key="end" moves={moves} title={texts.finished}>
        <button type="button" class="plain" onClick={() => setLeft(view)}>
          {texts.back}
        </button>
        <button type="button" class="main" onClick={options.restart}>
          {texts.restart}
        </button>
      </Message>
    );
  }
  return (
    <>
      {page.kind !== "result" && <Progress stage={stage} />}
      <PageForm key={`${view.position} ${page.page_key}`} stage={stage} page={page} moves={moves} />
    </>
  );
}

/** Where a part of the quiz could not be fetched. */
export const Unreachable = ({ stage, again }: { stage: Stage; again(): void }) => (
  <Message moves={{ focus: false }} title={stage.options.live.name} text={stage.texts.offline}>
    <button type="button" class="main" onClick={again}>
      {stage.texts.try_again}
    </button>
  </Message>
);

interface MessageProps {
  moves: Moves;
  title: string;
  text?: string;
  children?: ComponentChildren;
}

/** A page that is none of the document's. */
function Message({ moves, title, text, children }: MessageProps) {
  return (
    <div class="page message">
      <Heading moves={moves}>{title}</Heading>
      {text !== undefined && <p class="lead">{text}</p>}
      <div class="foot">{children}</div>
    </div>
  );
}

/** More steps than this would be too small to tell apart. */
const mostSteps = 15;

function Progress({ stage }: { stage: Stage }) {
  const { view, texts, locale, options } = stage;
  const { position, of, progress } = view;
  const kind = options.live.document.presentation?.progress ?? "bar";
  if (kind === "none" || of < 2) return null;
  const text = fill(texts.progress, { position: writeNumber(position, locale), of: writeNumber(of, locale) });
  const steps = kind === "steps" && of <= mostSteps;
  return (
    <div
      class={steps ? "progress steps" : "progress"}
      role="progressbar"
      aria-label={texts.progress_label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(100 * progress)}
      aria-valuetext={text}
    >
      {steps ? (
        Array.from({ length: of }, (_, index) => <span key={index} class={index < position ? "step done" : "step"} />)
      ) : (
        <span class="bar" style={{ inlineSize: `${100 * progress}%` }} />
      )}
    </div>
  );
}
