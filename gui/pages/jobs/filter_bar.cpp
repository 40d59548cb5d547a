#include "gui/pages/jobs/filter_bar.h"

#include "core/job/filter_suggestion.h"
#include "gui/base/preferences.h"
#include "gui/pages/jobs/filter_text.h"
#include "gui/pages/page_parts.h"
#include "gui/theme/flow_layout.h"
#include "gui/theme/icons.h"
#include "gui/theme/table_style.h"
#include "gui/theme/theme.h"

#include <QHBoxLayout>
#include <QMenu>
#include <QToolButton>
#include <QVBoxLayout>

#include <functional>

namespace restante::gui {

namespace {

const QString kFilterHistoryKey = QStringLiteral("jobs/filterHistory");
constexpr qsizetype kMaxHistory = 50;

/// A field and its text in the menu.
struct FieldText {
    const char* field;
    const char* text;
};

constexpr FieldText kFields[] = {
    {"state", QT_TRANSLATE_NOOP("FilterField", "State")},
    {"kind", QT_TRANSLATE_NOOP("FilterField", "Kind")},
    {"topic", QT_TRANSLATE_NOOP("FilterField", "Topic")},
    {"to", QT_TRANSLATE_NOOP("FilterField", "To")},
    {"from", QT_TRANSLATE_NOOP("FilterField", "From")},
    {"id", QT_TRANSLATE_NOOP("FilterField", "Id")},
    {"biz_key", QT_TRANSLATE_NOOP("FilterField", "Key of the caller")},
    {"callid", QT_TRANSLATE_NOOP("FilterField", "Call-ID")},
    {"err", QT_TRANSLATE_NOOP("FilterField", "Last error")},
    {"code", QT_TRANSLATE_NOOP("FilterField", "Status code")},
    {"due", QT_TRANSLATE_NOOP("FilterField", "Due")},
    {"age", QT_TRANSLATE_NOOP("FilterField", "Age")},
    {"created", QT_TRANSLATE_NOOP("FilterField", "Created")},
    {"expires", QT_TRANSLATE_NOOP("FilterField", "Expires")},
    {"attempts", QT_TRANSLATE_NOOP("FilterField", "Attempts")},
    {"priority", QT_TRANSLATE_NOOP("FilterField", "Priority")},
    {"size", QT_TRANSLATE_NOOP("FilterField", "Size")},
    {"type", QT_TRANSLATE_NOOP("FilterField", "Content type")},
    {"payload", QT_TRANSLATE_NOOP("FilterField", "Payload (slow)")},
};

QToolButton* makeMenuButton(const char* name, QWidget* parent)
{
    auto* button = makeWidget<QToolButton>(name, parent);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setPopupMode(QToolButton::InstantPopup);
    button->setMenu(new QMenu(button));
    return button;
}

}  // namespace

FilterBar::FilterBar(Preferences& preferences, SavedViews& views, QWidget* parent)
    : QWidget(parent),
      preferences_(preferences),
      views_(views),
      edit_(new FilterEdit(this)),
      savedViewsButton_(makeMenuButton("savedViews", this)),
      addTermButton_(makeMenuButton("addFilter", this)),
      parseResultLabel_(plainLabel(this, "filterVerdict")),
      message_(wrappedLabel(this, "filterMessage")),
      suggestionButton_(makeWidget<QToolButton>("filterMeant", this)),
      chips_(makeWidget<QWidget>("filterChips", this))
{
    edit_->setClearButtonEnabled(true);
    edit_->setHistory(preferences_.value(kFilterHistoryKey).toStringList());
    addTermButton_->setIcon(icon(QStringLiteral("list-add")));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    auto* row = new QHBoxLayout;
    row->addWidget(edit_, 1);
    row->addWidget(parseResultLabel_);
    row->addWidget(savedViewsButton_);
    row->addWidget(addTermButton_);
    column->addLayout(row);
    auto* advice = new QHBoxLayout;
    advice->addWidget(message_, 1);
    advice->addWidget(suggestionButton_);
    column->addLayout(advice);
    auto* chips = new FlowLayout(chips_);
    chips->setContentsMargins(0, 0, 0, 0);
    column->addWidget(chips_);
    suggestionButton_->hide();
    chips_->hide();
    connect(suggestionButton_, &QToolButton::clicked, this, [this] {
        const auto suggestion = suggestedFilter(edit_->text().toStdString());
        if (const auto filter = suggestion ? JobFilter::parse(*suggestion) : JobFilter::parse({})) {
            edit_->showAppliedFilter(QString::fromStdString(filter->text()));
            emit filterRequested(*filter);
        }
    });
    connect(edit_, &FilterEdit::parseResultChanged, this, &FilterBar::showParseResult);
    connect(edit_, &FilterEdit::applyRequested, this, &FilterBar::apply);
    connect(edit_, &FilterEdit::leaveRequested, this, &FilterBar::leaveRequested);
    connect(savedViewsButton_->menu(), &QMenu::aboutToShow, this, &FilterBar::fillSavedMenu);
    connect(&views_, &SavedViews::changed, this, [this] { setView(JobsView(view_)); });
    retranslate();
}

void FilterBar::setView(const JobsView& view)
{
    view_ = view;
    const auto applied = QString::fromStdString(view.filter.text());
    if (edit_->appliedFilter() != applied) {
        edit_->showAppliedFilter(applied);
    }
    bool isSaved = false;
    for (const auto& saved : views_.all()) {
        isSaved = isSaved || saved.view == view_;
    }
    showChips();
    savedViewsButton_->setIcon(
        icon(isSaved ? QStringLiteral("star-filled") : QStringLiteral("star")));
}

void FilterBar::apply()
{
    const auto filter = *edit_->filter();
    const auto text = QString::fromStdString(filter.text());
    edit_->showAppliedFilter(text);
    if (!text.isEmpty()) {
        auto history = preferences_.value(kFilterHistoryKey).toStringList();
        history.removeAll(text);
        history.prepend(text);
        history = history.mid(0, kMaxHistory);
        preferences_.setValue(kFilterHistoryKey, history);
        edit_->setHistory(history);
    }
    emit filterRequested(filter);
}

void FilterBar::showParseResult()
{
    using Kind = FilterEdit::ParseResult::Kind;
    const auto& parseResult = edit_->parseResult();
    QString word;
    QString message;
    switch (parseResult.kind) {
    case Kind::Empty: break;
    case Kind::Valid: word = tr("valid"); break;
    case Kind::Scans:
        word = tr("valid, slow");
        message = scanReason(edit_->filter().value_or(JobFilter{}));
        break;
    case Kind::Wrong:
        word = tr("cannot be read");
        message = tr("Column %1: %2").arg(parseResult.column).arg(parseResult.detail);
        break;
    }
    parseResultLabel_->setText(word);
    parseResultLabel_->setVisible(!word.isEmpty());
    const auto suggestion = parseResult.kind == Kind::Wrong
                                ? suggestedFilter(edit_->text().toStdString())
                                : std::nullopt;
    suggestionButton_->setVisible(suggestion.has_value());
    if (suggestion) {
        const auto text = QString::fromStdString(*suggestion);
        suggestionButton_->setText(
            tr("Did you mean %1?").arg(QString(text).replace(u'&', QLatin1String("&&"))));
    }
    message_->setText(message);
    message_->setVisible(!message.isEmpty());
    if (!word.isEmpty()) {
        const auto tint = Theme::tint(parseResult.kind == Kind::Valid   ? Theme::Severity::Good
                                      : parseResult.kind == Kind::Scans ? Theme::Severity::Warning
                                                                        : Theme::Severity::Bad);
        auto colors = message_->palette();
        colors.setColor(QPalette::WindowText, tint.text);
        message_->setPalette(colors);
        parseResultLabel_->setPalette(colors);
    }
}

/// One chip for each condition of the view, except its states: the tabs show those.
void FilterBar::showChips()
{
    const auto oldChips = chips_->findChildren<QToolButton*>(QString(), Qt::FindDirectChildrenOnly);
    for (auto* chip : oldChips) {
        // This may run in the click handler of one of them: delete it later.
        chip->hide();
        chips_->layout()->removeWidget(chip);
        chip->deleteLater();
    }
    bool hasChips = false;
    const auto add = [&](const QString& text, const std::function<void(JobsView&)>& removePart) {
        auto viewWithout = view_;
        removePart(viewWithout);
        addChip(text, viewWithout);
        hasChips = true;
    };
    if (view_.channel) {
        add(Theme::channelName(*view_.channel), [](JobsView& view) { view.channel.reset(); });
    }
    if (!view_.topic.empty()) {
        add(QString::fromStdString(filterFor("topic", view_.topic)),
            [](JobsView& view) { view.topic.clear(); });
    }
    if (!view_.error.empty()) {
        add(QString::fromStdString(filterFor("err", view_.error)),
            [](JobsView& view) { view.error.clear(); });
    }
    const auto filter = QString::fromStdString(view_.filter.text());
    const auto terms = termsOf(filter);
    for (int at = 0; at < terms.size(); ++at) {
        add(terms.at(at), [&](JobsView& view) {
            view.filter =
                JobFilter::parse(withoutTerm(filter, at).toStdString()).value_or(JobFilter());
        });
    }
    chips_->setVisible(hasChips);
}

void FilterBar::addChip(const QString& text, const JobsView& viewWithout)
{
    constexpr qsizetype kMaxLength = 40;
    auto* chip = makeWidget<QToolButton>("filterChip", chips_);
    const auto fullText = text.simplified();
    auto shown =
        fullText.size() > kMaxLength ? fullText.left(kMaxLength) + QChar(0x2026) : fullText;
    chip->setText(shown.replace(u'&', QLatin1String("&&")));
    chip->setIcon(icon(QStringLiteral("edit-clear")));
    chip->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    chip->setLayoutDirection(layoutDirection() == Qt::LeftToRight ? Qt::RightToLeft
                                                                  : Qt::LeftToRight);
    chip->setFocusPolicy(Qt::TabFocus);
    chip->setToolTip(literalTip(fullText));
    chip->setAccessibleName(tr("Remove %1 from the filter").arg(fullText));
    connect(chip, &QToolButton::clicked, this,
            [this, viewWithout] { emit viewRequested(viewWithout); });
    chips_->layout()->addWidget(chip);
    chip->show();
}

void FilterBar::fillSavedMenu()
{
    auto* menu = savedViewsButton_->menu();
    menu->clear();
    menu->addAction(icon(QStringLiteral("star")), tr("&Keep this View…"), this,
                    &FilterBar::saveRequested);
    menu->addSeparator();
    for (const auto& saved : views_.all()) {
        auto text = saved.name;
        menu->addAction(icon(QStringLiteral("star-filled")),
                        text.replace(u'&', QLatin1String("&&")), this,
                        [this, name = saved.name] { emit savedViewRequested(name); });
    }
}

void FilterBar::fillFieldMenu()
{
    auto* menu = addTermButton_->menu();
    menu->clear();
    for (const auto& entry : kFields) {
        const auto field = QString::fromLatin1(entry.field);
        const auto text = QCoreApplication::translate("FilterField", entry.text);
        menu->addAction(QStringLiteral("%1\t%2:").arg(text, field), this,
                        [this, field] { edit_->beginField(field); });
    }
}

void FilterBar::retranslate()
{
    edit_->setPlaceholderText(tr("Filter, for example state:dead to:*@example.org due<1h"));
    edit_->setAccessibleName(tr("Filter"));
    edit_->setToolTip(tr("Return applies, Escape goes back, Down shows earlier filters"));
    savedViewsButton_->setText(tr("Saved"));
    savedViewsButton_->setToolTip(tr("Keep this view, or go to one that was kept"));
    addTermButton_->setText(tr("Filter"));
    addTermButton_->setToolTip(tr("Begin a term of the filter"));
    fillFieldMenu();
    showParseResult();
}

}  // namespace restante::gui
