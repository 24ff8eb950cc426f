import { Notifications } from "@mantine/notifications";
import "@mantine/notifications/styles.layer.css";

/** Where notes appear. */
export const Notes = () => <Notifications position="bottom-right" autoClose={6_000} />;
