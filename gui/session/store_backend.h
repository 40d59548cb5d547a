#pragma once

#include "gui/session/backend.h"
#include "gui/session/open_store.h"

#include <memory>

namespace restante::gui {

struct LinkReport;

/// A Backend whose store is worked on by a thread of its own: whatever a StoreOpener opens.
class StoreBackend final : public Backend {
    Q_OBJECT

public:
    /// Begins to connect at once.
    explicit StoreBackend(std::unique_ptr<StoreOpener> opener);
    ~StoreBackend() override;

    JobSource& source() override;
    JobWriter& writer() override;
    const LinkState& link() const override { return link_; }
    void reconnect() override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    /// Emits linkChanged() when the state or its language has changed.
    void updateLink();

    class Client;
    class Source;

    std::unique_ptr<Client> client_;
    std::unique_ptr<Source> source_;
    std::unique_ptr<LinkReport> report_;  ///< what `link_` says
    LinkState link_;
};

}  // namespace restante::gui
