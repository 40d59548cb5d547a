#include "gui/pages/mailboxes/mailboxes_page.h"

#include "core/job/job_filter.h"
#include "gui/actions/action_registry.h"
#include "gui/base/preferences.h"
#include "gui/operations/verb_texts.h"
#include "gui/pages/mailboxes/mailbox_text.h"
#include "gui/pages/mailboxes/message_list.h"
#include "gui/pages/mailboxes/person_pane.h"
#include "gui/pages/page_parts.h"
#include "gui/session/store_session.h"
#include "gui/theme/empty_pane.h"
#include "gui/theme/entry_list.h"
#include "gui/theme/icons.h"
#include "gui/theme/message_bar.h"
#include "gui/theme/saved_layout.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace restante::gui {

namespace {

/// Rows that are asked for at first, and with each press of Show More; and at most at a time.
constexpr std::uint32_t kRows = 200;
constexpr std::uint32_t kMostRows = 500;
/// Messages of one person that are shown.
constexpr std::uint32_t kMessages = 200;
constexpr int kTypingMs = 250;

}  // namespace

MailboxesPage::MailboxesPage(Context context, QWidget* parent) : StorePage(context, parent)
{
    setObjectName(QStringLiteral("mailboxesPage"));
    search_.setSingleShot(true);
    search_.setInterval(kTypingMs);
    auto* bar = buildBar();
    setupLayout("mailboxesNotice", bar, buildBody());
    connectAll();
    retranslate();
    updateStatus();
}

QBoxLayout* MailboxesPage::buildBar()
{
    auto* bar = new QHBoxLayout;
    find_ = makeWidget<QLineEdit>("mailboxFilter", this);
    find_->setClearButtonEnabled(true);
    find_->setMaximumWidth(fontMetrics().averageCharWidth() * 48);
    find_->addAction(icon(QStringLiteral("edit-find")), QLineEdit::LeadingPosition);
    count_ = plainLabel(this, "mailboxCount");
    count_->setForegroundRole(QPalette::PlaceholderText);
    bar->addWidget(find_, 1);
    bar->addSpacing(fontMetrics().averageCharWidth() * 2);
    bar->addWidget(count_, 1);
    return bar;
}

QWidget* MailboxesPage::buildBody()
{
    split_ = makeWidget<QSplitter>("mailboxSides", Qt::Horizontal, this);
    auto* left = new QWidget(split_);
    left->setAutoFillBackground(true);
    left->setBackgroundRole(QPalette::Base);
    list_ = makeWidget<EntryList>("mailboxList", left);
    more_ = makeWidget<QPushButton>("moreMailboxes", left);
    more_->setFlat(true);
    auto* column = tightColumn(left);
    column->addWidget(list_, 1);
    column->addWidget(more_);
    right_ = new QStackedWidget(split_);
    nobody_ = new EmptyPane(right_);
    pane_ = new PersonPane(context_, right_);
    right_->addWidget(nobody_);
    right_->addWidget(pane_);
    split_->addWidget(left);
    split_->addWidget(right_);
    split_->setStretchFactor(0, 0);
    split_->setStretchFactor(1, 1);
    const auto letter = fontMetrics().averageCharWidth();
    left->setMinimumWidth(letter * 20);
    split_->setSizes({letter * 38, letter * 120});
    split_->setChildrenCollapsible(false);
    split_->setHandleWidth(1);
    rememberSplitter(*split_, context_.preferences, QStringLiteral("mailboxes/list"));
    return split_;
}

void MailboxesPage::connectAll()
{
    connect(find_, &QLineEdit::textChanged, &search_, qOverload<>(&QTimer::start));
    connect(find_, &QLineEdit::returnPressed, &search_, [this] { search_.start(0); });
    connect(&search_, &QTimer::timeout, this, [this] {
        if (session_ != nullptr) {
            session_->source().cancel(std::exchange(listAsked_, 0));
            page_.mailboxes.clear();
            isAskedFor_ = false;
            askList();
        }
    });
    connect(list_, &EntryList::currentKeyChanged, this, [this](const std::string& key) {
        if (!key.empty()) {
            choose(key);
        }
    });
    connect(more_, &QPushButton::clicked, this, &MailboxesPage::askMore);
    connect(pane_, &PersonPane::selectionChanged, this, [this] {
        askHistory();
        emit selectionChanged();
    });
    connect(pane_, &PersonPane::deliverRequested, this,
            [this] { emit actionRequested(BulkAction::Verb::Release, pane_->waiting()); });
    connect(pane_, &PersonPane::writeRequested, this, &MailboxesPage::writeRequested);
    connect(pane_, &PersonPane::filterRequested, this, &MailboxesPage::filterRequested);
    connect(pane_, &PersonPane::jobRequested, this, &MailboxesPage::jobRequested);
    connect(emptyPane_, &EmptyPane::pressed, find_, &QLineEdit::clear);
}

void MailboxesPage::clear()
{
    loaded_ = false;
    page_ = {};
    person_.clear();
    triedJob_.clear();
    isAskedFor_ = false;
    list_->setEntries({});
    pane_->clear();
}

