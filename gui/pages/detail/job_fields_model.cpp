#include "gui/pages/detail/job_fields_model.h"

#include "core/job/job_filter.h"
#include "gui/pages/detail/detail_text.h"
#include "gui/theme/theme.h"
#include "gui/theme/time_text.h"

#include <QApplication>
#include <QFont>
#include <QLocale>

namespace restante::gui {

namespace {

QString termOf(std::string_view field, const std::string& value)
{
    return value.empty() ? QString() : textOf(filterFor(field, value));
}

QString dueLabel(JobState state)
{
    switch (state) {
    case JobState::Scheduled: return QCoreApplication::translate("JobFields", "Due");
    case JobState::Ready: return QCoreApplication::translate("JobFields", "Ready since");
    case JobState::Leased: return QCoreApplication::translate("JobFields", "Lease ends");
    case JobState::Held: return QCoreApplication::translate("JobFields", "Next attempt");
    case JobState::Dead: return QCoreApplication::translate("JobFields", "Died");
    case JobState::Trashed: return QCoreApplication::translate("JobFields", "Trashed");
    case JobState::Done: return QCoreApplication::translate("JobFields", "Finished");
    }
    return {};
}

QString attemptsText(const JobView& view)
{
    constexpr std::uint32_t kCounted = 100;
    const auto& retry = view.job.retry;
    std::uint32_t allowed = 0;
    while (allowed <= kCounted && !retry.empty() && retry.waitBefore(allowed + 1)) {
        ++allowed;
    }
    const auto begun = QLocale().toString(view.counted());
    return allowed == 0 || allowed > kCounted ? begun
                                              : QCoreApplication::translate("JobFields", "%1 of %2")
                                                    .arg(begun, QLocale().toString(allowed));
}

class Collector {
public:
    explicit Collector(std::vector<JobField>& fields) : fields_(fields) {}
    void add(const QString& name, const QString& value, const QString& term = {})
    {
        if (!value.isEmpty()) {
            fields_.push_back({name, value, term, {}, {}});
        }
    }

private:
    std::vector<JobField>& fields_;
};

void addState(const JobView& view,
              const std::function<QString(TimePoint)>& moment,
              std::vector<JobField>& fields)
{
    const auto stateStyle = Theme::style(view.state);
    fields.push_back(
        {QCoreApplication::translate("JobFields", "State"), Theme::stateName(view.state),
         textOf("state:" + std::string(name(view.state))), stateStyle.icon, stateStyle.ink});
    const bool atRegistration =
        view.state == JobState::Held && !view.byItself && view.due == TimePoint::max();
    fields.push_back({dueLabel(view.byItself ? JobState::Scheduled : view.state),
                      atRegistration
                          ? QCoreApplication::translate("JobFields", "when the recipient registers")
                          : moment(view.due),
                      {},
                      {},
                      {}});
    Collector all(fields);
    all.add(QCoreApplication::translate("JobFields", "Last error"), textOf(view.lastError),
            termOf("err", view.lastError.substr(0, 128)));
    all.add(QCoreApplication::translate("JobFields", "Attempts"), attemptsText(view));
    if (view.devices > 0) {
        all.add(QCoreApplication::translate("JobFields", "Delivered to"),
                QCoreApplication::translate("JobFields", "%n device(s)", "",
                                            static_cast<int>(view.devices)));
    }
}

void addJob(const Job& job,
            const std::function<QString(TimePoint)>& moment,
            std::vector<JobField>& fields)
{
    Collector all(fields);
    const bool sip = job.channel == Channel::Sip;
    all.add(QCoreApplication::translate("JobFields", "Id"), textOf(job.id), termOf("id", job.id));
    all.add(QCoreApplication::translate("JobFields", "Topic"), textOf(job.topic),
            termOf("topic", job.topic));
    fields.push_back({QCoreApplication::translate("JobFields", "Channel"),
                      Theme::channelName(job.channel),
                      textOf("channel:" + std::string(name(job.channel))),
                      {},
                      {}});
    all.add(QCoreApplication::translate("JobFields", "Recipient"), textOf(job.recipient),
            termOf("to", job.recipient));
    all.add(QCoreApplication::translate("JobFields", "Sender"), textOf(job.sender),
            termOf("from", job.sender));
    all.add(sip ? QCoreApplication::translate("JobFields", "Call-ID")
                : QCoreApplication::translate("JobFields", "Key"),
            textOf(job.bizKey), termOf(sip ? "callid" : "biz_key", job.bizKey));
    all.add(QCoreApplication::translate("JobFields", "Priority"), QLocale().toString(job.priority),
            textOf("priority=" + std::to_string(job.priority)));
    all.add(QCoreApplication::translate("JobFields", "Created"), moment(job.created));
    all.add(QCoreApplication::translate("JobFields", "Expires"),
            job.expires ? moment(*job.expires) : QCoreApplication::translate("JobFields", "never"));
    all.add(QCoreApplication::translate("JobFields", "Retries"),
            job.retry.empty() ? QCoreApplication::translate("JobFields", "standard of the channel")
                              : textOf(job.retry.print()));
    all.add(QCoreApplication::translate("JobFields", "Lease"), TimeText::duration(job.ttr));
    all.add(QCoreApplication::translate("JobFields", "Recurs"), textOf(job.recurrence));
    all.add(QCoreApplication::translate("JobFields", "Content type"), textOf(job.contentType),
            termOf("type", job.contentType));
    all.add(QCoreApplication::translate("JobFields", "Size"), sizeOf(job.body.size()));
    for (const auto& [header, value] : job.headers) {
        all.add(textOf(header) + u':', textOf(value));
    }
}

}  // namespace

std::vector<JobField> fieldsOf(const JobView& view, const std::function<QString(TimePoint)>& moment)
{
    std::vector<JobField> fields;
    addState(view, moment, fields);
    addJob(view.job, moment, fields);
    return fields;
}

const std::vector<TableColumn>& JobFieldsModel::columns() const
{
    static const std::vector<TableColumn> kColumns{{QT_TR_NOOP("Field")}, {QT_TR_NOOP("Value")}};
    return kColumns;
}

QString JobFieldsModel::text(const JobField& field, int column) const
{
    return column == 0 ? field.name : field.value;
}

QVariant JobFieldsModel::attribute(const JobField& field, int column, int role) const
{
    if (column == 0) {
        return role == Qt::AccessibleTextRole ? QVariant(field.name)
               : role == Qt::ForegroundRole
                   ? QVariant(QApplication::palette().color(QPalette::PlaceholderText))
                   : QVariant();
    }
    const bool emphasised = field.ink.isValid();
    switch (role) {
    case Qt::AccessibleTextRole: return field.name + u' ' + field.value;
    case Qt::FontRole: {
        QFont bold;
        bold.setBold(true);
        return emphasised ? QVariant(bold) : QVariant();
    }
    default: return emphasised ? iconOrInk(field.icon, field.ink, role) : QVariant();
    }
}

}  // namespace restante::gui
