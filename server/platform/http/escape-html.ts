/** What HTML takes for markup, as text; in attributes between double or single quotes too. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
