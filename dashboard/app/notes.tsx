import { Notifications } from "@mantine/notifications";
import "@mantine/notifications/styles.layer.css";

/** The place where notes appear. */
export const Notes = () => <Notifications position="bottom-right" autoClose={6_000} />;
