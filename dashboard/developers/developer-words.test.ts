import { describe, expect, it } from "vitest";
import { eventTopics as contractTopics } from "../../contract/events.ts";
import { allScopes } from "../../contract/scopes.ts";
import { createEndpoint, updateEndpoint, type WebhookEndpoint } from "../../contract/webhooks.ts";
import { compileCheck } from "../../server/platform/http/shapes.ts";
import { attemptsAtMost } from "../../server/webhooks/send/schedule.ts";
import { expiryOf, isUsable, keyState, scopeChoices } from "./key-words.ts";
import {
  bodyOf,
  canSendAgain,
  changesOf,
  type DeliveryStatus,
  deliveryStatuses,
  deliveryWords,
  emptyEndpoint,
  eventTopics,
  formOf,
  formProblems,
  healthOf,
  isMoving,
  mostAttempts,
  nextTry,
  outcomeWords,
  topicWords,
} from "./webhook-words.ts";

const endpoint = createEndpoint.answer.example as WebhookEndpoint;
const now = Date.parse("2026-03-10T12:00:00.000Z");

describe("webhooks in words", () => {
  it("has words for every topic and state, and the sender's number of attempts", () => {
    expect(Object.keys(topicWords)).toEqual([...contractTopics]);
    expect(Object.keys(deliveryWords)).toEqual([...deliveryStatuses]);
    expect(mostAttempts).toBe(attemptsAtMost);
  });

  it("takes an endpoint into its form and back unchanged [dashboard-developers.endpoint-form]", () => {
    const create = compileCheck(createEndpoint.body!, "body");
    const update = compileCheck(updateEndpoint.body!, "body");
    const quiz = `quiz_${"1".repeat(32)}`;
    for (const change of [
      {},
      { quiz_ids: [quiz], description: null },
      { include_pii: true, topics: [...eventTopics] },
    ]) {
      const given = { ...endpoint, ...change };
      const { url, topics, include_pii, quiz_ids, description } = given;
      expect(bodyOf(formOf(given))).toEqual({ url, topics, include_pii, quiz_ids, description });
      expect(create(bodyOf(formOf(given))).errors).toEqual([]);
      expect(update(bodyOf(formOf(given))).errors).toEqual([]);
      expect(formProblems(formOf(given))).toEqual({});
    }
  });

  it("sends of a change what was changed, whatever order topics are chosen in", () => {
    const before = formOf({ ...endpoint, topics: ["quiz.finished", "quiz.published"], description: null });
    expect(changesOf(before, { ...before, topics: ["quiz.published", "quiz.finished"], description: " " })).toEqual({});
    expect(changesOf(before, { ...before, quiz_ids: ["quiz_1"], description: "Berlin " })).toEqual({
      quiz_ids: ["quiz_1"],
      description: "Berlin",
    });
  });

  it("says at the field what a form lacks", () => {
    expect(Object.keys(formProblems({ ...emptyEndpoint, topics: [] }))).toEqual(["url", "topics"]);
    const contacts = { ...emptyEndpoint, url: "https://a.example", topics: ["identity.captured" as const] };
    expect(Object.keys(formProblems(contacts))).toEqual(["include_pii"]);
    expect(formProblems({ ...contacts, include_pii: true })).toEqual({});
  });

  it("says how an endpoint does, by its state before its figures [dashboard-developers.health]", () => {
    const enabled = { status: "enabled", disabled_reason: null, failing_since: null } as const;
    const day = { delivered: 3, failed: 1, waiting: 0 };
    expect(healthOf({ ...enabled, status: "disabled", disabled_reason: "gone" }, day)).toMatchObject({
      word: "Disabled",
      sentence: expect.stringContaining("410"),
    });
    expect(healthOf({ ...enabled, failing_since: "2026-03-10T11:00:00.000Z" }, day).word).toBe("Failing");
    expect(healthOf(enabled, day).sentence).toBe("3 arrived in the last 24 hours, 1 failed for good.");
    expect(healthOf(enabled, { delivered: 0, failed: 0, waiting: 0 }).word).toBe("Nothing sent yet");
  });

  it("tells a next try only where one comes, and what the receiver said", () => {
    const delivery = { next_attempt_at: "2026-03-10T12:05:00.000Z" };
    const tries = deliveryStatuses.map((status) => nextTry({ ...delivery, status }) !== null);
    expect(tries).toEqual([true, true, false, false, false]);
    expect(deliveryStatuses.filter((status) => canSendAgain({ status }))).toEqual(["retrying", "delivered", "dead"]);
    const said = { last_status_code: null, last_error: null, attempts: 0 } as Parameters<typeof outcomeWords>[0];
    expect(outcomeWords(said)).toBe("Not sent yet");
    expect(outcomeWords({ ...said, attempts: 1, last_status_code: 204 })).toBe("The receiver answered 204");
    expect(outcomeWords({ ...said, last_error: "no answer in time" })).toBe("no answer in time");
  });

  it("tells whether an event has yet to come to its endpoints", () => {
    const event = (age: number, ...statuses: DeliveryStatus[]) => ({
      created: new Date(now - age).toISOString(),
      deliveries: statuses.map((status) => ({ id: "whd_1", endpoint_id: "whe_1", status })),
    });
    expect([event(1_000), event(90_000)].map((each) => isMoving(each, now))).toEqual([true, false]);
    expect(isMoving(event(90_000, "delivered", "retrying"), now)).toBe(true);
    expect(isMoving(event(1_000, "delivered", "dead"), now)).toBe(false);
  });
});

describe("keys in words", () => {
  it("describes every scope", () => {
    expect(scopeChoices.map(({ scope }) => scope)).toEqual(allScopes);
    for (const { description } of scopeChoices) expect(description).not.toBe("");
  });

  it("tells how a key stands, a revoked one before an expired one", () => {
    const key = { expires_at: null, revoked_at: null };
    const at = (days: number) => new Date(now + days * 86_400_000).toISOString();
    expect(keyState(key, now)).toBe("active");
    expect(keyState({ ...key, expires_at: at(15) }, now)).toBe("active");
    expect(keyState({ ...key, expires_at: at(14) }, now)).toBe("expires soon");
    expect(keyState({ ...key, expires_at: at(0) }, now)).toBe("expired");
    expect(keyState({ expires_at: at(-1), revoked_at: at(-2) }, now)).toBe("revoked");
    expect((["active", "expires soon", "expired", "revoked"] as const).map(isUsable)).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(expiryOf("30", now)).toBe(at(30));
    expect(expiryOf("never", now)).toBeNull();
  });
});
