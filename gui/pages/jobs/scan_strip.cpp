#include "gui/pages/jobs/scan_strip.h"

#include "gui/theme/icons.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QProgressBar>
#include <QToolButton>

#include <algorithm>

namespace restante::gui {

namespace {

QToolButton* button(const char* name, const QString& picture, QWidget* parent)
{
    auto* made = new QToolButton(parent);
    made->setObjectName(QString::fromLatin1(name));
    made->setIcon(icon(picture));
    made->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    return made;
}

}  // namespace

ScanStrip::ScanStrip(QWidget* parent)
    : QFrame(parent),
      text_(new QLabel(this)),
      bar_(new QProgressBar(this)),
      stop_(button("scanStop", QStringLiteral("stop"), this)),
      continue_(button("scanContinue", QStringLiteral("media-playback-start"), this)),
      again_(button("scanAgain", QStringLiteral("view-refresh"), this))
{
    setObjectName(QStringLiteral("scanStrip"));
    text_->setObjectName(QStringLiteral("scanText"));
    text_->setTextFormat(Qt::PlainText);
    bar_->setRange(0, 1'000);
    bar_->setTextVisible(false);
    bar_->setFixedWidth(fontMetrics().horizontalAdvance(u'0') * 20);
    bar_->setMaximumHeight(fontMetrics().height());
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(6, 2, 6, 2);
    row->addWidget(bar_);
    row->addWidget(text_, 1);
    row->addWidget(stop_);
    row->addWidget(continue_);
    row->addWidget(again_);
    connect(stop_, &QToolButton::clicked, this, &ScanStrip::stopWanted);
    connect(continue_, &QToolButton::clicked, this, &ScanStrip::continueWanted);
    connect(again_, &QToolButton::clicked, this, &ScanStrip::againWanted);
    retranslate();
}

void ScanStrip::setContent(const ScanState& scan, std::uint64_t of, bool counting)
{
    scan_ = scan;
    of_ = of;
    counting_ = counting;
    retranslate();
}

void ScanStrip::setOutdated(bool outdated)
{
    outdated_ = outdated;
    retranslate();
}

void ScanStrip::retranslate()
{
    using Phase = ScanState::Phase;
    const QLocale locale;
    const auto number = [&](std::uint64_t n) {
        return locale.toString(static_cast<qulonglong>(n));
    };
    const bool running = scan_.phase == Phase::Running;
    auto text = of_ == 0 || scan_.phase == Phase::Done
                    ? tr("Scanned %1 · %2 found").arg(number(scan_.examined), number(scan_.found))
                    : tr("Scanned %1 of ~%2 · %3 found")
                          .arg(number(scan_.examined), number(of_), number(scan_.found));
    switch (scan_.phase) {
    case Phase::Stopped: text += tr(" · stopped"); break;
    case Phase::Waiting: text += tr(" · goes on when you scroll"); break;
    case Phase::Done: text += tr(" · all looked at"); break;
    case Phase::Off:
    case Phase::Running: break;
    }
    if (counting_) {
        text += tr(" · counting…");
    }
    if (outdated_) {
        text += tr(" · the store has changed since");
    }
    text_->setText(text);
    const auto share = of_ == 0 ? 0.0 : static_cast<double>(scan_.examined) / of_;
    bar_->setVisible(running || scan_.phase == Phase::Stopped);
    if (running && of_ == 0) {
        bar_->setRange(0, 0);
    } else {
        bar_->setRange(0, 1'000);
        bar_->setValue(static_cast<int>(std::min(1.0, share) * 1'000));
    }
    stop_->setText(tr("Stop"));
    continue_->setText(tr("Continue"));
    again_->setText(tr("Search Again"));
    bar_->setAccessibleName(tr("Progress of the search"));
    stop_->setVisible(running || counting_);
    continue_->setVisible(scan_.phase == Phase::Stopped || scan_.phase == Phase::Waiting);
    again_->setVisible(outdated_ || scan_.phase == Phase::Done);
}

void ScanStrip::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
    }
    QFrame::changeEvent(event);
}

}  // namespace restante::gui