void MailboxesPage::forget()
{
    search_.stop();
    if (session_ != nullptr) {
        for (auto* requestId : {&listAsked_, &personAsked_, &historyAsked_}) {
            session_->source().cancel(*requestId);
        }
    }
    listAsked_ = personAsked_ = historyAsked_ = 0;
}

void MailboxesPage::refresh()
{
    // A slow store is not asked twice at a time, and not while somebody types what to ask for.
    if (!isReady() || search_.isActive()) {
        return;
    }
    if (listAsked_ == 0 && !isResting()) {
        askList();
    }
    if (personAsked_ == 0) {
        askPerson();
    }
}

/// A look goes through all mailboxes: where that takes long the store is left alone for longer.
bool MailboxesPage::isResting() const
{
    constexpr int kRests = 20;  // as long as the look took
    constexpr qint64 kLongestMs = 60'000;
    return loaded_ && sinceLook_.isValid() &&
           sinceLook_.elapsed() < std::min(lookTookMs_ * kRests, kLongestMs);
}

void MailboxesPage::askList()
{
    if (!isReady()) {
        return;
    }
    sinceLook_.start();
    MailboxQuery query;
    query.name = find_->text().trimmed().toStdString();
    query.limit = std::clamp(static_cast<std::uint32_t>(page_.mailboxes.size()), kRows, kMostRows);
    listAsked_ = session_->source().mailboxes(std::move(query),
                                              {this, [this](Result<MailboxPage> page) {
                                                   listAsked_ = 0;
                                                   lookTookMs_ = sinceLook_.restart();
                                                   if (page) {
                                                       take(std::move(*page));
                                                   } else {
                                                       fail(tr("The mailboxes could not be read: "
                                                               "%1"),
                                                            page.error());
                                                   }
                                               }});
}

void MailboxesPage::askMore()
{
    if (!isReady() || page_.cursor.empty()) {
        return;
    }
    session_->source().cancel(listAsked_);
    MailboxQuery query;
    query.name = find_->text().trimmed().toStdString();
    query.cursor = page_.cursor;
    query.limit = kRows;
    listAsked_ = session_->source().mailboxes(
        std::move(query),
        {this, [this](Result<MailboxPage> page) {
             listAsked_ = 0;
             if (!page) {
                 return fail(tr("The mailboxes could not be read: %1"), page.error());
             }
             auto all = std::move(page_.mailboxes);
             for (auto& one : page->mailboxes) {
                 const bool known = std::ranges::any_of(
                     all, [&](const auto& had) { return had.recipient == one.recipient; });
                 if (!known) {  // it has filled since the first ones were read
                     all.push_back(std::move(one));
                 }
             }
             page->mailboxes = std::move(all);
             take(std::move(*page));
         }});
}

void MailboxesPage::take(MailboxPage page)
{
    notice_->clear();
    loaded_ = true;
    page_ = std::move(page);
    showList();
    if (person_.empty() && !page_.mailboxes.empty()) {
        list_->setCurrentKey(page_.mailboxes.front().recipient);
    }
    updateStatus();
}

void MailboxesPage::fail(const QString& sentence, const Error& error)
{
    const auto why = QString::fromStdString(error.message);
    notice_->showMessage(Theme::Meaning::Bad, sentence.arg(why), why);
    updateStatus();
}

void MailboxesPage::showPerson(const std::string& recipient)
{
    isAskedFor_ = true;
    choose(recipient);
    list_->setCurrentKey(recipient);
}

void MailboxesPage::choose(const std::string& recipient)
{
    if (recipient == person_) {
        return;
    }
    person_ = recipient;
    triedJob_.clear();
    if (session_ != nullptr) {
        session_->source().cancel(std::exchange(personAsked_, 0));
        session_->source().cancel(std::exchange(historyAsked_, 0));
    }
    showPane();
    askPerson();
}

void MailboxesPage::askPerson()
{
    if (!isReady() || person_.empty()) {
        return;
    }
    personAsked_ = session_->source().mailbox(
        {person_, kMessages}, {this, [this](const Result<MailboxContent>& content) {
                                   personAsked_ = 0;
                                   if (!content) {
                                       return fail(tr("The mailbox could not be read: %1"),
                                                   content.error());
                                   }
                                   pane_->setContent(*content, session_->source().now());
                                   askHistory();
                                   updateStatus();
                                   emit selectionChanged();
                               }});
}

/// Once for each message that is looked at, and again when an attempt has been made since.
void MailboxesPage::askHistory()
{
    const auto* tried = pane_->tried();
    if (!isReady() || tried == nullptr) {
        return;
    }
    const auto version = tried->job.id + ' ' + std::to_string(tried->attempt);
    if (version == triedJob_) {
        return;
    }
    triedJob_ = version;
    session_->source().cancel(historyAsked_);
    historyAsked_ = session_->source().history(
        tried->job.id, {this, [this](const Result<std::vector<HistoryRow>>& history) {
                            historyAsked_ = 0;
                            pane_->setHistory(history);
                        }});
}

