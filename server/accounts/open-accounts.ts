import type { FastifyInstance } from "fastify";
import type { AuthenticatePerson, AuthenticateToken } from "../platform/caller.ts";
import type { Config } from "../platform/config.ts";
import type { DashboardRoute } from "../platform/http/dashboard.ts";
import type { AccountDeps } from "./deps.ts";
import { Guesses } from "./guessing.ts";
import { IdentityProvider } from "./identity-provider.ts";
import type { Mailer } from "./mail.ts";
import { oidcCallbackPath, registerOidc } from "./oidc-routes.ts";
import { type PasswordCost, Passwords } from "./passwords.ts";
import { tokenHolder } from "./personal-tokens.ts";
import { accountRoutes } from "./routes.ts";
import { authenticate } from "./sessions.ts";

/** Puts the slice together: who a request is from, and the routes of accounts. */

interface AccountSettings extends AccountDeps {
  config: Pick<Config, "oidcIssuer" | "oidcClientId" | "oidcClientSecret" | "oidcName">;
  /** null: no mail is sent */
  mailer: Mailer | null;
  /** cheaper in tests */
  passwordCost?: PasswordCost;
}

export interface Accounts {
  authenticate: AuthenticatePerson;
  authenticateToken: AuthenticateToken;
  routes: DashboardRoute[];
  /** addresses that a browser opens, in addition to the operations */
  register(app: FastifyInstance): void;
}

export function openAccounts(settings: AccountSettings): Accounts {
  const passwords = new Passwords(settings.random, settings.passwordCost);
  const deps = { ...settings, passwords, guesses: new Guesses(settings) };
  const provider = providerOf(settings);
  return {
    authenticate: (cookie, deadline) => authenticate(deps, cookie, deadline),
    authenticateToken: (authorization, deadline) => tokenHolder(deps, authorization, deadline),
    routes: accountRoutes({ ...deps, oidc: provider && { name: settings.config.oidcName } }),
    register(app) {
      if (provider) registerOidc(app, { ...deps, provider });
    },
  };
}

function providerOf({ config, baseUrl }: AccountSettings): IdentityProvider | null {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret } = config;
  if (issuer === null || clientId === null || clientSecret === null) return null;
  return new IdentityProvider({ issuer, clientId, clientSecret, redirectUri: baseUrl + oidcCallbackPath });
}
