import { Alert, Button, Divider, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { type GetSignInOptionsAnswer, getSignInOptions, type Me, mailLink, signIn } from "../api/generated.ts";
import { isProblem, personApi } from "../app/api.ts";
import { personQueries } from "../app/query.ts";
import { PasswordInput } from "../ui/password-input.tsx";
import { ProblemNote } from "../ui/problem-note.tsx";
import { useSending } from "../ui/sending.ts";

interface SignInFormProps {
  /** the address of the person who was signed in before */
  email?: string;
  /** where the identity provider redirects back to; by default the current address */
  returnTo?: string;
  onSignedIn: (me: Me) => unknown;
}

/**
 * Email and password, then a code if the person has an authenticator; also an identity provider or a mailed link, where
 * available.
 */
export function SignInForm({ email: known = "", returnTo, onSignedIn }: SignInFormProps) {
  const [email, setEmail] = useState(known);
  const [password, setPassword] = useState("");
  const [code, setCode] = useState<string | null>(null);
  const { isSending, error, send } = useSending();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    return send(async () => {
      try {
        const me = await signIn(personApi, { body: { email, password, ...(code ? { code: code.trim() } : {}) } });
        await onSignedIn(me);
      } catch (caught) {
        if (code !== null || !isProblem(caught, "code_required")) throw caught;
        setCode("");
      }
    });
  };
  return (
    <Stack>
      <form onSubmit={submit} aria-label="Sign in">
        <Stack>
          {error !== null && <SignInProblem error={error} />}
          <TextInput
            label="Email"
            type="email"
            name="email"
            autoComplete="username"
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
            required
          />
          <PasswordInput
            label="Password"
            name="password"
            autoComplete="current-password"
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            required
          />
          {code !== null && <CodeInput code={code} setCode={setCode} />}
          <Button type="submit" loading={isSending}>
            Sign in
          </Button>
        </Stack>
      </form>
      <OtherWays email={email} {...(returnTo === undefined ? {} : { returnTo })} />
    </Stack>
  );
}

/**
 * The message never says whether the email or the password is wrong, so nobody learns whether an address is registered.
 */
function SignInProblem({ error }: { error: unknown }) {
  if (!isProblem(error, "sign_in_failed")) return <ProblemNote error={error} />;
  return (
    <Alert color="red" variant="light" role="alert">
      Email, password or code are not right.
    </Alert>
  );
}

export const CodeInput = ({ code, setCode }: { code: string; setCode: (code: string) => void }) => (
  <TextInput
    label="Code"
    description="From your authenticator, or one of your recovery codes"
    name="code"
    autoComplete="one-time-code"
    value={code}
    onChange={(event) => setCode(event.currentTarget.value)}
    autoFocus
    required
  />
);

function OtherWays({ email, returnTo }: { email: string; returnTo?: string }) {
  const data = useOptions();
  const [isSent, setSent] = useState(false);
  const { isSending, error, send } = useSending();
  if (!data || (data.oidc === null && !data.mail)) {
    return (
      <Text size="sm" c="dimmed">
        No password yet? Whoever runs this server can give you a link: quizstore user login-link.
      </Text>
    );
  }
  const mail = async () => {
    setSent(false);
    setSent(await send(() => mailLink(personApi, { body: { email: email.trim() } })));
  };
  return (
    <>
      <Divider label="or" />
      <ProviderButton {...(returnTo !== undefined && { returnTo })} />
      {data.mail && (
        <Button variant="default" onClick={mail} disabled={email.trim() === ""} loading={isSending}>
          Mail me a link
        </Button>
      )}
      <div role="status">
        {isSent && <Text size="sm">If we know this address, a link is on its way to it.</Text>}
        {error !== null && <ProblemNote error={error} />}
      </div>
    </>
  );
}

const useOptions = (): GetSignInOptionsAnswer | undefined =>
  useQuery({ queryKey: ["sign-in-options"], queryFn: () => getSignInOptions(personApi) }, personQueries).data;

/** Renders nothing without an identity provider. */
export function ProviderButton({ returnTo }: { returnTo?: string }) {
  const data = useOptions();
  if (!data?.oidc) return null;
  return (
    <Button component="a" variant="default" href={providerUrl(data.oidc, returnTo)}>
      Sign in with {data.oidc.name}
    </Button>
  );
}

function providerUrl({ url }: NonNullable<GetSignInOptionsAnswer["oidc"]>, returnTo: string | undefined): string {
  const back = returnTo ?? location.pathname + location.search;
  return `${url}${url.includes("?") ? "&" : "?"}return_to=${encodeURIComponent(back)}`;
}
