-- In which states a caller expects a job: what the verbs of operators share. Somebody may have moved it since they
-- looked at it, a worker above all.
--
-- Needs  job: withLostPlace lifecycleStateOf conflictReply
-- Gives  expectationRefusal
--#include lib/job.lua

-- Why the job is left alone, or nothing: it is in none of the `expected` states, whose names stand with a space between
-- them; "" = in any. A lost job is in the state that lists and show tell.
local function expectationRefusal(job, expected)
    if expected == '' then
        return nil
    end
    local shown = withLostPlace({id = job.id, state = job.state, score = job.score, arrival = job.arrival})
    local isExpected = string.find(' ' .. expected .. ' ', ' ' .. lifecycleStateOf(shown) .. ' ', 1, true)
    return not isExpected and conflictReply(shown) or nil
end
