#include "gui/pages/dialogs/command_palette.h"

#include "gui/pages/page_parts.h"
#include "gui/theme/icons.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace restante::gui {

namespace {

constexpr int kDetailRole = Qt::UserRole + 1;

/// The title at the left, the detail at the right.
class EntryDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter,
               const QStyleOptionViewItem& option,
               const QModelIndex& index) const override
    {
        QStyledItemDelegate::paint(painter, option, index);
        const bool selected = (option.state & QStyle::State_Selected) != 0;
        const auto role = selected ? QPalette::HighlightedText : QPalette::PlaceholderText;
        const auto detailRect = option.rect.adjusted(option.rect.width() / 2, 0, -8, 0);
        const auto text = option.fontMetrics.elidedText(index.data(kDetailRole).toString(),
                                                        Qt::ElideRight, detailRect.width());
        painter->setPen(option.palette.color(role));
        painter->drawText(detailRect, Qt::AlignRight | Qt::AlignVCenter, text);
    }
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        return {QStyledItemDelegate::sizeHint(option, index).width(),
                option.fontMetrics.height() * 2};
    }
};

}  // namespace

int paletteScore(const QString& title, const QString& typed)
{
    int score = 1;
    const auto words = typed.split(u' ', Qt::SkipEmptyParts);
    for (const auto& word : words) {
        const auto at = title.indexOf(word, 0, Qt::CaseInsensitive);
        if (at < 0) {
            return 0;
        }
        const bool beginsAWord = at > 0 && !title[at - 1].isLetterOrNumber();
        score += at == 0 ? 100 : beginsAWord ? 50 : 10;
    }
    return score;
}

CommandPalette::CommandPalette(std::vector<PaletteEntry> entries,
                               EntriesForText entriesForText,
                               QWidget* parent)
    : QDialog(parent),
      entries_(std::move(entries)),
      entriesForText_(std::move(entriesForText)),
      searchField_(makeWidget<QLineEdit>("paletteText", this)),
      results_(makeWidget<QListWidget>("paletteList", this))
{
    setObjectName(QStringLiteral("commandPalette"));
    setWindowTitle(tr("Command Palette"));
    searchField_->setPlaceholderText(
        tr("A command, a saved view, a connection, or the id of a job"));
    searchField_->setAccessibleName(searchField_->placeholderText());
    searchField_->addAction(icon(QStringLiteral("system-search")), QLineEdit::LeadingPosition);
    searchField_->installEventFilter(this);
    results_->setAccessibleName(tr("What has been found"));
    const auto iconSide = fontMetrics().height();
    results_->setIconSize({iconSide, iconSide});
    results_->setItemDelegate(new EntryDelegate(results_));
    results_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* column = new QVBoxLayout(this);
    column->addWidget(searchField_);
    column->addWidget(results_, 1);
    connect(searchField_, &QLineEdit::textChanged, this, &CommandPalette::updateList);
    connect(searchField_, &QLineEdit::returnPressed, this, &CommandPalette::runCurrent);
    connect(results_, &QListWidget::itemActivated, this, &CommandPalette::runCurrent);
    resize(fontMetrics().averageCharWidth() * 90, fontMetrics().height() * 28);
    updateList();
}

void CommandPalette::updateList()
{
    const auto typed = searchField_->text().trimmed();
    std::vector<std::pair<int, PaletteEntry>> scored;
    for (const auto& entry : entries_) {
        if (const auto score = paletteScore(entry.title, typed)) {
            scored.emplace_back(score + (entry.enabled ? 5 : 0), entry);
        }
    }
    std::stable_sort(scored.begin(), scored.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    listed_.clear();
    for (auto& [score, entry] : scored) {
        listed_.push_back(std::move(entry));
    }
    for (auto& entry : typed.isEmpty() ? std::vector<PaletteEntry>{} : entriesForText_(typed)) {
        listed_.push_back(std::move(entry));
    }
    results_->clear();
    for (const auto& entry : listed_) {
        auto* item = new QListWidgetItem(entry.icon, entry.title, results_);
        item->setData(kDetailRole, entry.detail);
        item->setData(Qt::AccessibleTextRole, entry.title + QStringLiteral(", ") + entry.detail);
        if (!entry.enabled) {
            item->setFlags(item->flags() & ~Qt::ItemIsEnabled);
        }
    }
    results_->setCurrentRow(0);
}

void CommandPalette::runCurrent()
{
    const auto row = results_->currentRow();
    if (row < 0 || !listed_[static_cast<std::size_t>(row)].enabled) {
        return;
    }
    const auto run = listed_[static_cast<std::size_t>(row)].run;
    accept();
    run();
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == searchField_ && event->type() == QEvent::KeyPress) {
        const auto key = static_cast<QKeyEvent*>(event)->key();
        const auto rows = results_->count();
        if (rows > 0 && (key == Qt::Key_Down || key == Qt::Key_Up)) {
            const auto step = key == Qt::Key_Down ? 1 : rows - 1;
            results_->setCurrentRow((results_->currentRow() + step) % rows);
            return true;
        }
    }
    return QDialog::eventFilter(watched, event);
}

}  // namespace restante::gui
