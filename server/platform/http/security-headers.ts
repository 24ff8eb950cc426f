/**
 * Security headers of every answer (OWASP, "REST Security"): its content type is final, it runs and loads nothing, and
 * no page may frame it [api.safe-headers]. Pages replace the second with a rule of their own.
 *
 * @param baseUrl the public address: HSTS only makes sense for services behind https
 */
export const securityHeaders = (baseUrl: string): Readonly<Record<string, string>> => ({
  "X-Content-Type-Options": "nosniff",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  // without subdomains, which may belong to others
  ...(baseUrl.startsWith("https:") ? { "Strict-Transport-Security": "max-age=31536000" } : {}),
});
