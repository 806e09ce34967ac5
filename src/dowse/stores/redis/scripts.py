"""Lua scripts: each runs atomically on the server.

Store scripts touch one key, so that a cluster can run them. Scripts of the coordinator use the server's clock, in
microseconds, which Lua's numbers hold exactly until the year 2255. A clock can be set back: times further ahead than
could have been written are ignored. So are keys of another type, which were not written by dowse.
"""

from __future__ import annotations

# KEYS: the lease. ARGV: the owner, and for how many milliseconds.
# A key that is no string, or has no expiry, was not written by dowse and blocks no claim.
CLAIM = """
local key = KEYS[1]
local is_lease = redis.call('TYPE', key).ok == 'string' and redis.call('PTTL', key) >= 0
if is_lease and redis.call('GET', key) ~= ARGV[1] then
  return 0
end
redis.call('SET', key, ARGV[1], 'PX', ARGV[2])
return 1
"""

# KEYS: the lease. ARGV: the owner.
RELEASE = """
if redis.call('TYPE', KEYS[1]).ok == 'string' and redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('DEL', KEYS[1])
end
return 0
"""

# KEYS: a hash with the fields `YYYY-MM-DD:calls` and `YYYY-MM-DD:micro_usd`.
# ARGV: the first day that counts, today, the first day that is kept, the cost in calls and in micro-dollars,
# and their caps, each empty where there is none. A cost of nothing only asks for the total.
# Lua counts in doubles, which are exact up to 2^53: nine billion dollars.
SPEND = """
local first, today, kept_from = ARGV[1], ARGV[2], ARGV[3]
local cost = {calls = ARGV[4], micro_usd = ARGV[5]}
local cap = {calls = ARGV[6], micro_usd = ARGV[7]}
local total = {calls = 0, micro_usd = 0}

local fields = redis.call('HGETALL', KEYS[1])
for i = 1, #fields, 2 do
  local day, unit = string.match(fields[i], '^([%d-]+):([%a_]+)$')
  if not total[unit] or day < kept_from then
    redis.call('HDEL', KEYS[1], fields[i])
  elseif day >= first and day <= today then
    total[unit] = total[unit] + tonumber(fields[i + 1])
  end
end

for unit, most in pairs(cap) do
  if most ~= '' and total[unit] + tonumber(cost[unit]) > tonumber(most) then
    return {0, total.calls, total.micro_usd}
  end
end
for unit, more in pairs(cost) do
  if more ~= '0' then
    redis.call('HINCRBY', KEYS[1], today .. ':' .. unit, more)
    total[unit] = total[unit] + tonumber(more)
  end
end
return {1, total.calls, total.micro_usd}
"""


# KEYS: a hash. ARGV: how many milliseconds it is kept, then each field and the number to add to it.
COUNT = """
for i = 2, #ARGV, 2 do
  redis.call('HINCRBY', KEYS[1], ARGV[i], ARGV[i + 1])
end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
"""
# KEYS: a hash. Its fields and values in one list.
COUNTS = "return redis.call('HGETALL', KEYS[1])"


# A month on top of the time that a key counts: a full server evicts the keys that expire next (`volatile-ttl`), and
# those have to be the cache. An evicted window would admit every call once more.
_KEPT_MS = 30 * 86_400_000

_NOW = """
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

local function clear_unless(kind, key)
  local found = redis.call('TYPE', key).ok
  if found ~= kind and found ~= 'none' then
    redis.call('DEL', key)
  end
end
"""

# Sliding window: members are calls, their scores the moments of admission.
# `window_wait` removes calls that have left the window, and returns the wait until one more of `most` calls may go,
# and the moment as which it counts: if the clock was set back, that of the newest call.
_WINDOW = f"""
local function window_wait(key, most, period)
  local newest = redis.call('ZRANGE', key, -1, -1, 'WITHSCORES')[2]
  local moment = math.max(now, tonumber(newest or now))
  if moment - now > period then
    redis.call('DEL', key)
    moment = now
  end
  redis.call('ZREMRANGEBYSCORE', key, '-inf', moment - period)
  if redis.call('ZCARD', key) < most then
    return 0, moment
  end
  return redis.call('ZRANGE', key, -most, -most, 'WITHSCORES')[2] + period - now, moment
end

local function window_add(key, call, moment, period)
  redis.call('ZADD', key, moment, call)
  redis.call('PEXPIRE', key, math.ceil((moment - now + period) / 1000) + {_KEPT_MS})
end
"""

