/** What arrives at a test's own server, and how much of it certainly arrived within one second. */
export interface Arrivals {
  /** Call this when something arrives. */
  note: () => void;
  mostInASecond: () => number;
  stop: () => void;
}

/**
 * Counts arrivals. On a busy machine this process may pause, and then sees at once what arrived one by one. So it
 * records when it was running, and counts each arrival from the earliest possible time: a request takes some turns of
 * the event loop (connection, headers, body) until it is reported.
 */
export function watchArrivals(): Arrivals {
  const seen: { earliest: number; at: number }[] = [];
  const turns = Array.from({ length: 5 }, () => performance.now());
  const beat = setInterval(() => {
    turns.shift();
    turns.push(performance.now());
  }, 5);
  return {
    note: () => void seen.push({ earliest: turns[0] ?? 0, at: performance.now() }),
    mostInASecond: () =>
      seen.reduce((most, { earliest }, index) => {
        const after = seen.findIndex(({ at: time }, later) => later > index && time >= earliest + 1000);
        return Math.max(most, (after < 0 ? seen.length : after) - index);
      }, 0),
    stop: () => clearInterval(beat),
  };
}
