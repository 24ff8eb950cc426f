import type { ChoiceComponent, ChoiceOption } from "./document.ts";

/**
 * The dimensions that cannot win with any answers to these questions [quiz-documents.lint-dimensions], in the given
 * order.
 *
 * A dimension cannot win if another one always has at least as many points and wins the tie, because it comes first or
 * because ties only occur without points. This may miss some: it compares pairs, and assumes that each question may be
 * left out. Takes time proportional to the points of all options, times the dimensions.
 */
export function dimensionsThatCannotWin(
  dimension_ids: readonly string[],
  questions: readonly ChoiceComponent[],
): string[] {
  const pairs = new Pairs(dimension_ids);
  for (const { options } of questions) for (const option of options) pairs.add(option);
  const places = [...dimension_ids.keys()];
  return dimension_ids.filter((_, place) => {
    if (places.length === 1) return !pairs.hasPoints.has(place);
    return places.some((rival) => rival !== place && pairs.losesTo(place, rival));
  });
}

/** What options give two dimensions, for each two of them, by their places. */
class Pairs {
  /** dimensions that some option gives points */
  readonly hasPoints = new Set<number>();
  readonly #places: ReadonlyMap<string, number>;
  readonly #count: number;
  /** 1: some option gives the first more than the second */
  readonly #ahead: Uint8Array;
  /** 1: some option gives both the same, and not 0 */
  readonly #level: Uint8Array;
  /** the current option's points by place */
  readonly #points: Float64Array;
  #hasNegative = false;

  constructor(dimension_ids: readonly string[]) {
    this.#count = dimension_ids.length;
    this.#places = new Map(dimension_ids.map((id, place) => [id, place]));
    this.#ahead = new Uint8Array(this.#count * this.#count);
    this.#level = new Uint8Array(this.#count * this.#count);
    this.#points = new Float64Array(this.#count);
  }

  add({ points }: ChoiceOption): void {
    const given = Object.entries(points).flatMap(([id, added]): number[] => {
      const place = this.#places.get(id);
      if (place === undefined || added === 0) return [];
      this.#points[place] = added;
      return [place];
    });
    for (const place of given) this.#compare(place, this.#points[place] ?? 0);
    for (const place of given) this.#points[place] = 0;
  }

  /** Compares a dimension that the current option gives points with all others. */
  #compare(place: number, own: number): void {
    this.hasPoints.add(place);
    if (own < 0) this.#hasNegative = true;
    for (let other = 0; other < this.#count; other += 1) {
      const theirs = this.#points[other] ?? 0;
      if (own > theirs) this.#ahead[place * this.#count + other] = 1;
      else if (own < theirs) this.#ahead[other * this.#count + place] = 1;
      else this.#level[place * this.#count + other] = 1;
    }
  }

  losesTo(place: number, rival: number): boolean {
    const pair = place * this.#count + rival;
    if (this.#ahead[pair] === 1) return false;
    return rival < place || (!this.#hasNegative && this.#level[pair] === 0);
  }
}
