import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type Configuration,
  calculatePKCECodeChallenge,
  discovery,
  fetchUserInfo,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from "openid-client";

/** The identity provider for signing in (OpenID Connect: code flow with PKCE, state and nonce). */

export interface ProviderSettings {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** `BASE_URL/dashboard/api/oidc/callback` */
  redirectUri: string;
}

/** Stored in the browser while its person is at the provider. */
export interface AuthorizationRequest {
  state: string;
  nonce: string;
  verifier: string;
}

export interface Known {
  issuer: string;
  subject: string;
  /** null: the provider does not confirm that it verified the address */
  email: string | null;
  name: string;
}

const timeoutSeconds = 10;

export class IdentityProvider {
  readonly #settings: ProviderSettings;
  #found: Promise<Configuration> | null = null;

  constructor(settings: ProviderSettings) {
    this.#settings = settings;
  }

  /** The address to send the browser to, and what it has to bring back. */
  async ask(): Promise<AuthorizationRequest & { url: URL }> {
    const checks = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
    const url = buildAuthorizationUrl(await this.#configuration(), {
      redirect_uri: this.#settings.redirectUri,
      scope: "openid email profile",
      state: checks.state,
      nonce: checks.nonce,
      code_challenge: await calculatePKCECodeChallenge(checks.verifier),
      code_challenge_method: "S256",
    });
    return { ...checks, url };
  }

  /**
   * The person who came back; throws if the answer does not match the request. @param query of the callback's address
   */
  async answer({ state, nonce, verifier }: AuthorizationRequest, query: string): Promise<Known> {
    const configuration = await this.#configuration();
    const answered = new URL(`${this.#settings.redirectUri}${query}`);
    const tokens = await authorizationCodeGrant(configuration, answered, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (!claims) throw new Error("the identity provider sent no ID token");
    // some providers return the address only from the userinfo endpoint
    const profile =
      claims["email"] === undefined ? await fetchUserInfo(configuration, tokens.access_token, claims.sub) : claims;
    const { email, email_verified: verified, name } = profile as Record<string, unknown>;
    return {
      issuer: claims.iss,
      subject: claims.sub,
      email: typeof email === "string" && verified === true ? email : null,
      name: typeof name === "string" ? name.slice(0, 200) : "",
    };
  }

  /** Discovered at the first use, and again after a failure. */
  #configuration(): Promise<Configuration> {
    const { issuer, clientId, clientSecret } = this.#settings;
    this.#found ??= discovery(new URL(issuer), clientId, clientSecret, undefined, {
      timeout: timeoutSeconds,
      // for trials: an http address in the settings is a deliberate choice
      execute: issuer.startsWith("http:") ? [allowInsecureRequests] : [],
    }).catch((error: unknown) => {
      this.#found = null;
      throw error;
    });
    return this.#found;
  }
}
