import { createServer } from "node:http";
import { Provider } from "oidc-provider";
import { listenLocally } from "./machine.ts";

/** A real OpenID provider (the npm package) on a local port, and a person who signs in there. */

export interface Account {
  email?: string;
  email_verified?: boolean;
  name?: string;
}

export interface RunningProvider {
  issuer: string;
  /** by the name that is entered */
  accounts: Map<string, Account>;
  close(): Promise<void>;
}

export const oidcClient = { clientId: "quizstore", clientSecret: "a secret between the two of them" };

export interface ProviderOptions {
  claimsInToken?: boolean;
  /** the ways in which it takes secrets, of which the first is this client's own; both if left out */
  secretWays?: readonly ("client_secret_basic" | "client_secret_post")[];
  /** names both ways, but takes only this client's own */
  strict?: boolean;
}

/** @param redirectUri where it redirects people after signing in */
export async function runProvider(
  redirectUri: string,
  { claimsInToken = false, secretWays = ["client_secret_basic", "client_secret_post"], strict }: ProviderOptions = {},
): Promise<RunningProvider> {
  const server = createServer();
  const { port, close } = await listenLocally(server);
  const issuer = `http://127.0.0.1:${port}`;
  const accounts = new Map<string, Account>();
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: oidcClient.clientId,
        client_secret: oidcClient.clientSecret,
        redirect_uris: [redirectUri],
        grant_types: ["authorization_code"],
        response_types: ["code"],
        token_endpoint_auth_method: secretWays[0],
      },
    ],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    conformIdTokenClaims: !claimsInToken,
    findAccount: (_context: unknown, id: string) => ({
      accountId: id,
      claims: async () => ({ sub: id, ...accounts.get(id) }),
    }),
    cookies: { keys: ["a key for the cookies of this provider"] },
    ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
    pkce: { required: () => true },
    clientAuthMethods: [...secretWays],
  });
  const answer = provider.callback();
  server.on("request", (request, response) => {
    const isBasic = request.headers.authorization !== undefined;
    if (!strict || request.url !== "/token" || isBasic === (secretWays[0] === "client_secret_basic"))
      return answer(request, response);
    response.writeHead(401, { "content-type": "application/json", "www-authenticate": 'Basic realm="tokens"' });
    return response.end('{"error":"invalid_client","error_description":"of quizstore, for ada@sso.example"}');
  });
  return { issuer, accounts, close };
}

/** Follows the sign-in link, signs in as `name` and consents; returns the address of the redirect back. */
export async function signInAt(start: string, name: string, redirectUri: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = start;
  let form: URLSearchParams | null = null;
  for (let hop = 0; hop < 15; hop += 1) {
    const answer: Response = await fetch(url, {
      redirect: "manual",
      headers: { cookie: [...cookies].map(([key, value]) => `${key}=${value}`).join("; ") },
      ...(form ? { method: "POST", body: form } : {}),
    });
    form = null;
    for (const set of answer.headers.getSetCookie()) {
      const [pair = ""] = set.split(";");
      cookies.set(pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1));
    }
    const to = answer.headers.get("location");
    if (to !== null) {
      url = new URL(to, url).href;
      if (url.startsWith(redirectUri)) return new URL(url);
      continue;
    }
    const page = await answer.text();
    const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1];
    const action = /<form[^>]* action="([^"]+)"/.exec(page)?.[1];
    if (prompt === undefined || action === undefined)
      throw new Error(`the provider shows no form: ${answer.status} ${page.slice(0, 300)}`);
    url = new URL(action, url).href;
    form = new URLSearchParams(prompt === "login" ? { prompt, login: name, password: "any" } : { prompt });
  }
  throw new Error("the provider leads in a circle");
}
