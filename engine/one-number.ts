/**
 * Which notations are one phone number [people.one-number]. A number is stored as it is shown, and known by its
 * canonical form.
 */

interface Notation {
  /** in E.164 */
  form: RegExp;
  canonical: string;
  /** the other way round */
  of: RegExp;
  written: string;
  /**
   * `always`: the form is no number of its own; `unassigned`: only if the plan does not assign it and does assign the
   * canonical one, since a landline and a mobile of Italy may differ by a 0
   */
  holds: "always" | "unassigned";
}

const notations: readonly Notation[] = [
  {
    // Argentina: 9 is dialled before a mobile from abroad; the ten digits behind it are one subscriber's
    form: /^\+549(\d{10})$/,
    canonical: "+54$1",
    of: /^\+54(\d{10})$/,
    written: "+549$1",
    holds: "always",
  },
  {
    // Mexico until 2019, as contacts from then are stored
    form: /^\+521(\d{10})$/,
    canonical: "+52$1",
    of: /^\+52(\d{10})$/,
    written: "+521$1",
    holds: "always",
  },
  {
    // Benin until 2024
    form: /^\+229(\d{8})$/,
    canonical: "+22901$1",
    of: /^\+22901(\d{8})$/,
    written: "+229$1",
    holds: "always",
  },
  {
    // Italy: landlines keep their 0 from abroad
    form: /^\+39([1-9]\d{4,10})$/,
    canonical: "+390$1",
    of: /^\+390(\d{5,11})$/,
    written: "+39$1",
    holds: "unassigned",
  },
  {
    // and mobiles have none
    form: /^\+390(3\d{8,9})$/,
    canonical: "+39$1",
    of: /^\+39(3\d{8,9})$/,
    written: "+390$1",
    holds: "unassigned",
  },
  {
    // Brazil: from 2012 to 2016 mobiles got a 9 behind their area
    form: /^\+55(\d\d)([6-9]\d{7})$/,
    canonical: "+55$19$2",
    of: /^\+55(\d\d)9([6-9]\d{7})$/,
    written: "+55$1$2",
    holds: "unassigned",
  },
  {
    // Colombia: in 2021 landlines got 60 before their area
    form: /^\+57([1-8]\d{7})$/,
    canonical: "+5760$1",
    of: /^\+5760([1-8]\d{7})$/,
    written: "+57$1",
    holds: "unassigned",
  },
];

/**
 * The form by which a number is known.
 *
 * @param number in E.164
 * @param isAssigned whether the country's plan assigns a number, by full metadata
 */
export function canonicalNumber(number: string, isAssigned: (number: string) => boolean): string {
  for (const { form, canonical, holds } of notations) {
    const other = number.replace(form, canonical);
    if (other !== number && (holds === "always" || (!isAssigned(number) && isAssigned(other)))) return other;
  }
  return number;
}

/** All notations in E.164 of the number with this canonical form, itself first. */
export function notationsOf(canonical: string, isAssigned: (number: string) => boolean): string[] {
  const written = notations.map((notation) => canonical.replace(notation.of, notation.written));
  return [
    canonical,
    ...written.filter((number) => number !== canonical && canonicalNumber(number, isAssigned) === canonical),
  ];
}
