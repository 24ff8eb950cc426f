import { compileQuiz } from "../engine/compile-quiz.ts";
import type { LiveQuiz } from "../player/live-quiz.ts";
import { loadNeeds } from "../player/needs/load-needs.ts";
import { phonesIn } from "../player/phones/phones.tsx";
import { createRun } from "../player/run/create-run.ts";
import type { NewEvent, Run } from "../player/run/types.ts";
import { sanitise } from "../player/sanitise/sanitise.ts";
import { languageOf, loadTexts } from "../player/texts/load-texts.ts";
import { openScreen } from "../player/view/screen.tsx";
import type { ScreenOptions } from "../player/view/stage.ts";
import type { CartLine, Screen } from "../player/view/types.ts";

/**
 * Runs in the browser: the player's screen with a real run, without the code that embeds it in a page and stores its
 * state.
 */

export interface ScreenGiven {
  live: LiveQuiz;
  locale?: string;
  dir?: "ltr" | "rtl";
  takesFocus?: boolean;
  /** whether an earlier visit is offered */
  earlier?: boolean;
  /** the shopper's country; null: unknown */
  country?: string | null;
  /** the cart's error message; null: it accepts everything */
  cart?: string | null;
}

export interface ScreenInPage {
  open(given: ScreenGiven): Promise<void>;
  events: NewEvent[];
  carts: (readonly CartLine[])[];
  /** calls caused by the offer of an earlier visit, and restarts */
  calls: string[];
  /** holds back the cart's answers until it is called */
  letCart: (() => void) | null;
  close(): void;
}

declare global {
  interface Window {
    quizScreen: ScreenInPage;
  }
}

let screen: Screen | null = null;

function begin(live: LiveQuiz, page: ScreenInPage): Run {
  const run = createRun(compileQuiz(live.document), null);
  run.onEvent((event) => page.events.push(event));
  return run;
}

window.quizScreen = {
  events: [],
  carts: [],
  calls: [],
  letCart: null,
  async open({
    live,
    locale = "en-GB",
    dir = "ltr",
    takesFocus = false,
    earlier = false,
    cart = null,
    country = null,
  }) {
    const host = document.querySelector("#quiz") ?? document.body.appendChild(document.createElement("div"));
    const root = host.attachShadow({ mode: "open" });
    const run = begin(live, this);
    const texts = await loadTexts(languageOf(locale));
    const renew = (call: string) => () => {
      this.calls.push(call);
      const next = begin(live, this);
      screen?.show(next);
      next.start();
    };
    const options: ScreenOptions = {
      live,
      brought: (await loadNeeds(live.player.needs)) ?? {},
      recorder: null,
      run,
      texts,
      locale,
      dir,
      takesFocus,
      cartPage: "/cart",
      addToCart: async (lines) => {
        this.carts.push(lines);
        await new Promise<void>((resolve) => {
          this.letCart = resolve;
          if (cart !== "held") setTimeout(resolve);
        });
        return cart === "held" ? null : cart;
      },
      loadPhones: async () => phonesIn(country),
      earlier: earlier ? { goOn: () => void this.calls.push("goOn"), startOver: renew("startOver") } : null,
      restart: renew("restart"),
    };
    await sanitise("");
    screen = openScreen(root, options);
    run.start();
  },
  close: () => screen?.close(),
};
