/** A contact as a session brought it, normalised: email in lower case, phone in E.164 (storefront 3). */
export interface CapturedContact {
  componentKey: string;
  pageKey: string;
  kind: "email" | "phone";
  value: string;
  /** the checkbox beside the field; null for a field without (2.6) */
  consent: boolean | null;
  at: Date;
  seq: number;
  /** as the session's events name it */
  eventId: string;
  /** whether it is the answer in force: neither replaced nor cleared since */
  current: boolean;
}
