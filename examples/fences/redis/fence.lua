-- The fence, and the write behind it, as one atomic step of Redis.
--
-- KEYS[1]  the fence: a hash of token and holder
-- ARGV[1]  token   ARGV[2]  holder
-- With these alone it raises the token. For a write also:
-- KEYS[2]  the mark of this operation   KEYS[3]  the data
-- ARGV[3]  the value
--
-- Answers {1 accepted or 0 refused, the highest token known}.
-- Lua's numbers are exact up to 2^53, and so are Tenure's generations.

local known = redis.call('HMGET', KEYS[1], 'token', 'holder')
local highest = tonumber(known[1] or '0')
local token = tonumber(ARGV[1])

-- Done before: what the lost answer said, or would have said.
if KEYS[2] and redis.call('EXISTS', KEYS[2]) == 1 then
  return {1, string.format('%.0f', highest)}
end

if token < highest or (token == highest and ARGV[2] ~= known[2]) then
  return {0, string.format('%.0f', highest)}
end

redis.call('HSET', KEYS[1], 'token', ARGV[1], 'holder', ARGV[2])
if KEYS[2] then
  redis.call('SET', KEYS[2], '1', 'EX', 86400)
  redis.call('HSET', KEYS[3], 'value', ARGV[3])
  redis.call('HINCRBY', KEYS[3], 'writes', 1)
end
return {1, ARGV[1]}
