import { createHash } from "node:crypto";
import type { RedisClient } from "../redis-link.ts";

/**
 * Charges one or more buckets in order, atomically [api.shared-limits, api.exact-limits]. The same arithmetic as
 * `bucket.ts`, in the same units: levels and costs in millionths, time in microseconds, rates in units a second.
 *
 *   KEYS     the buckets, all in one hash slot
 *   ARGV     "admit" (stop at the first bucket without room) or "book" (charge regardless),
 *            cost, now ("" = the server's own TIME; only tests pass a time),
 *            then for each bucket: capacity, rate
 *   answers  {0, level of the first bucket} or {n, level of bucket n, which refused}
 *
 * A bucket is one string "level at rate", so that one SET writes level and expiry. It expires a minute after it is
 * empty, because Redis expires by a clock of its own, and expiring early would grant a full burst.
 */
const BUCKETS_SCRIPT = `
local function level_at(stored, now)
  if not stored then return 0 end
  local level, at, rate = string.match(stored, "(%S+) (%S+) (%S+)")
  level = tonumber(level)
  local elapsed = now - tonumber(at)
  if elapsed <= 0 then return level end
  return math.max(0, level - math.floor(tonumber(rate) * elapsed + 0.5))
end

local function store(key, level, now, rate)
  if level == 0 then
    redis.call("DEL", key)
  else
    local ms = math.ceil(level / rate / 1000) + 60000
    local value = string.format("%.0f %.0f %.17g", level, now, rate)
    redis.call("SET", key, value, "PX", string.format("%.0f", ms))
  end
end

local always = ARGV[1] == "book"
local cost = tonumber(ARGV[2])
local now = tonumber(ARGV[3])
if not now then
  local time = redis.call("TIME")
  now = tonumber(time[1]) * 1000000 + tonumber(time[2])
end

local first
for n = 1, #KEYS do
  local capacity = tonumber(ARGV[2 + 2 * n])
  local rate = tonumber(ARGV[3 + 2 * n])
  local level = level_at(redis.call("GET", KEYS[n]), now)
  local fits = level + cost <= capacity
  if fits or always then level = math.max(0, level + cost) end
  store(KEYS[n], level, now, rate)
  if not (fits or always) then return {n, level} end
  first = first or level
end
return {0, first}
`;

/** The name under which Redis keeps the script (EVALSHA). */
const BUCKETS_SCRIPT_SHA = createHash("sha1").update(BUCKETS_SCRIPT).digest("hex");

/** Runs the script; rejects with Redis' reason. */
export async function runBuckets(client: RedisClient, call: { keys: string[]; arguments: string[] }): Promise<unknown> {
  try {
    return await client.evalSha(BUCKETS_SCRIPT_SHA, call);
  } catch (error) {
    // Redis forgets scripts on a restart, a failover and SCRIPT FLUSH; EVAL loads it again.
    if (!(error instanceof Error && error.message.startsWith("NOSCRIPT"))) throw error;
    return await client.eval(BUCKETS_SCRIPT, call);
  }
}
