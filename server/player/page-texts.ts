/** Texts of the pages around a quiz, in the player's languages. Pure. */

export interface PageTexts {
  /** for browsers with scripts disabled */
  needsScript: string;
  missing: string;
  missingWhy: string;
  building: string;
  buildingWhy: string;
  /** for a shopper turned away by a limit; shown under the title `building` */
  busyWhy: string;
  unavailable: string;
  unavailableWhy: string;
  preview: string;
  /** for a draft that cannot be shown yet */
  unfinished: string;
}

const en: PageTexts = {
  needsScript: "This quiz needs JavaScript. Please switch it on in your browser and load the page again.",
  missing: "This quiz is not here",
  missingWhy: "It may have been taken offline, or the address is not complete.",
  building: "One moment",
  buildingWhy: "The quiz is being made ready. This page loads itself again.",
  busyWhy: "Many people are asking for it at this moment. This page loads itself again.",
  unavailable: "This quiz cannot be shown at the moment",
  unavailableWhy: "Please try again later.",
  preview: "Preview",
  unfinished: "This draft cannot be shown yet",
};

const texts: Readonly<Record<string, PageTexts>> = {
  en,
  de: {
    needsScript: "Dieses Quiz braucht JavaScript. Bitte schalten Sie es im Browser ein und laden Sie die Seite neu.",
    missing: "Dieses Quiz gibt es hier nicht",
    missingWhy: "Vielleicht wurde es offline genommen, oder die Adresse ist unvollständig.",
    building: "Einen Moment",
    buildingWhy: "Das Quiz wird vorbereitet. Die Seite lädt sich von selbst neu.",
    busyWhy: "Gerade fragen sehr viele danach. Die Seite lädt sich von selbst neu.",
    unavailable: "Dieses Quiz kann gerade nicht gezeigt werden",
    unavailableWhy: "Bitte versuchen Sie es später noch einmal.",
    preview: "Vorschau",
    unfinished: "Dieser Entwurf lässt sich noch nicht zeigen",
  },
  fr: {
    needsScript: "Ce quiz nécessite JavaScript. Activez-le dans votre navigateur, puis rechargez la page.",
    missing: "Ce quiz est introuvable",
    missingWhy: "Il a peut-être été retiré, ou l’adresse est incomplète.",
    building: "Un instant",
    buildingWhy: "Le quiz se prépare. Cette page se recharge toute seule.",
    busyWhy: "Beaucoup de personnes le demandent en ce moment. Cette page se recharge toute seule.",
    unavailable: "Ce quiz ne peut pas être affiché pour le moment",
    unavailableWhy: "Veuillez réessayer plus tard.",
    preview: "Aperçu",
    unfinished: "Ce brouillon ne peut pas encore être affiché",
  },
  es: {
    needsScript: "Este cuestionario necesita JavaScript. Actívalo en tu navegador y vuelve a cargar la página.",
    missing: "Este cuestionario no está aquí",
    missingWhy: "Puede que se haya retirado o que la dirección esté incompleta.",
    building: "Un momento",
    buildingWhy: "El cuestionario se está preparando. Esta página se recarga sola.",
    busyWhy: "Muchas personas lo están pidiendo en este momento. Esta página se recarga sola.",
    unavailable: "Este cuestionario no se puede mostrar en este momento",
    unavailableWhy: "Vuelve a intentarlo más tarde.",
    preview: "Vista previa",
    unfinished: "Este borrador todavía no se puede mostrar",
  },
  it: {
    needsScript: "Questo quiz richiede JavaScript. Attivalo nel browser e ricarica la pagina.",
    missing: "Questo quiz non è qui",
    missingWhy: "Forse è stato ritirato, oppure l’indirizzo non è completo.",
    building: "Un momento",
    buildingWhy: "Il quiz è in preparazione. La pagina si ricarica da sola.",
    busyWhy: "Molte persone lo stanno chiedendo in questo momento. La pagina si ricarica da sola.",
    unavailable: "Al momento non è possibile mostrare questo quiz",
    unavailableWhy: "Riprova più tardi.",
    preview: "Anteprima",
    unfinished: "Questa bozza non si può ancora mostrare",
  },
  nl: {
    needsScript: "Deze quiz heeft JavaScript nodig. Zet het aan in je browser en laad de pagina opnieuw.",
    missing: "Deze quiz is hier niet",
    missingWhy: "Misschien is hij offline gehaald, of is het adres niet volledig.",
    building: "Een ogenblik",
    buildingWhy: "De quiz wordt klaargezet. Deze pagina laadt zichzelf opnieuw.",
    busyWhy: "Heel veel mensen vragen er nu naar. Deze pagina laadt zichzelf opnieuw.",
    unavailable: "Deze quiz kan op dit moment niet worden getoond",
    unavailableWhy: "Probeer het later nog eens.",
    preview: "Voorbeeld",
    unfinished: "Dit concept kan nog niet worden getoond",
  },
  pt: {
    needsScript: "Este quiz precisa de JavaScript. Ative-o no navegador e carregue a página novamente.",
    missing: "Este quiz não está aqui",
    missingWhy: "Pode ter sido retirado, ou o endereço está incompleto.",
    building: "Um momento",
    buildingWhy: "O quiz está sendo preparado. Esta página recarrega sozinha.",
    busyWhy: "Muitas pessoas o estão pedindo neste momento. Esta página recarrega sozinha.",
    unavailable: "Este quiz não pode ser mostrado no momento",
    unavailableWhy: "Tente novamente mais tarde.",
    preview: "Pré-visualização",
    unfinished: "Este rascunho ainda não pode ser mostrado",
  },
  pl: {
    needsScript: "Ten quiz wymaga JavaScriptu. Włącz go w przeglądarce i wczytaj stronę ponownie.",
    missing: "Tego quizu tu nie ma",
    missingWhy: "Mógł zostać wyłączony albo adres jest niepełny.",
    building: "Chwileczkę",
    buildingWhy: "Quiz jest przygotowywany. Strona wczyta się sama ponownie.",
    busyWhy: "W tej chwili prosi o niego bardzo wiele osób. Strona wczyta się sama ponownie.",
    unavailable: "Tego quizu nie można teraz wyświetlić",
    unavailableWhy: "Spróbuj ponownie później.",
    preview: "Podgląd",
    unfinished: "Tego szkicu nie można jeszcze wyświetlić",
  },
  ja: {
    needsScript: "このクイズには JavaScript が必要です。ブラウザーで有効にして、ページを再読み込みしてください。",
    missing: "このクイズは見つかりません",
    missingWhy: "公開が終了したか、アドレスが正しくない可能性があります。",
    building: "少々お待ちください",
    buildingWhy: "クイズを準備しています。このページは自動的に再読み込みされます。",
    busyWhy: "ただいまアクセスが集中しています。このページは自動的に再読み込みされます。",
    unavailable: "このクイズは現在表示できません",
    unavailableWhy: "しばらくしてからもう一度お試しください。",
    preview: "プレビュー",
    unfinished: "この下書きはまだ表示できません",
  },
  ar: {
    needsScript: "يحتاج هذا الاختبار إلى JavaScript. يرجى تفعيله في المتصفح ثم إعادة تحميل الصفحة.",
    missing: "هذا الاختبار غير موجود هنا",
    missingWhy: "ربما تم إيقافه، أو أن العنوان غير مكتمل.",
    building: "لحظة من فضلك",
    buildingWhy: "يجري تجهيز الاختبار. ستُعاد تحميل هذه الصفحة تلقائيًا.",
    busyWhy: "يطلبه عدد كبير من الأشخاص في هذه اللحظة. ستُعاد تحميل هذه الصفحة تلقائيًا.",
    unavailable: "لا يمكن عرض هذا الاختبار حاليًا",
    unavailableWhy: "يرجى المحاولة مرة أخرى لاحقًا.",
    preview: "معاينة",
    unfinished: "لا يمكن عرض هذه المسودة بعد",
  },
};

