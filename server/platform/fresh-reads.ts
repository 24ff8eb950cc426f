import { type Deadline, JointDeadline } from "./deadline.ts";

interface Read<Value> {
  answer: Promise<Value>;
  deadline: JointDeadline;
}

/**
 * Shares reads without ever answering one that began before it was asked for: who asks while a read is under way waits
 * for the next one, together with all others who ask meanwhile. Under load a figure that has to be true costs one
 * statement for many requests. A read goes on as long as any of those who wait for it.
 */
export class FreshReads<Value> {
  readonly #turns = new Map<string, { running: Read<Value>; next: Read<Value> | null }>();

  read(key: string, deadline: Deadline, load: (deadline: Deadline) => Promise<Value>): Promise<Value> {
    const turn = this.#turns.get(key);
    if (!turn) return this.#start(key, joint(deadline), load).answer;
    if (turn.next) turn.next.deadline.join(deadline);
    else turn.next = this.#queue(key, turn.running, joint(deadline), load);
    return turn.next.answer;
  }

  #queue(
    key: string,
    running: Read<Value>,
    deadline: JointDeadline,
    load: (deadline: Deadline) => Promise<Value>,
  ): Read<Value> {
    const start = () => this.#start(key, deadline, load).answer;
    return { deadline, answer: running.answer.then(start, start) };
  }

  #start(key: string, deadline: JointDeadline, load: (deadline: Deadline) => Promise<Value>): Read<Value> {
    const running: Read<Value> = { deadline, answer: load(deadline) };
    const turn = { running, next: null };
    this.#turns.set(key, turn);
    const settled = () => {
      deadline.close();
      if (turn.next === null && this.#turns.get(key) === turn) this.#turns.delete(key);
    };
    running.answer.then(settled, settled);
    return running;
  }
}

function joint(deadline: Deadline): JointDeadline {
  const shared = new JointDeadline();
  shared.join(deadline);
  return shared;
}
