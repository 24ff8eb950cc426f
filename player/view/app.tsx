/** @jsxImportSource #draw */
import type { Child } from "../draw/jsx-runtime.ts";
import { fill } from "./fill.ts";
import { Heading } from "./heading.tsx";
import { PageForm } from "./page.tsx";
import { type Stage, swallowSecond } from "./stage.ts";
import { writeNumber } from "./write-number.ts";

export function App({ stage }: { stage: Stage }) {
  const { view, texts, options } = stage;
  const { page } = view;
  if (stage.asks && options.earlier !== null) {
    const { goOn, startOver } = options.earlier;
    const choose = (act: () => void) => () => {
      stage.asks = false;
      act();
      stage.drawAgain();
    };
    return (
      <Message key="earlier" stage={stage} title={texts.resume_title} text={texts.resume_text}>
        <button type="button" class="plain" onClick={choose(startOver)}>
          {texts.start_over}
        </button>
        <button type="button" class="main" onClick={choose(goOn)}>
          {texts.resume}
        </button>
      </Message>
    );
  }
  if (page === null) return <Message key="none" stage={stage} title={options.live.name} text={texts.unavailable} />;
  if (view.ended) {
    return (
      <Message key="end" stage={stage} title={texts.finished}>
        <button type="button" class="plain" onClick={() => stage.run.back()}>
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
      <PageForm key={`${view.position} ${page.page_key}`} stage={stage} page={page} />
    </>
  );
}

interface MessageProps {
  stage: Stage;
  title: string;
  text?: string;
  children?: Child;
}

/** A page that is not part of the document [player.closing-page]. */
function Message({ stage, title, text, children }: MessageProps) {
  return (
    <div class="page message" onClickCapture={(event) => swallowSecond(stage, event)}>
      <Heading stage={stage}>{title}</Heading>
      {text !== undefined && <p class="lead">{text}</p>}
      <div class="foot">{children}</div>
    </div>
  );
}

/** More steps than this would be too small to tell apart [player.progress-bar]. */
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
        <span class="bar" style={{ width: `${100 * progress}%` }} />
      )}
    </div>
  );
}
