#pragma once

#include "gui/session/store_poll.h"

#include <vector>

namespace restante::gui {

/// Which daemons work on the store. *Thread of the window.*
class DaemonWatch : public StorePoll {
    Q_OBJECT

public:
    explicit DaemonWatch(QObject* parent = nullptr);

    /// False before the first answer, and while there is no connection.
    bool isKnown() const override { return known_; }
    /// The living ones first.
    const std::vector<DaemonView>& daemons() const noexcept { return daemons_; }

private:
    void clear() override;
    void sendRequest() override;

    bool known_ = false;
    std::vector<DaemonView> daemons_;
};

}  // namespace restante::gui
