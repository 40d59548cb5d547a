#include "tests/bench/table/row.h"

#include <fmt/format.h>
#include <utility>

namespace restante::bench {

namespace {

std::vector<double> figuresOf(const std::vector<Sample>& samples)
{
    std::vector<double> figures;
    for (const Sample& sample : samples) {
        figures.push_back(sample.figure);
    }
    return figures;
}

CpuByProcess cpuOf(const std::vector<Sample>& samples)
{
    std::vector<CpuByProcess> rounds;
    for (const Sample& sample : samples) {
        rounds.push_back(sample.cpu);
    }
    return medianOf(rounds);
}

}  // namespace

CpuByProcess medianOf(const std::vector<CpuByProcess>& rounds)
{
    std::map<std::string, std::vector<double>> byProcess;
    for (const CpuByProcess& round : rounds) {
        for (const auto& [process, used] : round) {
            byProcess[process].push_back(used);
        }
    }
    CpuByProcess medians;
    for (auto& [process, figures] : byProcess) {
        figures.resize(rounds.size());
        medians[process] = spreadOf(figures).median;
    }
    return medians;
}

Target Target::shareOfBare(double share, std::string words)
{
    return {Kind::ShareOfBare, share,
            words.empty() ? fmt::format("{:.2f} of bare", share) : std::move(words)};
}

Target Target::atLeast(double value, std::string words)
{
    return {Kind::AtLeast, value, std::move(words)};
}

Target Target::atMost(double value, std::string words)
{
    return {Kind::AtMost, value, std::move(words)};
}

Spread Row::bareFigures() const
{
    return spreadOf(figuresOf(bare));
}

Spread Row::restanteFigures() const
{
    return spreadOf(figuresOf(restante));
}

Spread Row::ratio() const
{
    // Per round, because its two sides were measured right after each other: a machine that is slow
    // for a minute slows both.
    std::vector<double> ratios;
    for (std::size_t i = 0; i < bare.size() && i < restante.size(); ++i) {
        ratios.push_back(bare[i].figure > 0 ? restante[i].figure / bare[i].figure : 0);
    }
    return spreadOf(std::move(ratios));
}

CpuByProcess Row::bareCpu() const
{
    return cpuOf(bare);
}

CpuByProcess Row::restanteCpu() const
{
    return cpuOf(restante);
}

std::string Row::shortfall() const
{
    if (restante.empty()) {
        return "not measured: " + flaw;
    }
    if (flawed > 0) {
        return fmt::format("in {} of {} rounds: {}", flawed, rounds, flaw);
    }
    const double median = restanteFigures().median;
    switch (target.kind) {
    case Target::Kind::None: return {};
    case Target::Kind::AtLeast:
        return median >= target.value
                   ? std::string()
                   : fmt::format("{:.1f} {}, {:.1f} wanted", median, unit, target.value);
    case Target::Kind::AtMost:
        return median <= target.value
                   ? std::string()
                   : fmt::format("{:.1f} {}, at most {:.1f} wanted", median, unit, target.value);
    case Target::Kind::ShareOfBare:
        return ratio().median >= target.value
                   ? std::string()
                   : fmt::format("{:.2f}, {:.2f} wanted", ratio().median, target.value);
    }
    return {};
}

}  // namespace restante::bench
