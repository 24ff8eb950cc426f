import type { languageOf } from "../texts/load-texts.ts";

/** What questions in forms that few quizzes use say, in the player's languages. */
export interface QuestionTexts {
  /** how many options to choose: at least, at most, from one number to another */
  min: string;
  max: string;
  range: string;
  /** the text field beside an option */
  other: string;
}

export const questionTexts: Readonly<Record<ReturnType<typeof languageOf>, QuestionTexts>> = {
  en: {
    min: "Choose at least {min}.",
    max: "Choose at most {max}.",
    range: "Choose {min} to {max}.",
    other: "Your answer",
  },
  de: {
    min: "Bitte mindestens {min} auswählen.",
    max: "Bitte höchstens {max} auswählen.",
    range: "Bitte {min} bis {max} auswählen.",
    other: "Eigene Antwort",
  },
  fr: {
    min: "Choisissez au moins {min} réponses.",
    max: "Choisissez au plus {max} réponses.",
    range: "Choisissez de {min} à {max} réponses.",
    other: "Votre réponse",
  },
  es: {
    min: "Elige al menos {min}.",
    max: "Elige como máximo {max}.",
    range: "Elige de {min} a {max}.",
    other: "Tu respuesta",
  },
  it: {
    min: "Scegli almeno {min} risposte.",
    max: "Scegli al massimo {max} risposte.",
    range: "Scegli da {min} a {max} risposte.",
    other: "La tua risposta",
  },
  nl: {
    min: "Kies er minstens {min}.",
    max: "Kies er hoogstens {max}.",
    range: "Kies er {min} tot {max}.",
    other: "Je antwoord",
  },
  pt: {
    min: "Escolha pelo menos {min}.",
    max: "Escolha no máximo {max}.",
    range: "Escolha de {min} a {max}.",
    other: "A sua resposta",
  },
  pl: {
    min: "Minimalna liczba odpowiedzi: {min}.",
    max: "Maksymalna liczba odpowiedzi: {max}.",
    range: "Liczba odpowiedzi: od {min} do {max}.",
    other: "Twoja odpowiedź",
  },
  ja: {
    min: "{min}個以上選んでください。",
    max: "{max}個まで選んでください。",
    range: "{min}～{max}個選んでください。",
    other: "回答",
  },
  ar: {
    min: "اختر {min} على الأقل.",
    max: "اختر {max} كحدٍّ أقصى.",
    range: "اختر من {min} إلى {max}.",
    other: "إجابتك",
  },
};
