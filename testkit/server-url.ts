import type pg from "pg";

/** The parts of a PostgreSQL address, so that a test can replace the database's name. */
export function serverOf(url: string): pg.ClientConfig {
  const { hostname, port, username, password, pathname } = new URL(url);
  return {
    host: hostname,
    port: port === "" ? 5432 : Number(port),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database: pathname.slice(1) || "postgres",
  };
}