SelectionSummary MailboxesPage::selection() const
{
    SelectionSummary summary;
    for (const auto* message : pane_->selectedMessages()) {
        ++summary.count;
        ++summary.states[message->state];
    }
    return summary;
}

Selection MailboxesPage::selected() const
{
    Selection selection;
    for (const auto* message : pane_->selectedMessages()) {
        selection.ids.push_back(message->job.id);
    }
    selection.count = selection.ids.size();
    return selection;
}

std::vector<JobRow> MailboxesPage::knownRows(std::size_t most) const
{
    std::vector<JobRow> rows;
    for (const auto* message : pane_->selectedMessages()) {
        if (rows.size() < most) {
            rows.push_back(rowOf(*message));
        }
    }
    return rows;
}

JobsView MailboxesPage::shownView() const
{
    JobsView view;
    if (auto filter = JobFilter::parse(filterFor("to", person_)); filter && !person_.empty()) {
        view.filter = std::move(*filter);
    }
    view.states = {JobState::Held};
    return view;
}

QWidget* MailboxesPage::firstFocus()
{
    return isTableShown() ? static_cast<QWidget*>(list_) : find_;
}

bool MailboxesPage::isLoaded() const
{
    return StorePage::isLoaded() && pane_->recipient() == person_;
}

void MailboxesPage::showList()
{
    const MailboxText texts(context_.preferences,
                            session_ != nullptr ? session_->source().now() : TimePoint{});
    std::vector<Entry> entries;
    entries.reserve(page_.mailboxes.size());
    for (const auto& mailbox : page_.mailboxes) {
        entries.push_back(texts.entryOf(mailbox));
    }
    list_->setEntries(std::move(entries));
    more_->setVisible(!page_.cursor.empty());
}

void MailboxesPage::showPane()
{
    // Between two people nobody is shown: never the one under the other's name.
    const bool isShown = !person_.empty() && pane_->recipient() == person_;
    right_->setCurrentWidget(isShown ? static_cast<QWidget*>(pane_) : nobody_);
    if (!isShown) {
        nobody_->setContent(
            person_.empty()
                ? EmptyPane::Content{QStringLiteral("person-unknown"), tr("Nobody is chosen"),
                                     tr("Choose a mailbox to read what waits in "
                                        "it.")}
                : EmptyPane::Content{QStringLiteral("person-unknown"), tr("Loading the mailbox…")});
    }
    pane_->setRefusal(session_ == nullptr ? tr("There is no connection.")
                                          : session_->commands().refusal());
}

QString MailboxesPage::countText() const
{
    if (!loaded_ || session_ == nullptr) {
        return {};
    }
    const auto mailboxes = tr("%Ln mailbox(es)", "", static_cast<int>(page_.total));
    const auto messages = tr("%Ln message(s)", "", static_cast<int>(page_.messages));
    const auto both = tr("%1, %2").arg(mailboxes, messages);
    return page_.complete ? both : tr("at least %1").arg(both);
}

void MailboxesPage::updateStatus()
{
    // Somebody who was asked for is shown whatever the list has.
    showTable(!page_.mailboxes.empty() || isAskedFor_);
    if (!isTableShown()) {
        showEmptyPane();
    }
    showPane();
    count_->setText(countText());
    emit statusTextChanged(countText());
}

void MailboxesPage::showEmptyPane()
{
    if (session_ == nullptr) {
        emptyPane_->setContent({QStringLiteral("network-server"), tr("Not connected"),
                                tr("Open a connection to see its mailboxes.")});
    } else if (!loaded_) {
        const auto& link = session_->link();
        emptyPane_->setContent(
            {QStringLiteral("network-server"), tr("Loading mailboxes…"),
             link.phase == LinkState::Phase::Connecting ? link.step : link.problem});
    } else if (!find_->text().trimmed().isEmpty()) {
        emptyPane_->setContent({QStringLiteral("edit-find"),
                                tr("Nobody is called so"),
                                tr("No message waits for anybody whose address contains “%1”.")
                                    .arg(find_->text().trimmed()),
                                {tr("Show All Mailboxes")}});
    } else {
        emptyPane_->setContent(
            {QStringLiteral("channel-sip"), tr("No mailbox has messages"),
             tr("Here stands everybody for whom SIP messages wait, the fullest mailbox first, "
                "with their devices and what was tried. The first row comes when somebody who is "
                "away is sent a message:\n\n%1")
                 .arg(QStringLiteral("restante-phone --user sip:alice@example.org "
                                     "--to sip:bob@example.org --text \"Are you there?\""))});
    }
}

void MailboxesPage::reformat()
{
    showList();
    pane_->reformat();
}

void MailboxesPage::changeEvent(QEvent* event)
{
    StorePage::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && pane_ != nullptr) {
        reformat();  // states have other colours
    }
}

void MailboxesPage::retranslate()
{
    find_->setPlaceholderText(tr("Find a person"));
    find_->setAccessibleName(tr("Find a person"));
    list_->setAccessibleName(tr("Mailboxes, the fullest first"));
    more_->setText(tr("Show More"));
    pane_->retranslate();
    showList();
    updateStatus();
}

}  // namespace restante::gui
