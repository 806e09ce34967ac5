"""What has to happen on the server in one step, in Lua. Each script touches one key, so that a cluster can run it."""

from __future__ import annotations

# KEYS: the lease. ARGV: the owner, and for how many milliseconds.
# What is no string, or would never end, was not put there by us: it holds nobody up.
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
