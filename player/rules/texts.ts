import type { languageOf } from "../texts/load-texts.ts";

/** For when the server cannot be reached, in each language of the player. */
export const awayTexts: Readonly<Record<ReturnType<typeof languageOf>, string>> = {
  ar: "تعذّر تحميل المنتجات. يُرجى التحقق من الاتصال.",
  de: "Die Produkte konnten nicht geladen werden. Bitte prüfen Sie die Verbindung.",
  en: "The products could not be loaded. Please check your connection.",
  es: "No se han podido cargar los productos. Comprueba tu conexión.",
  fr: "Les produits n’ont pas pu être chargés. Vérifiez votre connexion.",
  it: "Impossibile caricare i prodotti. Controlla la connessione.",
  ja: "商品を読み込めませんでした。接続を確認してください。",
  nl: "De producten konden niet worden geladen. Controleer je verbinding.",
  pl: "Nie udało się wczytać produktów. Sprawdź połączenie.",
  pt: "Não foi possível carregar os produtos. Verifique a sua ligação.",
};
