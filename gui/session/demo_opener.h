#pragma once

#include "gui/session/open_store.h"

#include <cstdint>
#include <memory>

namespace restante::gui {

/// Opens a store that is made up, in memory; every opening makes it anew. No server is needed.
class DemoOpener final : public StoreOpener {
public:
    struct Settings {
        std::uint32_t jobs = 3'600;
        std::uint32_t seed = 20'261;
        enum class Life { Still, Goes };
        Life life = Life::Goes;  ///< Still: nothing happens by itself
    };
    DemoOpener() : DemoOpener(Settings{}) {}
    explicit DemoOpener(Settings settings) : settings_(settings) {}

    void open(EventLoop& loop, Callbacks callbacks) override;
    void giveUp() override { attempt_.reset(); }

private:
    Settings settings_;
    std::shared_ptr<int> attempt_;  ///< expires when it is given up
};

}  // namespace restante::gui
