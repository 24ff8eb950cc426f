/**
 * What every answer tells browsers (OWASP, "REST Security"): it is what its content type says, runs and loads nothing,
 * and is framed by nobody [api.safe-headers]. Pages put a rule of their own in place of the second.
 *
 * @param baseUrl the public address: HSTS is for services behind https, and means nothing on others
 */
export const securityHeaders = (baseUrl: string): Readonly<Record<string, string>> => ({
  "X-Content-Type-Options": "nosniff",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  // other hosts of the domain are somebody else's to decide on
  ...(baseUrl.startsWith("https:") ? { "Strict-Transport-Security": "max-age=31536000" } : {}),
});
