#include "gui/shell/skew_label.h"

#include "gui/theme/theme.h"
#include "gui/theme/time_text.h"

#include <QPalette>

namespace restante::gui {

SkewLabel::SkewLabel(QWidget* parent) : QLabel(parent)
{
    setObjectName(QStringLiteral("skewLabel"));
    setTextFormat(Qt::PlainText);
    setAutoFillBackground(true);
    setMargin(2);
    hide();
}

void SkewLabel::setSkew(Millis skew)
{
    const auto length = skew < Millis{0} ? -skew : skew;
    setVisible(length >= kShownFrom);
    if (length < kShownFrom) {
        return;
    }
    const auto text = TimeText::duration(length);
    setText(skew > Millis{0} ? tr("The store's clock is %1 ahead").arg(text)
                             : tr("The store's clock is %1 behind").arg(text));
    setToolTip(tr("The clock of the store and that of this machine differ. Due times, ages and "
                  "lateness are reckoned by the store's; check which of the two is wrong."));
    applyTint(*this, Theme::tint(Theme::Meaning::Warning));
}

}  // namespace restante::gui
