import { Container, Modal, Text } from "@mantine/core";
import { SignInForm } from "../account/sign-in-form.tsx";
import type { Me } from "../api/generated.ts";

/**
 * The session ended elsewhere [dashboard.ended-session]: a dialog over the screen, which stays as it was, so that
 * nothing typed is lost.
 */
export function EndedSession({ me, onSignedIn }: { me: Me; onSignedIn: (me: Me) => void }) {
  return (
    <Modal
      opened
      fullScreen
      zIndex={500}
      onClose={() => undefined}
      withCloseButton={false}
      closeOnEscape={false}
      title="Please sign in again"
      transitionProps={{ duration: 0 }}
    >
      <Container size="xs" py="xl">
        <Text mb="md">Your session has ended. Sign in to go on where you were: what you typed is still there.</Text>
        <SignInForm email={me.person.email} onSignedIn={onSignedIn} />
      </Container>
    </Modal>
  );
}
