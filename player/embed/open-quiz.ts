import type { Presentation } from "../../engine/document.ts";
import type { Quiz } from "../../engine/quiz.ts";
import { loadNeeds } from "../needs/load-needs.ts";
import { openBrowser } from "../record/browser.ts";
import { openRecorder } from "../record/open-recorder.ts";
import { recordRun } from "../record/record-run.ts";
import type { SessionRecorder } from "../record/types.ts";
import { createRun } from "../run/create-run.ts";
import type { Run, SavedRun } from "../run/types.ts";
import { languageOf, lastWords, loadTexts } from "../texts/load-texts.ts";
import type { Texts } from "../texts/types.ts";
import { openScreen } from "../view/screen.tsx";
import type { Brought, MakeRun } from "../view/stage.ts";
import type { AddToCart, Screen } from "../view/types.ts";
import { writeNumber } from "../view/write-number.ts";
import { modeOf, previewOf } from "./attributes.ts";
import { addToCart, cartPage } from "./cart.ts";
import { consentOf, pause, shopifyKnows } from "./consent.ts";
import { tellPage } from "./events.ts";
import { clientHints, sessionFacts } from "./facts.ts";
import { type FetchedQuiz, fetchQuiz, NoQuiz, part } from "./fetch-quiz.ts";
import { dirOf, localeOf } from "./locale.ts";
import { drawMessage } from "./message.tsx";
import { readQuiz } from "./read-quiz.ts";
import type { Mounted, Place, QuizEventName, QuizEvents } from "./types.ts";
import { keepVisit } from "./visit.ts";

/** Shared by all quizzes of a page: it knows which sessions the page runs. */
const browser = openBrowser();

export interface Drawing extends Place {
  /** whether the focus may move to the quiz when it is drawn */
  takesFocus: boolean;
  /** receives the quiz's name and the text for closing it, in its language */
  onNamed: (name: string, close: string, dir: "ltr" | "rtl") => void;
}

interface Found {
  live: FetchedQuiz;
  brought: Brought;
  quiz: Quiz;
  /** null for a preview link, which reports nothing */
  recorder: SessionRecorder | null;
}

interface Running extends Found {
  run: Run;
  screen: Screen;
  /** disconnects the run from its recorder and its page */
  release: () => void;
}

type Detail<Name extends QuizEventName> = Omit<QuizEvents[Name], "quiz_id" | "session_id">;

/** Ms for which a quiz waits for Shopify's API. */
const shopifyPatience = 2_000;

/** The id after a restart for a session that nothing records. */
const nobodysSession = `sess_${"0".repeat(32)}`;

/** Loads the quiz of an element, resumes where the shopper was, draws it, and dispatches events to the page. */
export class OpenQuiz implements Mounted {
  readonly #drawing: Drawing;
  readonly #life = new AbortController();
  #running: Running | null = null;
  /** the loaded quiz's id; a preview link's element does not have it */
  #quizId: string | null = null;
  /** null: not loaded yet */
  #texts: Texts | null = null;
  #isRoomReleased = false;
  /** null: the shopper's consent is not asked of Shopify */
  #shopify: Promise<void> | null = null;
  readonly #leave = () => this.#running?.run.close();

