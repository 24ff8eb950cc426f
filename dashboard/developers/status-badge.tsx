import { StateBadge } from "../people/state-badge.tsx";
import { type DeliveryStatus, deliveryWords } from "./webhook-words.ts";

export const StatusBadge = ({ status }: { status: DeliveryStatus }) => (
  <StateBadge color={deliveryWords[status].color}>{deliveryWords[status].label}</StateBadge>
);
