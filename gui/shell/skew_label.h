#pragma once

#include "core/base/clock.h"

#include <QLabel>

namespace restante::gui {

/// Says by how much the clocks of the store and of this machine differ, when that is enough to
/// mislead somebody; else it is not to be seen. *Thread of the window.*
class SkewLabel : public QLabel {
    Q_OBJECT

public:
    /// Less is what a network takes, and what clocks do that nobody has disciplined.
    static constexpr Millis kShownFrom{5'000};

    explicit SkewLabel(QWidget* parent = nullptr);

    /// `skew`: the store's clock before this machine's.
    void setSkew(Millis skew);
};

}  // namespace restante::gui
