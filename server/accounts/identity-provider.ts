import {
  AuthorizationResponseError,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  calculatePKCECodeChallenge,
  discovery,
  fetchUserInfo,
  ResponseBodyError,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  type ServerMetadata,
  WWWAuthenticateChallengeError,
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

const secretWays = { client_secret_basic: ClientSecretBasic, client_secret_post: ClientSecretPost } as const;
type SecretWay = keyof typeof secretWays;

/**
 * The ways in which a provider takes the secret, the standard's own first, which counts if it names none
 * [accounts.oidc-secret].
 */
export function secretWaysOf({ token_endpoint_auth_methods_supported: named }: ServerMetadata): SecretWay[] {
  const ways: SecretWay[] = ["client_secret_basic", "client_secret_post"];
  return named === undefined ? ["client_secret_basic"] : ways.filter((way) => named.includes(way));
}

/** The code with which a provider refused, such as invalid_client; null: it was not the provider, or gave none. */
export async function providerCode(error: unknown): Promise<string | null> {
  const code = await codeIn(error);
  return typeof code === "string" && /^[\w.-]{1,60}$/.test(code) ? code : null;
}

async function codeIn(error: unknown): Promise<unknown> {
  if (error instanceof ResponseBodyError || error instanceof AuthorizationResponseError) return error.error;
  if (!(error instanceof WWWAuthenticateChallengeError)) return null;
  const challenged = error.cause.find(({ parameters }) => parameters.error)?.parameters.error;
  if (challenged !== undefined) return challenged;
  const body: unknown = await error.response.json().catch(() => null);
  return typeof body === "object" && body !== null && "error" in body ? body.error : null;
}

export class IdentityProvider {
  readonly #settings: ProviderSettings;
  /** the way in use first */
  #secretWays: SecretWay[] = [];
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
    const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
    const tokens = await this.#inEachWay(() => authorizationCodeGrant(configuration, answered, checks));
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
    const sendSecret: ClientAuth = (...request) =>
      secretWays[this.#secretWays[0] ?? "client_secret_basic"](clientSecret)(...request);
    this.#found ??= discovery(new URL(issuer), clientId, clientSecret, sendSecret, {
      timeout: timeoutSeconds,
      // for trials: an http address in the settings is a deliberate choice
      execute: issuer.startsWith("http:") ? [allowInsecureRequests] : [],
    })
      .then((configuration) => {
        this.#secretWays = secretWaysOf(configuration.serverMetadata());
        if (this.#secretWays.length > 0) return configuration;
        throw new Error("the identity provider takes neither client_secret_basic nor client_secret_post");
      })
      .catch((error: unknown) => {
        this.#found = null;
        throw error;
      });
    return this.#found;
  }

  /**
   * Sends the secret the other way if the provider names both, but takes only the one that this client is registered
   * for there. A refused secret uses up no code.
   */
  async #inEachWay<Result>(request: () => Promise<Result>): Promise<Result> {
    try {
      return await request();
    } catch (error) {
      const [used, other] = this.#secretWays;
      const isAboutSecret =
        error instanceof WWWAuthenticateChallengeError || (await providerCode(error)) === "invalid_client";
      if (!isAboutSecret || used === undefined || other === undefined) throw error;
      this.#secretWays = [other, used];
      return request();
    }
  }
}
