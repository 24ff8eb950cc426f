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

/** The one identity provider that people may sign in by (OpenID Connect: a code, with PKCE, state and nonce). */

export interface ProviderSettings {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** `BASE_URL/dashboard/api/oidc/callback` */
  redirectUri: string;
}

/** What is kept by the browser while its person is away at the provider. */
export interface AuthorizationRequest {
  state: string;
  nonce: string;
  verifier: string;
}

export interface Known {
  issuer: string;
  subject: string;
  /** null: the provider does not say that it verified it */
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

  /** Where to send the browser, and what it is to bring back. */
  async ask(): Promise<AuthorizationRequest & { url: URL }> {
    const asked = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
    const url = buildAuthorizationUrl(await this.#configuration(), {
      redirect_uri: this.#settings.redirectUri,
      scope: "openid email profile",
      state: asked.state,
      nonce: asked.nonce,
      code_challenge: await calculatePKCECodeChallenge(asked.verifier),
      code_challenge_method: "S256",
    });
    return { ...asked, url };
  }

  /** Who came back; throws for an answer that is none to what was asked. @param query of the callback's address */
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
    // some tell the address only when they are asked once more
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

  /** Looked up when it is needed first, and again after a failure. */
  #configuration(): Promise<Configuration> {
    const { issuer, clientId, clientSecret } = this.#settings;
    this.#found ??= discovery(new URL(issuer), clientId, clientSecret, undefined, {
      timeout: timeoutSeconds,
      // for trials: whoever writes http in the settings has chosen it
      execute: issuer.startsWith("http:") ? [allowInsecureRequests] : [],
    }).catch((error: unknown) => {
      this.#found = null;
      throw error;
    });
    return this.#found;
  }
}