  constructor(drawing: Drawing) {
    this.#drawing = drawing;
    document.addEventListener("visitorConsentCollected", () => this.consent(), { signal: this.#life.signal });
    this.consent();
    void this.#load();
  }

  get isRunning(): boolean {
    return this.#running !== null;
  }

  /** The popup or drawer is open again. */
  shown(): void {
    this.#tell("opened", {});
  }

  /** The shopper closed it, or it was removed from the page. */
  hidden(): void {
    this.#running?.run.close();
    this.#tell("closed", {});
  }

  restart(): void {
    const running = this.#running;
    if (running === null) return;
    running.run.restart(running.recorder?.nextSessionId() ?? nobodysSession);
    this.#runAnew(running, (recorder) => recorder.beginNext());
  }

  consent(): void {
    const { element, page } = this.#drawing;
    const allowed = consentOf(element, page);
    this.#running?.recorder?.consent(allowed);
    if (allowed) keepVisit(element, page);
    else if (element.getAttribute("consent") === "shopify")
      this.#shopify ??= shopifyKnows(() => this.consent(), this.#life.signal);
  }

  /** Draws it in another language or direction, with the same state. */
  async redraw(): Promise<void> {
    const running = this.#running;
    if (running === null) return;
    // if the texts of the other language fail to load, keep the current ones
    const texts = await this.#findTexts(running.live.document.presentation).catch(() => this.#texts);
    if (this.#running !== running || texts === null) return;
    const { asks } = running.screen;
    running.screen.close();
    running.screen = this.#draw(running, running.run, texts, asks);
    this.#listenForLeaving();
  }

  // An inline or hosted quiz is always open.
  open(): void {}
  close(): void {}

  unmount(): void {
    this.hidden();
    this.end();
  }

  end(): void {
    const running = this.#running;
    this.#life.abort();
    this.#running = null;
    running?.screen.close();
    running?.release();
    running?.recorder?.close();
  }

  async #load(): Promise<void> {
    const { signal } = this.#life;
    let isWaiting = true;
    const sayLoading = () => {
      // the first number format of a page is as slow as rendering the rest of the first page, so warm it up
      writeNumber(0, localeOf(this.#drawing.element));
      if (isWaiting && !signal.aborted && this.#texts) this.#say("status", this.#texts.loading);
    };
    try {
      // load the texts in parallel with the document, whose language mostly equals the page's
      const [found] = await Promise.all([this.#find(), this.#findTexts().then(sayLoading)]);
      const texts = await this.#findTexts(found.live.document.presentation);
      // between two pieces of work, so that the page stays responsive on slow processors
      await pause();
      if (signal.aborted) found.recorder?.close();
      else this.#begin(found, texts);
    } catch (error) {
      isWaiting = false;
      await this.#findTexts().catch(() => {});
      if (!signal.aborted) this.#fail(error);
    }
  }

  async #find(): Promise<Found> {
    const { element, page } = this.#drawing;
    const token = previewOf(element)?.token ?? null;
    const store = element.getAttribute("store") ?? "";
    const address = { base: page.base, quiz: element.getAttribute("quiz") ?? "", store, token };
    const [live, client_hints] = await Promise.all([
      fetchQuiz(address),
      clientHints(),
      Promise.race([this.#shopify, pause(shopifyPatience)]),
    ]);
    await pause();
    const brought = await part(loadNeeds(live.player.needs));
    if (brought === null) throw new NoQuiz("too_new", "unknown");
    const quiz = readQuiz(live, brought);
    const { quiz_id, version_id } = live;
    const locale = localeOf(element, live.document.presentation);
    if (version_id === null || token !== null) return { live, brought, quiz, recorder: null };
    const recorder = await openRecorder({
      browser,
      url: `${page.base}storefront/v1/events`,
      store,
      facts: () => sessionFacts(element, page, { quiz_id, version_id, client_hints, locale }),
      consent: consentOf(element, page) === true,
    });
    return { live, brought, quiz, recorder };
  }

  #begin(found: Found, texts: Texts): void {
    const { live, recorder } = found;
    const { element, onNamed } = this.#drawing;
    const { presentation } = live.document;
    const earlier = recorder?.earlier ?? { kind: "none" };
    // somebody who only saw the first page has nothing to resume
    const asks = earlier.kind === "left" && earlier.saved.answers.length + earlier.saved.trail.length > 0;
    this.#quizId = live.quiz_id;
    const { run, release } = this.#connect(found, earlier.kind === "none" ? null : earlier.saved);
    this.#tell("ready", { name: live.name, version_id: live.version_id }, recorder);
    this.#tell("opened", {}, recorder);
    run.start();
    if (earlier.kind !== "none" && !asks) this.#tellPlace(run, recorder);
    this.#running = { ...found, run, release, screen: this.#draw(found, run, texts, asks) };
    onNamed(live.name, texts.close, dirOf(element, localeOf(element, presentation), presentation));
    recorder?.onFault(({ kind, reason }) =>
      this.#tell("error", { kind, reason, message: `events: ${reason ?? kind}` }),
    );
    // consent may have changed while the quiz was loading
    this.consent();
    this.#listenForLeaving();
  }

  /** Reports the page that the shopper resumes on. */
  #tellPlace({ view: { page, position, of } }: Run, recorder = this.#running?.recorder): void {
    if (page !== null) this.#tell("page", { page_key: page.page_key, position, of }, recorder);
  }

  /** Creates a run whose events are stored and whose notices go to the page [player.walks]. */
  #connect(found: Found, saved: SavedRun | null): { run: Run; release: () => void } {
    const { brought, quiz, live, recorder } = found;
    const known = new Set(live.catalog.map(({ product_id }) => product_id));
    const make: MakeRun = brought.makeRun ?? createRun;
    const run = make(quiz, saved, (product_id) => known.has(product_id), found, this.#drawing);
    const stopRecording = recorder ? recordRun(run, recorder) : () => {};
    const offPage = run.on(({ type, ...detail }) => {
      if (type === "page" && this.#running) this.#releaseRoom();
      this.#tell(type, detail, recorder);
    });
    return {
      run,
      release: () => {
        offPage();
        stopRecording();
      },
    };
  }

  /**
   * Runs after the screen's own listener, which was added earlier and commits what is in its fields. The recorder's
   * listener was added before both, so it sends the resulting events at once.
   */
  #listenForLeaving(): void {
    removeEventListener("pagehide", this.#leave, true);
    if (!this.#life.signal.aborted)
      addEventListener("pagehide", this.#leave, { capture: true, signal: this.#life.signal });
  }

  /** The shopper went on, so layout shifts from here on are their own doing. */
  #releaseRoom(): void {
    if (modeOf(this.#drawing.element) === "inline" && !this.#isRoomReleased) this.#drawing.room?.deleteRule(0);
    this.#isRoomReleased = true;
  }

  #draw({ live, brought, recorder }: Found, run: Run, texts: Texts, asks: boolean): Screen {
    const { element, root, takesFocus } = this.#drawing;
    const { presentation } = live.document;
    const locale = localeOf(element, presentation);
    const goOn = () => this.#tellPlace(run);
    const startOver = () => {
      if (this.#running) this.#runAnew(this.#running, (recorder) => recorder.beginNext());
    };
    root.replaceChildren();
    const options = {
      live,
      brought,
      recorder,
      run,
      texts,
      locale,
      dir: dirOf(element, locale, presentation),
      addToCart: this.#addToCart,
      cartPage: cartPage(live.catalog, this.#drawing.page.base),
      loadPhones: async () => (await import("../phones/phones.tsx")).openPhones(this.#drawing.page.base),
      earlier: asks ? { goOn, startOver } : null,
      restart: () => this.restart(),
      takesFocus,
    };
    return openScreen(root, options);
  }

  /** Starts over, in the session that `begin` creates. */
  #runAnew(running: Running, begin: (recorder: SessionRecorder) => void): void {
    running.release();
    if (running.recorder) begin(running.recorder);
    Object.assign(running, this.#connect(running, null));
    running.run.start();
    running.screen.show(running.run);
  }

  /** The texts in the document's language, as far as it is known. */
  async #findTexts(presentation?: Presentation | null): Promise<Texts> {
    const texts = await part(loadTexts(languageOf(localeOf(this.#drawing.element, presentation))));
    this.#texts = texts;
    return texts;
  }

  readonly #addToCart: AddToCart = async (lines) => {
    const { element, page } = this.#drawing;
    const running = this.#running;
    if (running === null) return "";
    const { live, recorder } = running;
    const isNamed = recorder !== null && previewOf(element) === null && consentOf(element, page);
    const [session_id, visitor_id] = isNamed ? [recorder.sessionId, recorder.visitorId] : [null, null];
    try {
      await addToCart({ quiz_id: live.quiz_id, lines, catalog: live.catalog, session_id, visitor_id }, page);
      return null;
    } catch (error) {
      this.#tell("error", { kind: "cart", reason: null, message: String(error) });
      const words = live.document.presentation?.texts?.["cart_failed"] ?? this.#texts?.cart_failed ?? "";
      return (error as { sentence?: string | null }).sentence ?? words;
    }
  };

  #tell<Name extends QuizEventName>(name: Name, detail: Detail<Name>, recorder = this.#running?.recorder): void {
    const { element } = this.#drawing;
    const quiz_id = this.#quizId ?? element.getAttribute("quiz") ?? "";
    const whole = { quiz_id, session_id: recorder?.sessionId ?? null, ...detail };
    tellPage(element, name, whole as QuizEvents[Name]);
  }

  #say(role: "alert" | "status", text: string, button?: { text: string; press: () => void }): void {
    const { element, root } = this.#drawing;
    const locale = localeOf(element);
    drawMessage(root, { text, role, lang: languageOf(locale), dir: dirOf(element, locale), ...(button && { button }) });
  }

  /** Shows a sentence instead of the quiz, and tells the page: never a blank [player.errors]. */
  #fail(error: unknown): void {
    const { kind, findings, isLost } = error instanceof NoQuiz ? error : new NoQuiz("failed", "");
    const { unavailable, offline, too_new, try_again } = this.#texts ?? lastWords;
    const press = () => (isLost ? location.reload() : this.#tryAgain());
    if (kind === "away") this.#say("alert", offline, { text: try_again, press });
    else this.#say("alert", [kind === "too_new" ? too_new : unavailable, ...findings].join("\n"));
    this.#tell("error", { kind, reason: null, message: String(error) });
  }

  #tryAgain(): void {
    this.#drawing.root.replaceChildren();
    void this.#load();
  }
}
