/** What is said in place of products that are not there yet, in the player's languages. */
export interface AwayTexts {
  loading: string;
  away: string;
}

export const awayTexts: Readonly<Record<string, AwayTexts>> & { en: AwayTexts } = {
  ar: { loading: "جارٍ البحث عن المنتجات المناسبة…", away: "تعذّر تحميل المنتجات. يُرجى التحقق من الاتصال." },
  de: {
    loading: "Passende Produkte werden gesucht …",
    away: "Die Produkte konnten nicht geladen werden. Bitte die Verbindung prüfen.",
  },
  en: {
    loading: "Finding products that fit…",
    away: "The products could not be loaded. Please check your connection.",
  },
  es: {
    loading: "Buscando productos adecuados…",
    away: "No se han podido cargar los productos. Comprueba tu conexión.",
  },
  fr: {
    loading: "Recherche des produits adaptés…",
    away: "Les produits n’ont pas pu être chargés. Veuillez vérifier votre connexion.",
  },
  it: { loading: "Ricerca dei prodotti adatti…", away: "Impossibile caricare i prodotti. Controlla la connessione." },
  ja: { loading: "合う商品を探しています…", away: "商品を読み込めませんでした。接続を確認してください。" },
  nl: {
    loading: "Passende producten zoeken…",
    away: "De producten konden niet worden geladen. Controleer je verbinding.",
  },
  pl: { loading: "Szukamy pasujących produktów…", away: "Nie udało się wczytać produktów. Sprawdź połączenie." },
  pt: {
    loading: "A procurar produtos adequados…",
    away: "Não foi possível carregar os produtos. Verifique a sua ligação.",
  },
};
