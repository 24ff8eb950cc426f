import { EmptyState } from "../ui/empty-state.tsx";
import { Page } from "../ui/page.tsx";

/** In place of people, for members who may not see contacts: nothing is asked [dashboard-people.owners]. */
export const NoContacts = () => (
  <Page title="People">
    <EmptyState
      title="People are shown to owners"
      text="Emails and phone numbers are for owners of this store. Figures and quizzes are yours to see."
    />
  </Page>
);
