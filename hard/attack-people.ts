import { setTimeout as pause } from "node:timers/promises";
import { newId } from "../journeys/visit.ts";
import { type Attack, inMb, must, type Scene, scaled } from "./attack-script.ts";
import { eventsRequest, signedRequest, tallyLine, visitTo } from "./attack-send.ts";

/** Other people's contacts, and too many of one's own. */

interface Found {
  id: string;
  email: string | null;
  phone: string | null;
}

/** The person who has a contact. */
async function holder({ ground }: Scene, contact: string): Promise<Found | null> {
  const list = await ground.api.get<{ data: Found[] }>(`/v1/profiles?q=${encodeURIComponent(contact)}`);
  return list.body.data?.[0] ?? null;
}

/** A visit that leaves contacts. */
async function leave(
  { ground, sender }: Scene,
  contacts: { mail?: string; tel?: string; consent?: boolean },
  visitor = newId("vis"),
): Promise<void> {
  const visit = visitTo(ground, ground.victim.quizzes.short, { visitor_id: visitor });
  const { mail, tel, consent } = contacts;
  await sender.send(
    eventsRequest(visit, [
      visit.entered("first", "start"),
      visit.chose("first", "pick", "one"),
      ...(mail === undefined ? [] : [visit.wrote("contact", "mail", mail, consent)]),
      ...(tel === undefined ? [] : [visit.wrote("contact", "tel", tel)]),
    ]),
  );
}

const typedContacts: Attack = {
  name: "typed-contacts",
  what: "somebody else's email and phone typed; then the typist's own phone redacted",
  seconds: 90,
  async run(scene) {
    const { ground, sender } = scene;
    const { victim } = ground;
    const [ann, bob, mallory] = ["+4930111111", "+4930222222", "+4930333333"] as const;
    await leave(scene, { mail: "ann@example.com", consent: true });
    await leave(scene, { tel: bob });
    const before = { ann: await holder(scene, "ann@example.com"), bob: await holder(scene, bob) };
    // an attacker who knows both types them in one session, and the email with a phone of their own in another
    await leave(scene, { mail: "ann@example.com", tel: bob, consent: false });
    await leave(scene, { mail: "ann@example.com", tel: mallory });
    const after = { ann: await holder(scene, "ann@example.com"), bob: await holder(scene, bob) };
    const apart = after.ann !== null && after.bob !== null && after.ann.id !== after.bob.id;
    const moved = after.ann?.phone === bob || after.bob?.id !== before.bob?.id;
    const customer = { id: 77, email: null, phone: mallory };
    await sender.send(
      signedRequest(victim, "customers/redact", {
        shop_id: 1,
        shop_domain: victim.domain,
        customer,
        orders_to_redact: [],
      }),
    );
    await pause(3_000);
    const left = await holder(scene, "ann@example.com");
    const lateAnn = await holder(scene, ann);
    const said = [
      apart ? "both people stay apart" : "two people were merged",
      left
        ? "the email's person outlives the redaction of the phone"
        : "the email's person is erased with a stranger's phone",
    ];
    return {
      measured: `${said.join(", ")}; ${tallyLine(sender.take())}`,
      faults: [
        ...must(before.ann !== null && before.bob !== null, "the two people are not there to begin with"),
        ...must(apart, "typing two people's contacts in one session merged them"),
        ...must(!moved, "a phone moved to another person"),
        ...must(left !== null, "redacting the typist's own phone erased the other's email"),
        ...must(lateAnn === null, "a phone that nobody typed is there"),
      ],
    };
  },
};

const manyPhones: Attack = {
  name: "many-phones",
  what: "1,500 phones typed beside one email",
  seconds: 300,
  async run(scene) {
    const { ground, sender } = scene;
    const phones = scaled(scene, 1_500, 60);
    const requests = Array.from({ length: phones }, (_, number) => {
      const visit = visitTo(ground, ground.victim.quizzes.short);
      return eventsRequest(visit, [
        visit.wrote("contact", "mail", "popular@example.com"),
        visit.wrote("contact", "tel", `+4930${1_000_000 + number}`),
      ]);
    });
    await sender.sendAll(requests, 4, performance.now() + 180_000);
    const { rows } = await ground.client.query<{ outbox: string; phones: number; event: number }>(
      `SELECT pg_total_relation_size('outbox') AS outbox,
         (SELECT coalesce(max(phones), 0)::integer FROM (SELECT count(*) AS phones FROM identities
            WHERE store_id = $1 AND kind = 'phone' GROUP BY profile_id) AS each) AS phones,
         (SELECT coalesce(max(length(outbox::text)), 0)::integer FROM outbox WHERE store_id = $1) AS event`,
      [ground.victim.uuid],
    );
    const { outbox = "0", phones: kept = 0, event = 0 } = rows[0] ?? {};
    return {
      measured: `${kept} phones on one person, the outbox ${inMb(Number(outbox))}, its largest event ${(event / 1_000).toFixed(1)} kB; ${tallyLine(sender.take())}`,
      faults: [
        ...must(kept <= 20, `${kept} phones are one person's`),
        ...must(event < 20_000, `an event has ${event} characters`),
        ...must(Number(outbox) < 30e6, `the outbox has ${inMb(Number(outbox))}`),
      ],
    };
  },
};

export const peopleAttacks: readonly Attack[] = [typedContacts, manyPhones];
