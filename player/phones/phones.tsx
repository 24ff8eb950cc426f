/** @jsxImportSource #draw */
import metadata from "libphonenumber-js/min/metadata";
import { readContact } from "../../engine/contacts.ts";
import type { ContactComponent } from "../../engine/document.ts";
import { phonePlans } from "../../engine/phone-numbers.ts";
import { languageOf } from "../texts/load-texts.ts";
import { commitField } from "../view/commit-fields.ts";
import { describedBy } from "../view/field.tsx";
import type { PhoneProps, Phones } from "../view/stage.ts";
import { type Stage, setRight } from "../view/stage.ts";
import { type CountryTexts, countryTexts } from "./texts.ts";

/** What only pages with a phone need, in a file of its own [player.size]. */

const plans = phonePlans(metadata);

/** After this many ms without an answer the country counts as unknown. */
const patienceMs = 2_500;

/** @param base the server's address, with a trailing slash */
export async function openPhones(base: string): Promise<Phones> {
  return phonesIn(await countryAt(base));
}

async function countryAt(base: string): Promise<string | null> {
  try {
    const signal = AbortSignal.timeout(patienceMs);
    const answer = await fetch(`${base}storefront/v1/country`, { signal, credentials: "omit" });
    return ((await answer.json()) as { country?: string | null }).country ?? null;
  } catch {
    return null;
  }
}

/** @param known the shopper's country as the server has it; null: they choose it */
export const phonesIn = (known: string | null): Phones => ({
  read(stage, component, text) {
    const reading = readIn(stage.typed.get(choiceOf(component)) || known, text);
    if ("fault" in reading) return null;
    return "value" in readIn(null, text) ? { value: text } : reading;
  },
  refusal(stage, component, text) {
    const reading = readIn(stage.typed.get(choiceOf(component)) || known, text);
    return "fault" in reading && reading.fault === "country" ? textsOf(stage).missing : null;
  },
  Country: (props) => (known === null ? <CountryChoice {...props} /> : null),
});

const readIn = (country: string | null, text: string) => readContact("phone", text, { country, plans });

const textsOf = ({ locale }: Stage): CountryTexts => countryTexts[languageOf(locale)];

/** The name of the list, by which its choice is kept beside what is typed into fields. */
const choiceOf = ({ component_key }: ContactComponent): string => `${component_key}-country`;

/** The country of a phone in national notation [player.phone-country]. */
function CountryChoice({ stage, component, id, wrong }: PhoneProps) {
  const { label, missing } = textsOf(stage);
  const name = choiceOf(component);
  const choose = (code: string): void => {
    stage.typed.set(name, code);
    if (commitField(stage, component) === null) setRight(stage, "answers", component.component_key);
    stage.drawAgain();
  };
  return (
    <select
      class="country"
      name={name}
      autocomplete="country"
      aria-label={label}
      aria-invalid={wrong === missing ? "true" : undefined}
      aria-describedby={describedBy(wrong === missing && `${id}-wrong`)}
      value={stage.typed.get(name) ?? ""}
      onChange={(event) => choose(event.currentTarget.value)}
    >
      <option value="">{label}</option>
      {countriesIn(stage.locale).map(([code, country]) => (
        <option key={code} value={code}>
          {country}
        </option>
      ))}
    </select>
  );
}

type Country = readonly [code: string, name: string];

const named = new Map<string, readonly Country[]>();

/** The countries that have a numbering plan, in the order and language of the locale. */
function countriesIn(locale: string): readonly Country[] {
  const known = named.get(locale);
  if (known) return known;
  const names = new Intl.DisplayNames(locale, { type: "region" });
  const { compare } = new Intl.Collator(locale);
  const all = plans.countries.map((code): Country => [code, names.of(code) ?? code]);
  const sorted = all.sort(([, one], [, other]) => compare(one, other));
  named.set(locale, sorted);
  return sorted;
}
