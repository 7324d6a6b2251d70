import type { RedisClient } from '@surehook/service-kit/redis/client'
import { largestShare, type Take, type TakeResult } from './bucket.ts'

/**
 * `decideTake` inside Redis, whose clock counts for all replicas. A bucket that is full again
 * expires. The script returns what it granted, then the level and the wait of each bucket.
 *
 * ARGV: returned, cost, wanted, then `perSecond` and `burst` of each key.
 */
const takeScript = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local returned, cost, wanted = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local available, waits, least, isShort = {}, {}, math.huge, false
for n, key in ipairs(KEYS) do
  local rate, burst = tonumber(ARGV[2 + 2 * n]), tonumber(ARGV[3 + 2 * n])
  local held = redis.call('HMGET', key, 'points', 'at')
  local points = burst
  if held[1] then
    points = tonumber(held[1]) + math.max(0, now - tonumber(held[2])) * rate / 1000
  end
  available[n] = math.min(burst, points + returned)
  waits[n] = math.max(0, math.ceil((math.min(cost, burst) - available[n]) / rate * 1000))
  isShort = isShort or waits[n] > 0
  least = math.min(least, available[n])
end
local granted = 0
if not isShort then
  granted = math.max(cost, math.min(wanted, math.floor(least / ${largestShare})))
end
local reply = {granted}
for n, key in ipairs(KEYS) do
  local rate, burst = tonumber(ARGV[2 + 2 * n]), tonumber(ARGV[3 + 2 * n])
  local points = available[n] - granted
  redis.call('HSET', key, 'points', string.format('%.3f', points), 'at', string.format('%d', now))
  redis.call('PEXPIRE', key, string.format('%d', math.ceil((burst - points) / rate * 1000) + 1000))
  table.insert(reply, math.floor(points))
  table.insert(reply, waits[n])
end
return reply
`

/** Takes from buckets that all replicas share. */
export async function takeFromRedis(
  redis: Pick<RedisClient, 'eval'>,
  { buckets, returned, cost, wanted }: Take,
): Promise<TakeResult> {
  const limits = buckets.flatMap(({ perSecond, burst }) => [perSecond, burst])
  const reply = await redis.eval(takeScript, {
    keys: buckets.map(({ key }) => key),
    arguments: [returned, cost, wanted, ...limits].map(String),
  })
  const [granted = 0, ...rest] = reply as number[]
  return {
    granted,
    levels: rest.filter((_value, n) => n % 2 === 0),
    waitsMs: rest.filter((_value, n) => n % 2 === 1),
  }
}