# KEYS: the window. ARGV: the call, the limit, the period in microseconds.
# The same call may come twice, when the answer to the first was lost: it counts once, as of now.
ADMIT = f"""{_NOW}{_WINDOW}
local call, most, period = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
clear_unless('zset', KEYS[1])
redis.call('ZREM', KEYS[1], call)
local wait, moment = window_wait(KEYS[1], most, period)
if wait == 0 then
  window_add(KEYS[1], call, moment, period)
end
return wait
"""

# KEYS: the window, and the slots: tickets, each with the moment when its slot is free again.
# ARGV: the ticket, how many may go within how many microseconds, how many at once (0: no matter),
# for how long the slot is held at most, the longest that any is held, and the wait while all are taken.
ENTER = f"""{_NOW}{_WINDOW}
local window, places, ticket = KEYS[1], KEYS[2], ARGV[1]
local most, period, at_once = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local held, longest, poll = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
local wait, moment = 0, now
if most > 0 then
  clear_unless('zset', window)
  redis.call('ZREM', window, ticket)
  wait, moment = window_wait(window, most, period)
end
if at_once > 0 then
  clear_unless('zset', places)
  redis.call('ZREM', places, ticket)
  redis.call('ZREMRANGEBYSCORE', places, '-inf', now)
  redis.call('ZREMRANGEBYSCORE', places, now + longest + 1, '+inf')
  if redis.call('ZCARD', places) >= at_once then
    wait = math.max(wait, poll)
  end
end
if wait > 0 then
  return wait
end
if most > 0 then
  window_add(window, ticket, moment, period)
end
if at_once > 0 then
  redis.call('ZADD', places, now + held, ticket)
  redis.call('PEXPIRE', places, math.ceil(longest / 1000) + {_KEPT_MS})
end
return 0
"""

# A circuit is a hash: failures in a row, and whether the last was a rate limit; while it is open or half-open, until
# when it is open (`open_until`); and the probe with the moment when it is given up. One that is closed and has no
# failures does not exist.
# ARGV begins with the owner of the call, and for how many microseconds a circuit is open, or a probe out, at most.
# Answers: whether the owner may call, whether as the probe, the failures, the time until a probe may go out,
# whether the last failure was a rate limit.
_CIRCUIT = f"""{_NOW}
local key, owner, longest = KEYS[1], ARGV[1], tonumber(ARGV[2])
clear_unless('hash', key)
local kept = redis.call('HMGET', key, 'failures', 'open_until', 'probe', 'probe_until', 'is_limited')
local failures, open_until, probe_until = tonumber(kept[1]) or 0, tonumber(kept[2]), tonumber(kept[4])
local is_probe, is_limited = kept[3] == owner, kept[5] == '1'
if open_until and open_until - now > longest then
  open_until = now
end

local function keep(...)
  redis.call('HSET', key, ...)
  redis.call('PEXPIRE', key, {_KEPT_MS})
end

local function answer(admits, as_probe)
  local opens_for = open_until and math.max(0, open_until - now) or 0
  return {{admits and 1 or 0, as_probe and 1 or 0, failures, opens_for, is_limited and 1 or 0}}
end
"""

# ARGV: … and for how long a probe may be out.
CONSULT = f"""{_CIRCUIT}
if not open_until then
  return answer(true, false)
end
local probe_left = (probe_until or now) - now
local is_probed = not is_probe and probe_left > 0 and probe_left <= longest
if now < open_until or is_probed then
  return answer(false, false)
end
keep('probe', owner, 'probe_until', now + tonumber(ARGV[3]))
return answer(true, true)
"""

# ARGV: … for how long it opens, whether at once, and else after how many failures; whether this one was a rate limit.
FAILED = f"""{_CIRCUIT}
local opens_for, at_once, most = tonumber(ARGV[3]), ARGV[4] == '1', tonumber(ARGV[5])
failures, is_limited = failures + 1, ARGV[6] == '1'
if is_probe then
  redis.call('HDEL', key, 'probe', 'probe_until')
end
if is_probe or at_once or (not open_until and failures >= most) then
  open_until = math.max(now + opens_for, open_until or 0)
  keep('open_until', open_until)
end
keep('failures', failures, 'is_limited', ARGV[6])
return answer(not open_until, false)
"""

SUCCEEDED = f"""{_CIRCUIT}
if not open_until or is_probe then
  redis.call('DEL', key)
  failures, open_until, is_limited = 0, nil, false
end
return answer(not open_until, false)
"""

RELEASED = f"""{_CIRCUIT}
if is_probe then
  redis.call('HDEL', key, 'probe', 'probe_until')
end
return 0
"""
