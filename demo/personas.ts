import { type Device, devices } from "./devices.ts";
import type { Place } from "./places.ts";
import type { Random } from "./random.ts";

/** A shopper: what they like, how much they tell, and what they tell. The same on every visit. */
export interface Persona {
  archetype: Archetype;
  /** a point in an abstract space of tastes; options near it attract them (answering.ts) */
  taste: readonly number[];
  firstName: string;
  lastName: string;
  email: string;
  /** as they type it; null: never gives a number */
  phone: string | null;
  place: Place;
  device: Device;
  /** 0..1, how willing they are to leave a contact */
  openness: number;
  /** 0..1, how willing they are to tick an optional checkbox */
  agreeable: number;
  /** 0..1, how long they stay */
  patience: number;
}

interface Archetype {
  share: number;
  /** ids of options that people of this kind tend to choose */
  likes: ReadonlySet<string>;
  /** by component_key, their position in a number's range, 0..1 */
  levels: Readonly<Record<string, number>>;
  patience: number;
  openness: number;
}

const archetype = (
  share: number,
  character: { patience: number; openness: number },
  levels: Record<string, number>,
  likes: string,
): Archetype => ({ share, ...character, levels, likes: new Set(likes.split(" ")) });

/** Six kinds of people with consistent answers, so that the demo's funnels, winners and products tell a story. */
const archetypes: readonly Archetype[] = [
  archetype(
    24,
    { patience: 0.55, openness: 0.5 },
    { age: 0.35, budget: 0.35, reactivity: 0.35, spend: 0.12 },
    "skin_dry concern_dehydration concern_lines texture_cream outdoors_desk steps_three recipient_partner scent_rose occasion_birthday topic_routine medium_video tried_nothing",
  ),
  archetype(
    21,
    { patience: 0.45, openness: 0.4 },
    { age: 0.1, budget: 0.15, reactivity: 0.25, spend: 0.08 },
    "skin_oily concern_breakouts concern_pores breakout_forehead texture_gel outdoors_walks steps_two recipient_friend scent_grapefruit occasion_birthday topic_condition tried_acids medium_video",
  ),
  archetype(
    17,
    { patience: 0.75, openness: 0.65 },
    { age: 0.3, budget: 0.45, reactivity: 0.8, spend: 0.2 },
    "skin_sensitive concern_redness concern_barrier breakout_cheeks texture_barely outdoors_desk steps_two recipient_parent unscented_yes topic_condition tried_prescription medium_phone",
  ),
  archetype(
    15,
    { patience: 0.8, openness: 0.7 },
    { age: 0.55, budget: 0.75, reactivity: 0.3, spend: 0.35 },
    "skin_comfortable concern_lines concern_spots texture_oil outdoors_walks steps_many recipient_me scent_cedar occasion_holidays topic_event tried_retinoids medium_studio",
  ),
  archetype(
    14,
    { patience: 0.35, openness: 0.35 },
    { age: 0.25, budget: 0.1, reactivity: 0.15, spend: 0.05 },
    "skin_combination concern_tired concern_pores breakout_jaw texture_gel outdoors_all_day steps_two recipient_colleague scent_mint occasion_today topic_routine medium_phone",
  ),
  archetype(
    9,
    { patience: 0.65, openness: 0.55 },
    { age: 0.45, budget: 0.6, reactivity: 0.5, spend: 0.3 },
    "skin_combination concern_spots concern_dehydration texture_cream outdoors_all_day steps_three recipient_partner scent_cedar scent_rose occasion_thanks occasion_moving topic_pregnancy medium_studio",
  ),
];

const firstNames =
  "Amara Ana Aisha Beth Bianca Camille Carmen Chloe Daniel Dana Elena Ella Emma Esther Fatima Freya Grace Hana Hannah Imani Ines Iris Isla Jade James Jasmine Joana Julia Kai Keiko Lara Leah Leo Lina Lucia Maeve Maria Marta Maya Mei Mila Nadia Naomi Nina Noor Olivia Oscar Priya Quinn Rachel Ravi Rosa Ruby Sadie Sam Sofia Tara Theo Uma Vera Wren Yara Zoe".split(
    " ",
  );
const lastNames =
  "Abbott Adeyemi Alvarez Anders Baker Banerjee Bauer Bell Bishop Brandt Campbell Castro Chen Clarke Cohen Costa Cruz Davies Diaz Doyle Dubois Evans Farrell Fischer Foster Garcia Gupta Hall Hansen Hayes Hughes Ito Jansen Johnson Kaur Keller Khan Kim Kowalski Lambert Larsen Lee Lopez Marsh Martin Meyer Mitchell Moreau Murphy Nakamura Nguyen Novak Okafor Ortiz Park Patel Pereira Price Quigley Ramos Reed Rossi Sato Schmidt Shah Silva Singh Stone Tanaka Taylor Torres Turner Vance Walsh Weber Wong Young".split(
    " ",
  );
/** Reserved names: nothing sent to them reaches anybody. */
const mailDomains = ["example.com", "example.com", "example.org", "example.net", "mail.example", "post.example"];

const emailOf = (random: Random, first: string, last: string): string => {
  const number = random.chance(0.75) ? String(random.int(1, 9999)) : "";
  const [f, l] = [first.toLowerCase(), last.toLowerCase()];
  const name = random.pick([`${f}.${l}${number}`, `${f}${l}${number}`, `${f[0]}${l}${number}`, `${f}_${l}${number}`]);
  return `${name}@${random.pick(mailDomains)}`;
};

const fraction = (random: Random, mean: number, deviation: number) =>
  Math.min(0.98, Math.max(0.02, random.normal(mean, deviation)));

export const pickDevice = (random: Random): Device => random.weighted(devices, (device) => device.share);

/** Number of dimensions of the space of tastes. */
export const tasteSize = 5;

export function createPersona(random: Random, place: Place): Persona {
  const kind = random.weighted(archetypes, (candidate) => candidate.share);
  const [firstName, lastName] = [random.pick(firstNames), random.pick(lastNames)];
  return {
    archetype: kind,
    taste: Array.from({ length: tasteSize }, () => random.normal(0, 1)),
    firstName,
    lastName,
    email: emailOf(random, firstName, lastName),
    phone: place.phone && random.chance(0.9) ? place.phone(random) : null,
    place,
    device: pickDevice(random),
    openness: fraction(random, kind.openness, 0.2),
    agreeable: fraction(random, 0.55, 0.25),
    patience: fraction(random, kind.patience, 0.18),
  };
}
