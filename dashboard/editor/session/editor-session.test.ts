import { beforeEach, describe, expect, it } from "vitest";
import { lint } from "../../../engine/lint.ts";
import { sampleQuiz } from "../../../testkit/sample-quiz.ts";
import { setField } from "../document/edits.ts";
import { EditorSession } from "./editor-session.ts";
import { type Draft, type LocalCopy, NotSaved, type SavedAnswer, type ServerDraft } from "./types.ts";

let server: ServerDraft;
let due: { run: () => void }[] = [];
let stored: LocalCopy | null = null;
beforeEach(() => {
  server = { name: "Quiz", document: sampleQuiz(), revision: 4, saved_at: "before", saved_by: "noor", assistant: null };
  due = [];
  stored = null;
});

/** Lets everything that waits happen. */
async function wait(): Promise<void> {
  for (let turn = 0; turn < 6; turn += 1) {
    for (const timer of due.splice(0)) timer.run();
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

const open = (copy: LocalCopy | null = null) =>
  new EditorSession(
    {
      server: {
        async put(draft: Draft, revision: number): Promise<SavedAnswer> {
          if (revision !== server.revision)
            throw new NotSaved({ kind: "changed", by: server.saved_by, at: server.saved_at });
          server = { ...draft, revision: revision + 1, saved_at: "now", saved_by: "mira", assistant: null };
          return { revision: server.revision, saved_at: "now", saved_by: "mira", findings: [], document: null };
        },
        get: async () => server,
      },
      copies: {
        write: (written) => {
          stored = written;
          return true;
        },
        clear: () => {
          stored = null;
        },
      },
      timers: {
        now: () => 0,
        after: (_, run) => {
          const timer = { run };
          due.push(timer);
          return () => {
            due = due.filter((other) => other !== timer);
          };
        },
      },
      random: () => 0.5,
    },
    { draft: server, earlier: [], copy },
  );
const title = (session: EditorSession, value: string) =>
  session.edit(setField(session.document, ["pages", 0, "title"], value));

describe("an editing session", () => {
  it("takes letters of one field back together, and a pause apart [editor.undo]", async () => {
    const session = open();
    for (const text of ["S", "Sk", "Skin"]) title(session, text);
    await wait();
    title(session, "Skin!");
    session.undo();
    expect(session.document.pages[0]?.title).toBe("Skin");
    session.undo();
    expect(session.document.pages[0]?.title).toBe("Your skin");
    session.redo();
    session.redo();
    expect(session.document.pages[0]?.title).toBe("Skin!");
    await wait();
    expect(server.document).toEqual(session.document);
  });

  it("looks at the document as it is typed, and says what the lint says [editor.findings]", async () => {
    const session = open();
    session.edit(setField(session.document, ["pages", 2, "components", 3, "expression"], "100 - "));
    await wait();
    expect(session.state.findings).toEqual(lint(session.document));
    expect(session.state.findings[0]).toMatchObject({
      code: "bad_expression",
      path: "pages.2.components.3.expression",
    });
  });

  it("brings back what was not saved, as a step that can be taken back [editor.killed-tab]", async () => {
    const typed = sampleQuiz();
    typed.pages[0]!.title = "Typed before the tab was killed";
    const session = open({ name: "Quiz", document: typed, revision: 4, at: 1, sent: null });
    expect(session.state).toMatchObject({ restored: true });
    expect(session.document).toEqual(typed);
    await wait();
    expect(server.document).toEqual(typed);
    expect(stored).toBeNull();
    session.undo();
    expect(session.document).toEqual(sampleQuiz());
  });

  it("asks about what was not saved where somebody else has changed the draft since [editor.two-editors]", async () => {
    const typed = sampleQuiz();
    typed.pages[0]!.title = "Mine";
    const session = open({ name: "Quiz", document: typed, revision: 3, at: 1, sent: null });
    await wait();
    expect(session.state.save).toEqual({ kind: "changed", by: "noor", at: "before" });
    expect(server.document).toEqual(sampleQuiz());
    // whoever closes the tab without choosing is asked again
    expect(stored).toMatchObject({ revision: 3, document: typed });
    session.takeTheirs(server);
    expect(session.document).toEqual(sampleQuiz());
    session.undo();
    expect(session.document).toEqual(typed);
    await wait();
    expect(server).toMatchObject({ document: typed, revision: 5 });
  });

  it("is read-only while the assistant edits, and shows what it made afterwards [editor.assistant]", async () => {
    server.assistant = { holder: "Mira's assistant", expires_at: "soon" };
    const session = open();
    title(session, "Mine");
    await wait();
    expect(session.document).toEqual(sampleQuiz());
    expect(session.state.save).toEqual({ kind: "assistant", holder: "Mira's assistant", until: "soon" });
    const made = sampleQuiz();
    made.pages.pop();
    server = { ...server, document: made, revision: 9, assistant: null };
    await wait();
    expect(session.document).toEqual(made);
    title(session, "Mine");
    await wait();
    expect(server.revision).toBe(10);
  });

  it("goes on at once where somebody ended the run [editor.assistant]", async () => {
    server.assistant = { holder: "Mira's assistant", expires_at: "soon" };
    const session = open();
    server = { ...server, name: "The assistant's", revision: 9, assistant: null };
    await session.assistantEnded();
    expect(session.isReadOnly).toBe(false);
    expect(session.state.name).toBe("The assistant's");
    title(session, "Mine");
    await wait();
    expect(server).toMatchObject({ revision: 10, name: "The assistant's" });
  });

  it("goes on from what a tab sent before it was killed, though it did not hear that it arrived [editor.killed-tab]", async () => {
    const sent = { name: "Quiz", document: sampleQuiz() };
    const typed = sampleQuiz();
    typed.pages[0]!.title = "Typed after that";
    const session = open({ name: "Quiz", document: typed, revision: 3, at: 1, sent });
    await wait();
    expect(session.state.save.kind).toBe("saved");
    expect(server).toMatchObject({ document: typed, revision: 5 });
  });

  it("asks nothing of what the server has, though its tab did not hear so [editor.killed-tab]", async () => {
    const session = open({ name: "Quiz", document: sampleQuiz(), revision: 3, at: 1, sent: null });
    expect(session.state).toMatchObject({ restored: false, save: { kind: "saved" } });
    expect(session.state.history.done).toEqual([]);
  });

  it("gives nothing the key of what was published meanwhile [editor.lint-links]", () => {
    const session = open();
    const result = session.document.pages.at(-1)!.page_key;
    expect(session.keyForKind(result, "content")).toBeNull();
    session.published();
    expect(session.keyForKind(result, "result")).toBeNull();
    expect(session.keyForKind(result, "content")).not.toBeNull();
  });

  it("shows who comes back what others did meanwhile, where nothing waits here [editor.two-editors]", async () => {
    const session = open();
    expect(await session.lookAgain()).toBeNull();
    const theirs = sampleQuiz();
    theirs.pages.pop();
    server = { ...server, document: theirs, revision: 5, saved_by: "noor" };
    title(session, "Mine");
    expect(await session.lookAgain()).toBeNull();
    session.undo();
    await wait();
    session.takeTheirs(server);
    server = { ...server, document: sampleQuiz(), revision: 9 };
    expect(await session.lookAgain()).toBe("noor");
    expect(session.document).toEqual(sampleQuiz());
    server = { ...server, assistant: { holder: "Mira's assistant", expires_at: "soon" } };
    expect(await session.lookAgain()).toBeNull();
    expect(session.isReadOnly).toBe(true);
  });

  it("replaces what somebody else did where the author says so [editor.two-editors]", async () => {
    const session = open();
    server = { ...server, name: "Noor's", revision: 5 };
    title(session, "Mine");
    await wait();
    expect(session.state.save.kind).toBe("changed");
    expect(server.name).toBe("Noor's");
    session.keepMine(server);
    await wait();
    expect(server).toMatchObject({ name: "Quiz", revision: 6, document: session.document });
  });
});
