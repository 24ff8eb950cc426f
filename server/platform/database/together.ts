/**
 * The answers to statements that were sent one right behind the other, once all are answered: each round trip prolongs
 * a store's lock or somebody's wait. A connection is not given back, and nothing is sent any
 * more, while one of them is still running. The first failure is the reason; those behind it are its consequence.
 */
export async function together<const Sent extends readonly Promise<unknown>[]>(
  sent: Sent,
): Promise<{ -readonly [Place in keyof Sent]: Awaited<Sent[Place]> }> {
  const settled = await Promise.allSettled(sent);
  const answers = settled.map((each) => {
    if (each.status === "rejected") throw each.reason;
    return each.value;
  });
  // one answer a promise, in their order, which a list of any length does not say
  return answers as { -readonly [Place in keyof Sent]: Awaited<Sent[Place]> };
}
