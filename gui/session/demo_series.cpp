#include "gui/session/demo_series.h"

#include "core/base/timestamp.h"

#include <array>

namespace restante::gui {

namespace {

/// The varying fields of the demo reminders.
struct SeriesFields {
    const char* id;
    const char* to;
    const char* every;
    const char* time;  ///< of the day on which it starts
    const char* zone;
    const char* text;
    DemoSeries::Ending lastEnding = DemoSeries::Ending::Delivered;
    bool paused = false;
};

constexpr std::array kSeriesFields{
    SeriesFields{"stand-up", "sip:alice@example.org", "weekdays", "09:25", "Europe/Berlin",
                 "Stand-up in five minutes, in the small room or by the usual link."},
    SeriesFields{"backup-report", "sip:liwei@example.org", "daily", "08:00", "Asia/Shanghai",
                 "早上好，请检查昨晚的备份结果。"},
    SeriesFields{"heartbeat", "https://hooks.example.io/T024/B77/notify", "20m", "00:00", "UTC",
                 R"({"check":"queue","from":"restante"})"},
    SeriesFields{"rent", "+491701234567", "FREQ=MONTHLY;BYMONTHDAY=1", "10:00", "Europe/Berlin",
                 "The rent is due today."},
    SeriesFields{"on-call", "sip:bob@example.org", "FREQ=MONTHLY;BYDAY=1MO", "09:00",
                 "Europe/Berlin", "The on-call rota changes today: please hand over before noon."},
    SeriesFields{"timesheet", "sip:carol@example.org", "friday", "16:30", "America/New_York",
                 "Please fill in your timesheet before you leave.", DemoSeries::Ending::Delivered,
                 true},
    SeriesFields{"plants", "sip:reception@example.org", "FREQ=WEEKLY;BYDAY=MO,WE,FR", "18:00",
                 "Europe/Lisbon", "Water the plants on both floors."},
    SeriesFields{"planning", "sip:dmitri@example.org", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU;COUNT=12",
                 "14:00", "Europe/Kyiv", "Release planning in an hour. Bring the open questions."},
    SeriesFields{"pills", "sip:wanjiku@example.org", "FREQ=DAILY;BYHOUR=8,20", "08:00",
                 "Africa/Nairobi", "Time for your medicine."},
    SeriesFields{"gate", "sip:farid@example.org", "weekends", "10:00", "Europe/Paris",
                 "Open the gate for the market stalls.", DemoSeries::Ending::Refused},
    SeriesFields{"birthday", "sip:zoe@example.org", "yearly", "09:00", "Europe/London",
                 "Happy birthday! 🎂"},
};

}  // namespace

std::vector<DemoSeries> demoSeries(TimePoint present)
{
    const auto startDay = formatRfc3339(present - std::chrono::hours{24 * 21}).substr(0, 10);
    std::vector<DemoSeries> reminders;
    for (const auto& fields : kSeriesFields) {
        DemoSeries series;
        series.request.id = fields.id;
        series.request.to = fields.to;
        series.request.every = fields.every;
        series.request.at = startDay + ' ' + fields.time;
        series.request.timeZone = fields.zone;
        series.request.text = fields.text;
        series.request.sender = "sip:assistant@example.org";
        series.last = fields.lastEnding;
        series.paused = fields.paused;
        reminders.push_back(std::move(series));
    }
    return reminders;
}

}  // namespace restante::gui
