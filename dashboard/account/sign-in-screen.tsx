import { Alert } from "@mantine/core";
import { useSearchParams } from "../app/address.tsx";
import { leaveFor } from "../app/leave.ts";
import { oneOf } from "../app/search.ts";
import { readReturn } from "../app/stores.ts";
import { tellOthers } from "../app/tabs.ts";
import { Alone } from "./alone.tsx";
import { SignInForm } from "./sign-in-form.tsx";

/** Messages for the refusal codes that an identity provider's redirect carries in the address. */
const providerProblems: Readonly<Record<string, string>> = {
  no_account: "Nobody here has the address that the provider knows. Ask an owner of your store to invite you.",
  other_identity:
    "Your account here signs in with another account at the provider. Use that one, your password or a link; the service's operator can remove the connection.",
  provider_failed: "The provider did not sign you in. Please try again.",
  sign_in_failed: "The provider did not sign you in. Please try again.",
};

export function SignInScreen() {
  const search = useSearchParams();
  const returnTo = readReturn(oneOf(search, "return_to"));
  const problem = oneOf(search, "problem");
  // loads a new page that replaces this one: nothing of the previous person is left, and Back skips it
  const goOn = () => {
    tellOthers();
    return leaveFor(returnTo + location.hash);
  };
  return (
    <Alone title="Sign in">
      <div role="status">
        {oneOf(search, "signed_out") !== null && <Alert mb="md">You are signed out.</Alert>}
        {returnTo !== "/dashboard" && problem === null && (
          <Alert mb="md">Please sign in to go on to where you were going.</Alert>
        )}
      </div>
      {problem !== null && (
        <Alert mb="md" color="red" variant="light" role="alert">
          {providerProblems[problem] ?? "Signing in did not work. Please try again."}
        </Alert>
      )}
      <SignInForm returnTo={returnTo} onSignedIn={goOn} />
    </Alone>
  );
}
