import { EmptyState } from "../ui/empty-state.tsx";
import { Page } from "../ui/page.tsx";

/** Shown instead of people to members who may not see contacts; no data is requested [dashboard-people.owners]. */
export const NoContacts = () => (
  <Page title="People">
    <EmptyState
      title="People are shown to owners"
      text="Emails and phone numbers are for owners of this store. Figures and quizzes are yours to see."
    />
  </Page>
);
