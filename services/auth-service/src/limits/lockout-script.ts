/**
 * Each account has one hash in Redis: `k:<client>` for each client that its user has logged in
 * from, `c:<client>` for each other client, and `a` for all these others together. Each field holds `failures:since:lockedUntil`, in milliseconds of Redis's clock. The
 * account's cap bounds the number of clients in the hash. After a lock for all clients, ten more
 * failures lock again: one would let a stranger keep the account locked. One script does everything, so that
 * parallel failures are counted one by one and a lock never moves once set.
 *
 * ARGV: what happened (`check`, `failure`, `success`), the client's field, threshold, lock ms. Returns until
 * when the account is locked for this client (0: not locked), and whether this call locked it.
 */
export const lockoutScript = `
local what, client, threshold, lockMs = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local clientWindowMs, accountWindowMs, accountCap, relockAfter = 900000, 3600000, 50, 10
local isKnown = string.sub(client, 1, 2) == 'k:'
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
local accountFailures, accountSince, accountLockedUntil = 0, now, 0
if not isKnown then accountFailures, accountSince, accountLockedUntil = read('a') end
local locked = math.max(lockedUntil, accountLockedUntil)
if locked > now then return {locked, 0} end
if what == 'check' then return {0, 0} end
if what == 'success' then
  redis.call('HDEL', KEYS[1], client)
  if not isKnown then redis.call('HDEL', KEYS[1], 'a') end
  return {0, 0}
end

if lockedUntil > 0 or now - since >= clientWindowMs then failures, since = 0, now end
if accountLockedUntil > 0 or now - accountSince >= accountWindowMs then
  -- Once in an hour and after each lock: clients whose failures and locks are over.
  for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
    local _, began, ends = read(field)
    if ends <= now and now - began >= clientWindowMs then redis.call('HDEL', KEYS[1], field) end
  end
  accountFailures, accountSince = accountLockedUntil > 0 and accountCap - relockAfter or 0, now
end
failures, lockedUntil, accountLockedUntil = failures + 1, 0, 0
if failures >= threshold then lockedUntil = now + lockMs end
write(client, failures, since, lockedUntil)
if not isKnown then
  accountFailures = accountFailures + 1
  if accountFailures >= accountCap then accountLockedUntil = now + lockMs end
  write('a', accountFailures, accountSince, accountLockedUntil)
end
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