export const pageLanguages = Object.keys(texts);

const languageOf = (locale: string): string => locale.toLowerCase().split(/[-_]/)[0] ?? "";

/** English if the locale's language is not supported. */
export const textsFor = (locale: string): PageTexts => texts[languageOf(locale)] ?? en;

/** The first supported language in the browser's `Accept-Language` header (RFC 9110, section 12.5.4). */
export function preferredLanguage(header: string | undefined): string {
  const accepted = (header ?? "")
    .slice(0, 200)
    .split(",")
    .flatMap((part) => {
      const [range = "", ...rest] = part.trim().split(";");
      const weight = Number(/^\s*q=([\d.]+)\s*$/.exec(rest.join(";"))?.[1] ?? 1);
      const language = languageOf(range);
      return Object.hasOwn(texts, language) && weight > 0 ? [{ language, weight }] : [];
    });
  return accepted.sort((a, b) => b.weight - a.weight)[0]?.language ?? "en";
}

/** Scripts that are written from right to left. */
const rightToLeft = new Set(["Adlm", "Arab", "Hebr", "Mand", "Mend", "Nkoo", "Rohg", "Syrc", "Thaa"]);

/** null: not a valid locale. */
export function readLocale(text: string | null | undefined): { tag: string; dir: "ltr" | "rtl" } | null {
  if (!text) return null;
  try {
    const locale = new Intl.Locale(text);
    const { script = "" } = locale.maximize();
    return { tag: locale.toString(), dir: rightToLeft.has(script) ? "rtl" : "ltr" };
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
