import { Alert, Button, Stack, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link as RouterLink, useParams } from "@tanstack/react-router";
import { type FormEvent, type ReactNode, useState } from "react";
import { acceptLink, getLink, type Link, type Me } from "../api/generated.ts";
import { isProblem, personApi } from "../app/api.ts";
import { leaveFor } from "../app/leave.ts";
import { personQueries } from "../app/query.ts";
import { tellOthers } from "../app/tabs.ts";
import { PasswordInput } from "../ui/password-input.tsx";
import { ProblemNote } from "../ui/problem-note.tsx";
import { useSending } from "../ui/sending.ts";
import { BoxSkeleton } from "../ui/skeletons.tsx";
import { Alone } from "./alone.tsx";
import { CodeInput, ProviderButton, SignInForm } from "./sign-in-form.tsx";

/**
 * A one-time link. Opening it does not use it up, because mail programs and chats open links too; the click does
 * [dashboard.link-click].
 */
export function LinkScreen() {
  const params: Record<string, string | undefined> = useParams({ strict: false });
  const token = params["token"] ?? "";
  const query = useQuery(
    {
      queryKey: ["link", token],
      queryFn: () => getLink(personApi, { path: { token } }),
      staleTime: Number.POSITIVE_INFINITY,
    },
    personQueries,
  );
  if (query.isError) return <NoLink error={query.error} retry={query.refetch} />;
  if (!query.data) {
    return (
      <Alone title="One moment">
        <BoxSkeleton height={90} />
      </Alone>
    );
  }
  return <UseLink token={token} link={query.data} />;
}

/** Unknown, used and expired links all show the same advice. */
function NoLink({ error, retry }: { error: unknown; retry: () => unknown }) {
  if (!isProblem(error, "link_gone") && !isProblem(error, "not_found") && !isProblem(error, "validation_error")) {
    return (
      <Alone title="The link could not be looked at">
        <ProblemNote error={error} retry={retry} />
      </Alone>
    );
  }
  const isGone = isProblem(error, "link_gone");
  return (
    <Alone
      title={isGone ? "This link is used or expired" : "There is no such link"}
      text={
        isGone
          ? "A link works once and for a limited time. Ask whoever gave it to you for a new one, or sign in."
          : "The address may not be complete. Ask whoever gave it to you for the whole of it, or sign in."
      }
    >
      <Button component={RouterLink} to="/sign-in">
        Sign in
      </Button>
    </Alone>
  );
}

function titleOf({ kind, store }: Link): { title: string; drawn?: ReactNode } {
  if (kind === "sign_in") return { title: "Sign in" };
  if (store === null) return { title: "You are invited" };
  const name = <span className="qs-name">{store.name}</span>;
  return { title: `You are invited to ${store.name}`, drawn: <>You are invited to {name}</> };
}

const whatFor = ({ kind, role, email, invited_by: by, operator }: Link) => {
  const person = <b className="qs-name">{email}</b>;
  if (kind === "sign_in") return <>This link signs you in as {person}.</>;
  const as = operator ? "operator of this server" : role;
  return (
    <>
      {by === null ? "You were invited" : <>{<b className="qs-name">{by}</b>} invited you</>} as {as}, with the address{" "}
      {person}.
    </>
  );
};

function UseLink({ token, link }: { token: string; link: Link }) {
  const [needsSignIn, setNeedsSignIn] = useState(link.needs === "sign_in");
  const [other, setOther] = useState<string | null>(null);
  const title = titleOf(link);
  const signedIn = ({ person }: Me) => {
    tellOthers();
    const isTheirs = person.email === link.email;
    setOther(isTheirs ? null : person.email);
    setNeedsSignIn(!isTheirs);
  };
  if (needsSignIn) {
    return (
      <Alone {...title} text={<>{whatFor(link)} You have an account already: sign in to accept.</>}>
        <Stack>
          {other !== null && (
            <Alert color="red" variant="light" role="alert">
              You signed in as <b className="qs-name">{other}</b>, whom this invitation is not for.
            </Alert>
          )}
          <SignInForm key={other} email={link.email} onSignedIn={signedIn} />
        </Stack>
      </Alone>
    );
  }
  return (
    <Alone {...title} text={whatFor(link)}>
      <LinkForm token={token} link={link} onSignInNeeded={() => setNeedsSignIn(true)} />
    </Alone>
  );
}

interface LinkFormProps {
  token: string;
  link: Link;
  onSignInNeeded: () => void;
}

function LinkForm({ token, link, onSignInNeeded }: LinkFormProps) {
  const [code, setCode] = useState<string | null>(link.needs === "code" ? "" : null);
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const { isSending, error, send } = useSending();
  const use = async () => {
    const fields = { ...(code && { code: code.trim() }), ...(name && { name }), ...(password && { password }) };
    try {
      await acceptLink(personApi, { body: { token, ...fields } });
      tellOthers();
      const store = link.store === null ? "" : `?store=${link.store.id}`;
      // Back would lead to a used link
      await leaveFor(`/dashboard${store}`);
    } catch (caught) {
      if (isProblem(caught, "code_required") && code === null) setCode("");
      else if (isProblem(caught, "not_signed_in")) onSignInNeeded();
      else throw caught;
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    return send(use);
  };
  if (isProblem(error, "link_gone")) return <NoLinkAnyMore />;
  return (
    <form onSubmit={submit}>
      <Stack>
        {error !== null && <LinkProblem error={error} />}
        {link.new_account && (
          <>
            <TextInput
              label="Your name"
              name="name"
              autoComplete="name"
              maxLength={200}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <PasswordInput
              label="Password"
              description="At least 12 characters. You may leave it empty and set one later."
              name="password"
              autoComplete="new-password"
              minLength={12}
              maxLength={200}
              value={password}
              onChange={(event) => setPassword(event.currentTarget.value)}
            />
          </>
        )}
        {code !== null && <CodeInput code={code} setCode={setCode} />}
        <Button type="submit" loading={isSending}>
          {link.kind === "sign_in" ? "Sign in" : "Accept"}
        </Button>
        {link.new_account && <ProviderButton />}
      </Stack>
    </form>
  );
}

const LinkProblem = ({ error }: { error: unknown }) =>
  isProblem(error, "sign_in_failed") ? (
    <Alert color="red" variant="light" role="alert">
      The code is not right.
    </Alert>
  ) : (
    <ProblemNote error={error} />
  );

const NoLinkAnyMore = () => (
  <Stack>
    <Alert color="red" variant="light" role="alert">
      This link was used meanwhile, or has expired. Ask for a new one, or sign in.
    </Alert>
    <Button component={RouterLink} to="/sign-in">
      Sign in
    </Button>
  </Stack>
);
