/** Chooses which waiting requests of a store are committed together next [storefront.groups]. */

/** The size of a request. */
export interface Size {
  /** approximate memory use */
  bytes: number;
  events: number;
  /** null: limited only by the bounds of the store and the whole queue */
  sender: string | null;
}

export interface WaitingEntry extends Size {
  /** elapsed time after which nobody waits for the answer */
  end: number;
  answered: boolean;
}

export interface GroupLimits {
  groupRequests: number;
  groupEvents: number;
  groupBytes: number;
  /** the part of a group that one sender without a key may fill */
  groupSenderEvents: number;
  groupSenderBytes: number;
  /** a sender with more than these in a group is heavy: it leaves the next group to others, if any wait */
  lightRequests: number;
  lightEvents: number;
}

export interface FormedGroup<Entry> {
  group: Entry[];
  /** what waits for a later group, in its order */
  waiting: Entry[];
  /** answered already, or too late for an answer */
  expired: Entry[];
  /** the senders who leave the next group to others */
  heavy: ReadonlySet<string>;
}

/** One sender's part of the group that is forming. */
interface Share {
  requests: number;
  events: number;
  bytes: number;
  full: boolean;
}

/**
 * Takes the oldest entries; those beyond their sender's share wait for the next group, and others overtake them. The
 * senders who were heavy in the store's last group wait for the one after this, so that a shopper shares no group with
 * them, but only waits for the one under way.
 *
 * @param heavyBefore the heavy senders of the store's last group
 */
export function formGroup<Entry extends WaitingEntry>(
  entries: readonly Entry[],
  limits: GroupLimits,
  { now, heavyBefore }: { now: number; heavyBefore: ReadonlySet<string> },
): FormedGroup<Entry> {
  const { groupRequests, groupEvents, groupBytes } = limits;
  const [group, waiting]: [Entry[], Entry[]] = [[], []];
  const isExpired = ({ answered, end }: Entry) => answered || now >= end;
  const [expired, live] = [entries.filter(isExpired), entries.filter((entry) => !isExpired(entry))];
  const isHeavy = ({ sender }: Entry) => sender !== null && heavyBefore.has(sender);
  const leaves = heavyBefore.size > 0 && !live.every(isHeavy);
  const shares = new Map<string, Share>();
  let [events, bytes, full] = [0, 0, false];
  for (const entry of live) {
    const isLater = leaves && isHeavy(entry);
    full ||=
      !isLater &&
      group.length > 0 &&
      (group.length >= groupRequests || events + entry.events > groupEvents || bytes + entry.bytes > groupBytes);
    if (full || isLater || !isWithinShare(shares, entry, limits)) {
      waiting.push(entry);
      continue;
    }
    group.push(entry);
    events += entry.events;
    bytes += entry.bytes;
  }
  return { group, waiting, expired, heavy: heavySenders(shares, limits) };
}

/** Counts an entry towards its sender's share of the group, if it fits; a sender's requests keep their order. */
function isWithinShare(shares: Map<string, Share>, { sender, events, bytes }: Size, limits: GroupLimits): boolean {
  if (sender === null) return true;
  const share = shares.get(sender);
  if (share === undefined) {
    shares.set(sender, { requests: 1, events, bytes, full: false });
    return true;
  }
  share.full ||= share.events + events > limits.groupSenderEvents || share.bytes + bytes > limits.groupSenderBytes;
  if (share.full) return false;
  share.requests += 1;
  share.events += events;
  share.bytes += bytes;
  return true;
}

function heavySenders(shares: ReadonlyMap<string, Share>, limits: GroupLimits): Set<string> {
  const heavy = new Set<string>();
  for (const [sender, { requests, events }] of shares) {
    if (requests > limits.lightRequests || events > limits.lightEvents) heavy.add(sender);
  }
  return heavy;
}
