#include "tests/support/eventually.h"

#include <exception>
#include <thread>

namespace restante::test {

bool eventually(const std::function<bool()>& reached, Millis timeout)
{
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    while (!isReached(reached)) {
        if (std::chrono::steady_clock::now() >= deadline) {
            return reached();
        }
        std::this_thread::sleep_for(Millis{2});
    }
    return true;
}

bool isReached(const std::function<bool()>& reached)
{
    try {
        return reached();
    } catch (const std::exception&) {
        return false;
    }
}

}  // namespace restante::test
