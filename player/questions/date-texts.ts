import type { languageOf } from "../texts/load-texts.ts";

/** What a date with limits says of a day or time that it does not take, in the player's languages. */
export interface DateTexts {
  day_range: string;
  day_min: string;
  day_max: string;
  weekday: string;
  time_range: string;
  time_from: string;
  time_to: string;
}

export const dateTexts: Readonly<Record<ReturnType<typeof languageOf>, DateTexts>> = {
  en: {
    day_range: "Please choose a day from {min} to {max}.",
    day_min: "Please choose {min} or a later day.",
    day_max: "Please choose {max} or an earlier day.",
    weekday: "Please choose one of these weekdays: {days}.",
    time_range: "Please choose a time from {from} to {to}.",
    time_from: "Please choose {from} or a later time.",
    time_to: "Please choose {to} or an earlier time.",
  },
  de: {
    day_range: "Bitte einen Tag vom {min} bis zum {max} wählen.",
    day_min: "Bitte den {min} oder einen späteren Tag wählen.",
    day_max: "Bitte den {max} oder einen früheren Tag wählen.",
    weekday: "Bitte einen dieser Wochentage wählen: {days}.",
    time_range: "Bitte eine Uhrzeit von {from} bis {to} wählen.",
    time_from: "Bitte {from} Uhr oder später wählen.",
    time_to: "Bitte {to} Uhr oder früher wählen.",
  },
  fr: {
    day_range: "Veuillez choisir un jour du {min} au {max}.",
    day_min: "Veuillez choisir le {min} ou un jour ultérieur.",
    day_max: "Veuillez choisir le {max} ou un jour antérieur.",
    weekday: "Veuillez choisir l’un de ces jours : {days}.",
    time_range: "Veuillez choisir une heure de {from} à {to}.",
    time_from: "Veuillez choisir {from} ou plus tard.",
    time_to: "Veuillez choisir {to} ou plus tôt.",
  },
  es: {
    day_range: "Elige un día del {min} al {max}.",
    day_min: "Elige el {min} o un día posterior.",
    day_max: "Elige el {max} o un día anterior.",
    weekday: "Elige uno de estos días de la semana: {days}.",
    time_range: "Elige una hora entre las {from} y las {to}.",
    time_from: "Elige las {from} o más tarde.",
    time_to: "Elige las {to} o más temprano.",
  },
  it: {
    day_range: "Scegli un giorno dal {min} al {max}.",
    day_min: "Scegli il {min} o un giorno successivo.",
    day_max: "Scegli il {max} o un giorno precedente.",
    weekday: "Scegli uno di questi giorni della settimana: {days}.",
    time_range: "Scegli un orario dalle {from} alle {to}.",
    time_from: "Scegli le {from} o più tardi.",
    time_to: "Scegli le {to} o prima.",
  },
  nl: {
    day_range: "Kies een dag van {min} tot en met {max}.",
    day_min: "Kies {min} of een latere dag.",
    day_max: "Kies {max} of een eerdere dag.",
    weekday: "Kies een van deze dagen: {days}.",
    time_range: "Kies een tijd van {from} tot {to}.",
    time_from: "Kies {from} of later.",
    time_to: "Kies {to} of eerder.",
  },
  pt: {
    day_range: "Escolha um dia de {min} a {max}.",
    day_min: "Escolha {min} ou um dia posterior.",
    day_max: "Escolha {max} ou um dia anterior.",
    weekday: "Escolha um destes dias da semana: {days}.",
    time_range: "Escolha um horário das {from} às {to}.",
    time_from: "Escolha {from} ou mais tarde.",
    time_to: "Escolha {to} ou mais cedo.",
  },
  pl: {
    day_range: "Wybierz dzień od {min} do {max}.",
    day_min: "Wybierz {min} lub późniejszy dzień.",
    day_max: "Wybierz {max} lub wcześniejszy dzień.",
    weekday: "Wybierz jeden z tych dni tygodnia: {days}.",
    time_range: "Wybierz godzinę od {from} do {to}.",
    time_from: "Wybierz {from} lub późniejszą godzinę.",
    time_to: "Wybierz {to} lub wcześniejszą godzinę.",
  },
  ja: {
    day_range: "{min}から{max}までの日付を選んでください。",
    day_min: "{min}以降の日付を選んでください。",
    day_max: "{max}以前の日付を選んでください。",
    weekday: "次の曜日から選んでください：{days}。",
    time_range: "{from}から{to}までの時刻を選んでください。",
    time_from: "{from}以降の時刻を選んでください。",
    time_to: "{to}以前の時刻を選んでください。",
  },
  ar: {
    day_range: "يُرجى اختيار يوم من {min} إلى {max}.",
    day_min: "يُرجى اختيار {min} أو يوم بعده.",
    day_max: "يُرجى اختيار {max} أو يوم قبله.",
    weekday: "يُرجى اختيار أحد هذه الأيام: {days}.",
    time_range: "يُرجى اختيار وقت من {from} إلى {to}.",
    time_from: "يُرجى اختيار {from} أو وقت بعده.",
    time_to: "يُرجى اختيار {to} أو وقت قبله.",
  },
};
