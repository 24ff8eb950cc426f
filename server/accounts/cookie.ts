/**
 * The cookie of a session [accounts.cookie]. `__Host-` binds it to this host, whole and over https; browsers refuse the
 * name on http, where a trial has a plain one.
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

/** @param seconds how long the browser keeps it; 0 takes it away */
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

/** The value of the first cookie of that name. */
export function readCookie({ name }: CookieForm, header: string | undefined): string | null {
  for (const pair of (header ?? "").split(";")) {
    const [found = "", ...value] = pair.trim().split("=");
    if (found === name) return value.join("=");
  }
  return null;
}
