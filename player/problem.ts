/**
 * The title of a problem, such as `not_found`; null for what a proxy, firewall or portal answered in the server's place
 * [player.proxies]: the server's type is an address that ends in the title.
 */
export function titleOf(body: unknown): string | null {
  const { type, title } = Object(body);
  return title && `${type}`.endsWith(`/errors/${title}`) ? title : null;
}
