#include "tests/support/eventually.h"

#include <thread>

namespace restante::test {

bool eventually(const std::function<bool()>& reached, Millis patience)
{
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (!reached()) {
        if (std::chrono::steady_clock::now() >= deadline) {
            return reached();
        }
        std::this_thread::sleep_for(Millis{2});
    }
    return true;
}

}  // namespace restante::test
