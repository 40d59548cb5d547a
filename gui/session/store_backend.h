#pragma once

#include "gui/session/backend.h"
#include "gui/session/open_store.h"

#include <memory>

namespace restante::gui {

/// A Backend whose store is worked on by a thread of its own: whatever a StoreOpener opens.
class StoreBackend final : public Backend {
    Q_OBJECT

public:
    /// Begins to connect at once.
    explicit StoreBackend(std::unique_ptr<StoreOpener> opener);
    ~StoreBackend() override;

    JobSource& source() override;
    JobWriter& writer() override;
    const LinkState& link() const override;
    void reconnect() override;

private:
    class Line;
    class Source;
    class Writer;

    std::unique_ptr<Line> line_;
    std::unique_ptr<Source> source_;
    std::unique_ptr<Writer> writer_;
    LinkState link_;
};

}  // namespace restante::gui
