/**
 * Work that pauses after each part of some milliseconds, so that a server can answer others in between; a browser does
 * it at once [quiz-documents.cost].
 */
export type Steps<Result> = Generator<undefined, Result>;

export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
