import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { type Browser, signedIn } from "./accounts.ts";
import type { TestStore } from "./app.ts";
import {
  type DashboardApp,
  type DashboardPage,
  type LookName,
  looks,
  openDashboard,
  openDashboardApp,
} from "./dashboard.ts";
import { makeQuiz, type TestQuiz } from "./quizzes.ts";

export const editorPath = (quiz: TestQuiz): string => `/quizzes/${quiz.id}/edit`;

/**
 * A shop and its editor Mira for the tests of one `describe`; a test fails if a page that it opened has faults. `oneWindow`:
 * all tests go on in Mira's one window, since another one takes twice as long as to load its screen.
 */
export class EditorTests {
  t!: DashboardApp;
  store!: TestStore;
  mira!: Browser;
  #page: DashboardPage | null = null;

  constructor(settings: Parameters<typeof openDashboardApp>[0] = {}, { oneWindow = false } = {}) {
    beforeAll(async () => {
      this.t = await openDashboardApp(settings);
      this.store = await this.t.store({ plan: "enterprise" });
      this.mira = await signedIn(this.t, "mira@example.com", { store: this.store, role: "editor" });
    });
    afterEach(async () => {
      const faults = this.#page?.faults.splice(0) ?? [];
      if (!oneWindow) await this.#close();
      expect(faults).toEqual([]);
    });
    afterAll(async () => {
      await this.#close();
      await this.t.close();
    });
  }

  quiz(given: Parameters<typeof makeQuiz>[2]): Promise<TestQuiz> {
    return makeQuiz(this.t, this.store, given);
  }

  async #close(): Promise<void> {
    await this.#page?.close();
    this.#page = null;
  }

  /** Mira's one window, as it was left. */
  async window(): Promise<DashboardPage> {
    return this.#page ?? this.open();
  }

  /** A person's window, with no screen open yet. */
  async open(as = this.mira, look?: LookName): Promise<DashboardPage> {
    this.#page = await openDashboard(this.t, as, look === undefined ? {} : looks[look].options);
    return this.#page;
  }

  async edit(quiz: TestQuiz, as = this.mira): Promise<DashboardPage> {
    const opened = await this.open(as);
    await opened.open(editorPath(quiz));
    await opened.page.getByLabel("Name of the quiz").waitFor();
    return opened;
  }

  /** The draft as stored by the server. */
  async draftOf(quiz: TestQuiz) {
    return (await this.mira.request("GET", `/quizzes/${quiz.id}/draft`)).body;
  }
}
