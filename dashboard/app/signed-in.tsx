import { QueryClientProvider, useQuery } from "@tanstack/react-query";
import { useLocation, useNavigate } from "@tanstack/react-router";
import { type ReactNode, Suspense, useEffect, useMemo, useRef, useState } from "react";
import { getMe, type Me, signOut as sendSignOut } from "../api/generated.ts";
import { ConfirmProvider } from "../ui/confirm-provider.tsx";
import { keepFormsOf } from "../ui/kept-values.ts";
import { ProblemScreen } from "../ui/problem-note.tsx";
import { AppSkeleton } from "../ui/skeletons.tsx";
import type { StoreOfMe } from "./account-types.ts";
import { useSearchParams } from "./address.tsx";
import { ApiContext, apiFor, isProblem, onRefused } from "./api.ts";
import { useStoreOfThing, useSupportedStores } from "./foreign-store.ts";
import { latePart } from "./late.tsx";
import { Layout } from "./layout.tsx";
import { askFailedAgain, forgetEverything, queryClientFor } from "./query.ts";
import { oneOf } from "./search.ts";
import { type Session, SessionContext, StoreContext } from "./session.ts";
import { browserStorage, tabStorage } from "./storage.ts";
import { chooseStore, lastStoreKey } from "./stores.ts";
import { onToldByOthers, tellOthers } from "./tabs.ts";

const EndedSession = latePart(() => import("./ended-session.tsx"), "EndedSession", { isOver: true });

/** Asks who is signed in; a 401 here must not trigger the check again. */
const unwatched = apiFor(null, { isWatched: false });

/** null: nobody is signed in. */
async function readMe(): Promise<Me | null> {
  try {
    const me = await getMe(unwatched);
    keepFormsOf(tabStorage, me.person.id);
    return me;
  } catch (error) {
    if (isProblem(error, "not_signed_in")) return null;
    throw error;
  }
}

/** The screens for signed-in people; others are redirected to sign in, and come back afterwards. */
export function SignedIn() {
  const query = useQuery({ queryKey: ["me"], queryFn: readMe, staleTime: 60_000 });
  const { data, refetch } = query;
  const [known, setKnown] = useState<Me | null>(null);
  useEffect(() => {
    // the first person on this page is remembered until the page is left
    if (data) setKnown((before) => (before === null || before.person.id === data.person.id ? data : before));
  }, [data]);
  useOneSession(data?.session.id ?? null, refetch);
  const me = data ?? known;
  // somebody else signed in in another tab: nothing on this page is theirs
  const isSomebodyElse = known !== null && data != null && known.person.id !== data.person.id;
  useEffect(() => {
    if (isSomebodyElse) startAnew("/dashboard");
  }, [isSomebodyElse]);
  if (isSomebodyElse) return <AppSkeleton />;
  if (me === null) {
    if (query.isPending) return <AppSkeleton />;
    if (query.isError) return <ProblemScreen error={query.error} retry={() => void refetch()} />;
    return <ToSignIn />;
  }
  // somebody was signed in and the session ended: keep what they typed
  return <SignedInAs me={me} hasEnded={data === null} refresh={refetch} />;
}

/**
 * Keeps one session for all tabs of the browser. A sign-in through an identity provider skips the screens that notify
 * the other tabs, so a tab that finds a new session notifies them.
 */
function useOneSession(session: string | null, refetch: () => unknown): void {
  useEffect(() => {
    if (session !== null) tellOthers(session);
  }, [session]);
  useEffect(() => onRefused(refetch), [refetch]);
  useEffect(
    () =>
      onToldByOthers((now) => {
        if (now === null || now !== session) refetch();
      }),
    [session, refetch],
  );
}

function ToSignIn() {
  const navigate = useNavigate();
  useEffect(() => {
    const here = location.pathname + location.search;
    const search = here === "/dashboard" ? {} : { return_to: here };
    // the fragment after `#` is never sent to a server, so it must not be part of the return address
    void navigate({ to: "/sign-in", search, hash: location.hash.slice(1), replace: true });
  }, [navigate]);
  return <AppSkeleton />;
}

interface SignedInAsProps {
  me: Me;
  hasEnded: boolean;
  refresh: () => Promise<unknown>;
}

function SignedInAs({ me, hasEnded, refresh }: SignedInAsProps) {
  const session = useMemo<Session>(
    () => ({
      me,
      refresh,
      signOut: async () => {
        await sendSignOut(unwatched).catch((error: unknown) => {
          // the session ended elsewhere, which is the desired result
          if (!isProblem(error, "not_signed_in")) throw error;
        });
        tellOthers();
        startAnew("/dashboard/sign-in?signed_out=1");
      },
    }),
    [me, refresh],
  );
  const hadEnded = useRef(false);
  useEffect(() => {
    if (hadEnded.current && !hasEnded) askFailedAgain();
    hadEnded.current = hasEnded;
  }, [hasEnded]);
  return (
    <SessionContext value={session}>
      <InStore me={me} />
      <Suspense>{hasEnded && <EndedSession me={me} onSignedIn={(next) => goOn(me, next, refresh)} />}</Suspense>
    </SessionContext>
  );
}

/** Removes everything of the previous person from the page. */
function startAnew(at: string): void {
  forgetEverything();
  location.assign(at);
}

/** Another person gets a freshly loaded page. */
function goOn(before: Me, now: Me, refresh: () => Promise<unknown>): void {
  tellOthers();
  if (before.person.id !== now.person.id) startAnew("/dashboard");
  else void refresh();
}

function InStore({ me }: { me: Me }) {
  const named = oneOf(useSearchParams(), "store");
  const supported = useSupportedStores(me);
  const thing = useStoreOfThing(me, named);
  const requestedId = named ?? thing.storeId;
  const stores: readonly StoreOfMe[] = [...me.stores, ...supported.stores];
  const { store, isMissing } = chooseStore(stores, requestedId, browserStorage.getItem(lastStoreKey));
  const isPending = supported.isPending || thing.isPending;
  useNamedStore(store, named, stores.length > 1 && !isPending);
  if (isPending) return <AppSkeleton />;
  return (
    <StoreContext value={store}>
      <Asking key={store?.id ?? ""} storeId={store?.id ?? null}>
        <Layout stores={stores} missing={isMissing ? requestedId : null} />
      </Asking>
    </StoreContext>
  );
}

/** Adds the store to the address, so that a copied link opens the same store for others [dashboard.store]. */
function useNamedStore(store: StoreOfMe | null, named: string | null, isNeeded: boolean): void {
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const id = store?.id ?? null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each address is to name it
  useEffect(() => {
    if (id === null) return;
    browserStorage.setItem(lastStoreKey, id);
    if (!isNeeded || named !== null) return;
    void navigate({ to: ".", search: (now: object) => ({ ...now, store: id }), replace: true, hash: true });
  }, [id, named, isNeeded, navigate, pathname]);
}

/** Sends queries to one store, with a cache of its own. */
function Asking({ storeId, children }: { storeId: string | null; children: ReactNode }) {
  const api = useMemo(() => apiFor(storeId), [storeId]);
  return (
    <ApiContext value={api}>
      <QueryClientProvider client={queryClientFor(storeId ?? "")}>
        <ConfirmProvider>{children}</ConfirmProvider>
      </QueryClientProvider>
    </ApiContext>
  );
}
