import { loadMain, loadWaiting, page, whenSeen } from "./page.ts";
import type { Mounted } from "./types.ts";
import { isLanding } from "./visit.ts";

/** Attributes whose change makes the element another quiz or places it elsewhere. */
const identity = ["quiz", "store", "mode", "preview"];

/** The elements connected to the page. */
export const connected = new Set<QuizStoreElement>();

/**
 * `<quiz-store>`: a shell that reserves space, waits for its trigger, and loads the quiz when it is needed
 * [player.frameworks]. It reads its attributes in a microtask, after a framework has finished a batch of changes, so
 * that moving it or setting several attributes costs nothing.
 */
export class QuizStoreElement extends HTMLElement {
  static readonly observedAttributes = [...identity, "trigger", "consent", "locale", "dir"];

  readonly #root = this.attachShadow({ mode: "open" });
  readonly #changed = new Set<string>();
  #mounted: Promise<Mounted> | null = null;
  /** ends the waiting for a trigger */
  #life = new AbortController();

  get isOverlay(): boolean {
    return /^(popup|drawer)$/.test(this.#attribute("mode"));
  }

  #attribute(name: string): string {
    return this.getAttribute(name) ?? "";
  }

  connectedCallback(): void {
    this.#applyLater("connected");
  }

  disconnectedCallback(): void {
    this.#applyLater("connected");
  }

  attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    if (before !== after) this.#applyLater(name);
  }

  /** Shows the popup or drawer; scrolls to an inline quiz. */
  open(opener?: Element | null): void {
    if (this.isOverlay) this.tell("open", true, opener);
    else this.scrollIntoView();
  }

  /** Calls the mounted quiz, or with `fetches` loads it first. */
  tell(what: keyof Mounted, fetches = false, opener: Element | null = null): void {
    const mounted = fetches ? this.#mount() : this.#mounted;
    mounted
      ?.then((quiz) => this.#mounted === mounted && quiz[what](opener))
      .catch((error: unknown) => this.#mounted === mounted && this.#fail(error));
  }

  #applyLater(change: string): void {
    if (this.#changed.size === 0) {
      queueMicrotask(() =>
        whenSeen(() => {
          this.#update();
          this.#changed.clear();
        }),
      );
    }
    this.#changed.add(change);
  }

  #update(): void {
    const { isConnected, isOverlay } = this;
    const has = (name: string) => this.#changed.has(name);
    const isOther = !isConnected || identity.some(has);
    const isRearmed = isOther || !connected.has(this) || has("trigger");
    if (isOther) this.#unmount();
    if (isRearmed) this.#life.abort();
    connected.delete(this);
    if (!isConnected) return;
    connected.add(this);
    if (!isOverlay) this.tell("open", true);
    else if (isRearmed) this.#wait();
    if (has("locale") || has("dir")) this.tell("redraw");
    if (has("consent")) this.tell("consent");
  }

  /** Fetches what waits for a trigger, or keeps where the visit came from, only on pages that have one of them. */
  #wait(): void {
    const life = new AbortController();
    const { signal } = life;
    const isTriggered = /load|delay|scroll|exit/.test(this.#attribute("trigger"));
    this.#life = life;
    if (!isTriggered && !isLanding(page)) return;
    loadWaiting().then(
      ({ wait }) => signal.aborted || wait(this, page, () => this.open(), signal),
      // a shopper can still open it, which then says what failed
      (error) => isTriggered && !signal.aborted && this.#fail(error),
    );
  }

  #mount(): Promise<Mounted> {
    if (this.#mounted) return this.#mounted;
    const room = this.isOverlay ? null : this.#drawRoom();
    this.#mounted = loadMain().then((main) => main.mount({ element: this, root: this.#root, page, room }));
    return this.#mounted;
  }

  #unmount(): void {
    this.#mounted?.then((quiz) => quiz.unmount()).catch(() => {});
    this.#mounted = null;
    this.#root.replaceChildren();
  }

  #drawRoom(): CSSStyleSheet {
    const room = new CSSStyleSheet();
    // the first rule is removed when the shopper goes on
    room.replaceSync(
      ":host{--quizstore-height:36rem}:host(:not([hidden])){display:block}:host>*{min-height:var(--quizstore-height)}",
    );
    this.#root.adoptedStyleSheets = [room];
    this.#say("div", "Loading…").role = "status";
    return room;
  }

  #say(tag: "div" | "button", text: string, place: ParentNode = this.#root): HTMLElement {
    const box = document.createElement(tag);
    box.append(text);
    place.append(box);
    return box;
  }

  /**
   * A chunk failed to load, and the translated texts are in it. Browsers never retry a failed module import on the same
   * page.
   */
  #fail(error: unknown): void {
    this.#unmount();
    const box = this.#say("div", "The quiz cannot be loaded. ");
    box.role = "alert";
    const again = this.#say("button", "Try again", box);
    again.style.minHeight = "44px";
    again.onclick = () => location.reload();
    const detail = {
      quiz_id: this.#attribute("quiz"),
      session_id: null,
      kind: "away",
      reason: null,
      message: String(error),
    };
    this.dispatchEvent(new CustomEvent("quizstore:error", { bubbles: true, composed: true, detail }));
  }
}
