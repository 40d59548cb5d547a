#include "gui/pages/overview/topic_list.h"

#include "core/job/job_filter.h"
#include "gui/operations/verb_texts.h"
#include "gui/pages/page_parts.h"
#include "gui/theme/link_button.h"
#include "gui/theme/rate_text.h"
#include "gui/theme/table_style.h"
#include "gui/theme/theme.h"
#include "gui/theme/time_text.h"

#include <QGridLayout>
#include <QLabel>

#include <algorithm>
#include <tuple>

namespace restante::gui {

namespace {

/// Ready jobs that are no later than this are on time.
constexpr Millis kOnTime{1'000};

QString unknown()
{
    return QStringLiteral("–");
}

/// "3,004", or "≥ 3,004" when it is not exact.
QString countText(std::uint64_t count, bool exact)
{
    return exact ? numberText(count) : QChar(0x2265) + numberText(count);
}

}  // namespace

std::vector<OverviewTopic> busiestFirst(const std::vector<TopicView>& topics,
                                        const std::optional<TopicActivity>& activity)
{
    std::map<std::string, OverviewTopic> byName;
    for (const auto& view : topics) {
        auto& topic = byName[view.topic];
        topic.paused = view.pause.has_value();
        for (const auto& counts : view.channels) {
            topic.waiting += counts.scheduled + counts.ready;
            topic.ready += counts.ready;
        }
    }
    if (activity) {
        for (const auto& [name, jobs] : activity->held.jobs) {
            byName[name].held = jobs;
        }
        for (const auto& [name, jobs] : activity->dead.jobs) {
            byName[name].dead = jobs;
        }
        for (const auto& [name, rate] : activity->rates) {
            byName[name].rate = rate;
        }
    }
    std::vector<OverviewTopic> sorted;
    for (auto& [name, topic] : byName) {
        topic.topic = name;
        if (activity) {
            topic.heldExact = activity->held.isComplete;
            topic.deadExact = activity->dead.isComplete;
            if (activity->ratesProblem.empty()) {
                topic.rate = topic.rate.value_or(TopicRate{});
            } else {
                topic.rate.reset();
            }
        }
        sorted.push_back(std::move(topic));
    }
    const auto weight = [](const OverviewTopic& topic) {
        return std::tuple(topic.rate ? topic.rate->in + topic.rate->out : 0.0,
                          topic.waiting + topic.held, topic.dead);
    };
    std::stable_sort(
        sorted.begin(), sorted.end(),
        [&](const OverviewTopic& a, const OverviewTopic& b) { return weight(a) > weight(b); });
    return sorted;
}

TopicList::TopicList(QWidget* parent) : Section("overviewTopics", parent)
{
    constexpr int kColumns = 7;
    grid().setColumnStretch(0, 1);
    grid().setHorizontalSpacing(24);
    for (int column = 0; column < kColumns; ++column) {
        auto* title = plainLabel(body());
        title->setForegroundRole(QPalette::PlaceholderText);
        title->setAlignment((column == 0 ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
        grid().addWidget(title, 0, column);
        titles_.push_back(title);
    }
    const auto newNumber = [this] {
        auto* label = plainLabel(body());
        label->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        return label;
    };
    const auto newLink = [this] {
        auto* button = new LinkButton(LinkButton::Look::Plain, body());
        button->setAlignment(Qt::AlignRight);
        return button;
    };
    for (std::size_t at = 0; at < kRows; ++at) {
        const Row row{new LinkButton(LinkButton::Look::Accent, body()),
                      newNumber(),
                      newNumber(),
                      newLink(),
                      newLink(),
                      newNumber(),
                      newLink()};
        row.topic->setElided(true);
        int column = 0;
        for (QWidget* cell : {static_cast<QWidget*>(row.topic), static_cast<QWidget*>(row.in),
                              static_cast<QWidget*>(row.out), static_cast<QWidget*>(row.waiting),
                              static_cast<QWidget*>(row.held), static_cast<QWidget*>(row.oldest),
                              static_cast<QWidget*>(row.dead)}) {
            grid().addWidget(cell, static_cast<int>(at) + 1, column++);
        }
        rows_.push_back(row);
        connectRow(at);
    }
}

void TopicList::connectRow(std::size_t at)
{
    const auto connectFilter = [this, at](LinkButton* button, const char* states) {
        connect(button, &LinkButton::clicked, this, [this, at, states] {
            emit filterRequested(QString::fromLatin1(states) +
                                 QString::fromStdString(filterFor("topic", topics_[at].topic)));
        });
    };
    const auto& row = rows_[at];
    connectFilter(row.topic, "");
    connectFilter(row.waiting, "state:scheduled,ready ");
    connectFilter(row.held, "state:held ");
    connectFilter(row.dead, "state:dead ");
}

void TopicList::setContent(const std::vector<OverviewTopic>& topics, const QString& ratesProblem)
{
    topics_.assign(topics.begin(),
                   topics.begin() + static_cast<std::ptrdiff_t>(std::min(topics.size(), kRows)));
    setTitle(tr("Busiest topics"));
    setMore(topics.empty() ? QString() : tr("All %1").arg(numberText(topics.size())));
    setSentence(topics.empty() ? tr("No topic has jobs.") : QString());
    const std::vector<QString> titles{tr("Topic"), tr("In"),     tr("Out"), tr("Waiting"),
                                      tr("Held"),  tr("Oldest"), tr("Dead")};
    const std::vector<QString> tips{
        {},
        tr("Jobs pushed, over the last five minutes, from the journal"),
        tr("Jobs finished, dead or expired, over the last five minutes, from the journal"),
        tr("Scheduled or ready"),
        tr("In mailboxes, or held by somebody"),
        tr("How late the oldest ready job is"),
        {}};
    for (std::size_t at = 0; at < titles_.size(); ++at) {
        titles_[at]->setText(titles[at]);
        titles_[at]->setToolTip(tips[at]);
    }
    for (std::size_t at = 0; at < rows_.size(); ++at) {
        const auto& row = rows_[at];
        const bool shown = at < topics_.size();
        for (QWidget* cell : {static_cast<QWidget*>(row.topic), static_cast<QWidget*>(row.in),
                              static_cast<QWidget*>(row.out), static_cast<QWidget*>(row.waiting),
                              static_cast<QWidget*>(row.held), static_cast<QWidget*>(row.oldest),
                              static_cast<QWidget*>(row.dead)}) {
            cell->setVisible(shown);
        }
        if (shown) {
            showRow(row, topics_[at], ratesProblem);
        }
    }
}

void TopicList::showRow(const Row& row, const OverviewTopic& topic, const QString& ratesProblem)
{
    const auto name = Theme::topicName(topic.topic);
    row.topic->setContent(topic.paused ? tr("%1 (paused)").arg(name) : name,
                          tr("Topic %1").arg(name));
    row.topic->setToolTip(literalTip(QString::fromStdString(topic.topic)));
    for (const auto& [label, rate] :
         {std::pair{row.in, &TopicRate::in}, std::pair{row.out, &TopicRate::out}}) {
        const auto perSecond = topic.rate ? (*topic.rate).*rate : 0;
        label->setText(!topic.rate     ? unknown()
                       : perSecond > 0 ? rateText(perSecond)
                                       : numberText(0));
        label->setToolTip(literalTip(ratesProblem));
    }
    const auto showCount = [&](LinkButton* button, const QString& text, const QString& stateName) {
        button->setContent(text, tr("%1: %2, %3", "topic: jobs, state").arg(name, text, stateName));
    };
    showCount(row.waiting, numberText(topic.waiting), tr("waiting"));
    showCount(row.held, countText(topic.held, topic.heldExact), tr("held"));
    showCount(row.dead, countText(topic.dead, topic.deadExact), tr("dead"));
    const auto late = topic.ready == 0 ? Millis{0} : topic.oldest.value_or(Millis{-1});
    row.oldest->setText(late < Millis{0} ? unknown()
                        : late < kOnTime ? tr("on time")
                                         : TimeText::duration(late));
}

}  // namespace restante::gui
