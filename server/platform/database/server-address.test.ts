import { describe, expect, it } from "vitest";
import { faultOfAddress, readAddress } from "./server-address.ts";

describe("the address of a database [operations.settings]", () => {
  it.each([
    "postgres://user:password@host:5432/quizstore",
    "postgresql://host/quizstore?sslmode=require&channel_binding=require",
    "postgres://user:p%40ss@[2001:db8::1]:6543/quizstore?sslmode=verify-full&sslrootcert=system",
    "postgres://user@localhost/quizstore?host=/run/postgresql",
    "postgres://user@%2Frun%2Fpostgresql/quizstore",
    "postgres:///quizstore?host=/run/postgresql",
    "postgres://user:a,b@host/quizstore",
  ])("takes %s", (text) => expect(faultOfAddress(text)).toBeNull());

  it.each([
    ["postgres://u:p@one:5432,two:5432/quizstore?target_session_attrs=read-write", "write one host, of several"],
    ["postgres://one,two/quizstore", "write one host, of several"],
    ["postgres://u@one/quizstore?host=one,two", "write one host, of several"],
    ["postgres://u@/quizstore?host=/run/postgresql", "write a host, for a socket too"],
    ["mysql://a/b", "write an address such as"],
    ["host=a dbname=b", "write an address such as"],
    ["postgres://a/b?sslmode=required", "write sslmode as one of disable, allow"],
    ["postgres://a/b?sslmode=verify-ca", "write sslrootcert=FILE"],
    ["postgres://a/b?sslmode=require&sslrootcert=system", "write sslmode=verify-full"],
  ])("refuses %s, and says what to write", (text, said) => expect(faultOfAddress(text)).toContain(said));
});

describe("the encryption that an address asks for [operations.database-encryption]", () => {
  const modeOf = (query: string, host = "h") => readAddress(`postgres://u@${host}/d${query}`).mode;

  it("is that of PostgreSQL's own programs", () => {
    const modes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"];
    expect(modes.map((mode) => modeOf(`?sslmode=${mode}&sslrootcert=f`))).toEqual(modes);
    expect(modeOf("")).toBe("prefer");
    expect(modeOf("?sslmode=no-verify")).toBe("require");
  });

  it("without a mode is the strictest where certificates are named", () => {
    for (const query of ["?sslrootcert=f", "?sslrootcert=system", "?sslcert=f&sslkey=g", "?ssl=true", "?ssl=1"])
      expect(modeOf(query)).toBe("verify-full");
    expect([modeOf("?ssl=false"), modeOf("?ssl=0")]).toEqual(["disable", "disable"]);
  });

  it("is none on a socket", () => {
    expect([modeOf("?host=/run/postgresql&sslmode=require"), modeOf("?sslmode=prefer", "%2Frun")]).toEqual([
      "disable",
      "disable",
    ]);
  });

  it("is tried first where the server may do without", () => {
    expect(readAddress("postgres://h/d").ways).toHaveLength(2);
    for (const mode of ["disable", "require", "verify-full"])
      expect(readAddress(`postgres://h/d?sslmode=${mode}`).ways).toHaveLength(1);
  });
});
