/**
 * The session cookie [accounts.cookie]. `__Host-` binds it to this host, all paths and https; browsers refuse that name
 * on http, so a trial on http uses a plain one.
 */
export interface CookieForm {
  name: string;
  secure: boolean;
}

const plainName = "quizstore";

export function cookieForm(baseUrl: string, name = plainName): CookieForm {
  const secure = baseUrl.startsWith("https:");
  return { name: secure ? `__Host-${name}` : name, secure };
}

/** @param seconds how long the browser keeps it; 0 deletes it */
export const writeCookie = ({ name, secure }: CookieForm, value: string, seconds: number): string =>
  [
    `${name}=${value}`,
    "Path=/",
    `Max-Age=${Math.floor(seconds)}`,
    "HttpOnly",
    ...(secure ? ["Secure"] : []),
    "SameSite=Lax",
  ].join("; ");

export const clearCookie = (form: CookieForm): string => writeCookie(form, "", 0);

/** The value of the first cookie with that name. */
export function readCookie({ name }: Pick<CookieForm, "name">, header: string | undefined): string | null {
  for (const pair of (header ?? "").split(";")) {
    const [found = "", ...value] = pair.trim().split("=");
    if (found === name) return value.join("=");
  }
  return null;
}
