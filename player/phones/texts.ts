import type { languageOf } from "../texts/load-texts.ts";

/** What the choice of a country says, in the player's languages. */
export interface CountryTexts {
  label: string;
  missing: string;
}

export const countryTexts: Readonly<Record<ReturnType<typeof languageOf>, CountryTexts>> = {
  en: {
    label: "Country of the number",
    missing: "Please choose the country of this number, or begin it with + and the country code.",
  },
  de: {
    label: "Land der Nummer",
    missing: "Bitte das Land der Nummer auswählen oder sie mit + und der Landesvorwahl beginnen.",
  },
  fr: {
    label: "Pays du numéro",
    missing: "Veuillez choisir le pays du numéro, ou le commencer par + et l’indicatif du pays.",
  },
  es: { label: "País del número", missing: "Elige el país del número o escríbelo con + y el prefijo del país." },
  it: {
    label: "Paese del numero",
    missing: "Scegli il paese del numero o scrivilo con + e il prefisso internazionale.",
  },
  nl: { label: "Land van het nummer", missing: "Kies het land van het nummer, of begin met + en de landcode." },
  pt: { label: "País do número", missing: "Escolha o país do número ou digite-o com + e o código do país." },
  pl: { label: "Kraj numeru", missing: "Wybierz kraj numeru albo wpisz go z + i numerem kierunkowym kraju." },
  ja: { label: "電話番号の国", missing: "電話番号の国を選ぶか、+ と国番号から入力してください。" },
  ar: { label: "بلد الرقم", missing: "يُرجى اختيار بلد الرقم أو كتابته بدءًا بعلامة + ورمز البلد." },
};
