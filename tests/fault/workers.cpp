#include "tests/fault/workers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <tuple>

namespace restante::test {

WorkerGroup::WorkerGroup(const RedisServer& redis, Settings settings)
{
    for (int i = 0; i < settings.processes; ++i) {
        processes_.push_back(std::make_unique<Process>(Process::Command{
            {builtProgram("queue_worker").string(), redis.url().toString(), "order",
             std::to_string(settings.threads), std::to_string(settings.work.count())},
            {},
            {}}));
    }
    for (auto& process : processes_) {
        EXPECT_TRUE(process->waitForLine("ready")) << process->allOutput();
    }
}

void WorkerGroup::kill9(std::size_t process)
{
    processes_.at(process)->kill9();
    killed_[process] = toEpochMs(SystemClock{}.now());
}

bool WorkerGroup::stop()
{
    bool allClean = true;
    for (std::size_t i = 0; i < processes_.size(); ++i) {
        if (!killed_.contains(i)) {
            processes_[i]->closeInput();
            const bool isClean = processes_[i]->waitForExit() == 0;
            EXPECT_TRUE(isClean) << processes_[i]->errors();
            allClean &= isClean;
        }
    }
    return allClean;
}

std::vector<WorkerGroup::Event> WorkerGroup::events() const
{
    std::vector<Event> events;
    for (std::size_t i = 0; i < processes_.size(); ++i) {
        std::istringstream output(processes_[i]->output());
        for (std::string line; std::getline(output, line);) {
            std::istringstream words(line);
            std::string word;
            Event event;
            event.process = i;
            if (words >> word >> event.id >> event.attempt >> event.at) {
                event.isBegin = word == "begin";
                events.push_back(std::move(event));
            }
        }
    }
    std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
        return std::tie(a.at, a.isBegin) < std::tie(b.at, b.isBegin);
    });
    return events;
}

std::map<std::string, int> WorkerGroup::timesEnded() const
{
    std::map<std::string, int> times;
    for (const auto& event : events()) {
        if (!event.isBegin) {
            ++times[event.id];
        }
    }
    return times;
}

std::size_t WorkerGroup::busyProcesses() const
{
    std::set<std::size_t> busy;
    for (const auto& event : events()) {
        busy.insert(event.process);
    }
    return busy.size();
}

std::set<std::string> WorkerGroup::attemptsBegunTwice() const
{
    std::set<std::string> seen;
    std::set<std::string> twice;
    for (const auto& event : events()) {
        const auto attempt = event.id + " " + event.attempt;
        if (event.isBegin && !seen.insert(attempt).second) {
            twice.insert(attempt);
        }
    }
    return twice;
}

std::set<std::string> WorkerGroup::heldByTwoAtOnce() const
{
    std::map<std::string, std::size_t> holders;
    std::set<std::string> twice;
    for (const auto& event : events()) {
        const auto holder = holders.find(event.id);
        if (!event.isBegin) {
            holders.erase(event.id);
        } else if (holder != holders.end() && !killed_.contains(holder->second)) {
            twice.insert(event.id);
        } else {
            holders[event.id] = event.process;
        }
    }
    return twice;
}

int WorkerGroup::mostAtOnce() const
{
    std::map<std::string, std::size_t> holders;
    std::size_t most = 0;
    for (const auto& event : events()) {
        std::erase_if(holders, [&](const auto& holder) {
            const auto killed = killed_.find(holder.second);
            return killed != killed_.end() && killed->second <= event.at;
        });
        if (event.isBegin) {
            holders[event.id] = event.process;
        } else {
            holders.erase(event.id);
        }
        most = std::max(most, holders.size());
    }
    return static_cast<int>(most);
}

}  // namespace restante::test
