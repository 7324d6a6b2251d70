/**
 * Each account has one hash in Redis: `c:<client>` for each client and `a` for the account as a
 * whole. Each field holds `failures:since:lockedUntil`, in milliseconds of Redis's clock. The
 * account's cap bounds the number of clients in the hash. One script does everything, so that
 * parallel failures are counted one by one and a lock never moves once set.
 *
 * ARGV: what happened (`check`, `failure`, `success`), client, threshold, lock ms. Returns until
 * when the account is locked for this client (0: not locked), and whether this call locked it.
 */
export const lockoutScript = `
local what, client, threshold, lockMs = ARGV[1], 'c:' .. ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local clientWindowMs, accountWindowMs, accountCap = 900000, 3600000, 50
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function read(field)
  local value = redis.call('HGET', KEYS[1], field)
  if not value then return 0, now, 0 end
  local failures, since, locked = string.match(value, '^(%d+):(%d+):(%d+)$')
  return tonumber(failures), tonumber(since), tonumber(locked)
end
local function write(field, failures, since, locked)
  redis.call('HSET', KEYS[1], field, string.format('%d:%d:%d', failures, since, locked))
end

local failures, since, lockedUntil = read(client)
local accountFailures, accountSince, accountLockedUntil = read('a')
local locked = math.max(lockedUntil, accountLockedUntil)
if locked > now then return {locked, 0} end
if what == 'check' then return {0, 0} end
if what == 'success' then
  redis.call('HDEL', KEYS[1], client, 'a')
  return {0, 0}
end

if lockedUntil > 0 or now - since >= clientWindowMs then failures, since = 0, now end
if now - accountSince >= accountWindowMs then
  -- Once in an hour: clients whose failures and locks are over.
  for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
    local _, began, ends = read(field)
    if ends <= now and now - began >= clientWindowMs then redis.call('HDEL', KEYS[1], field) end
  end
  accountFailures, accountSince = 0, now
end
failures, accountFailures, lockedUntil, accountLockedUntil = failures + 1, accountFailures + 1, 0, 0
if failures >= threshold then lockedUntil = now + lockMs end
if accountFailures >= accountCap then accountLockedUntil = now + lockMs end
write(client, failures, since, lockedUntil)
write('a', accountFailures, accountSince, accountLockedUntil)
local ttl = math.max(accountWindowMs, lockMs)
if redis.call('PTTL', KEYS[1]) < ttl then redis.call('PEXPIRE', KEYS[1], ttl) end
locked = math.max(lockedUntil, accountLockedUntil)
return {locked, locked > 0 and 1 or 0}
`

/**
 * Returns the locks of an account that have not ended, as pairs of a field and the time of its end.
 */
export const locksScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local locks = {}
for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
  local ends = tonumber(string.match(redis.call('HGET', KEYS[1], field), ':(%d+)$'))
  if ends > now then
    table.insert(locks, field)
    table.insert(locks, ends)
  end
end
return locks
`
