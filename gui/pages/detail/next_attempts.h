#pragma once

#include "core/job/job.h"
#include "gui/pages/detail/detail_table.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace restante::gui {

/// One attempt that has not begun. *Value.*
struct NextAttempt {
    std::uint32_t number = 1;
    TimePoint at{};            ///< of the second and later ones: if the one before fails at once
    Millis wait{0};            ///< since the one before; of the first: since now, 0 when it is late
    bool approximate = false;  ///< its schedule has jitter
};

/// When a job will be tried, as far as its schedule tells. *Value.*
struct AttemptPreview {
    enum class After {
        Ended,           ///< there are none: dead, in the trash or done
        Dead,            ///< with the last of them the attempts are used up
        Expires,         ///< it expires before there is another one
        GoesOn,          ///< there are more
        OnPull,          ///< whoever pulls it tries it; it comes back when a lease ends
        OnRegistration,  ///< a registration of its recipient decides
    };
    std::vector<NextAttempt> attempts = {};
    After after = After::Ended;
    /// The job has no schedule of its own: this is the standard one of its channel, which the
    /// daemon may have been given another one for.
    bool standard = false;
};

/// At most `most` attempts. *Pure function.*
AttemptPreview previewAttempts(const JobView& view, TimePoint now, std::size_t most);

/// The next attempts as a table. *Thread of the window.*
class NextAttemptsModel : public TimedRowModel<NextAttempt> {
    Q_OBJECT

public:
    using TimedRowModel::TimedRowModel;

    void setContent(AttemptPreview preview, std::function<QString(TimePoint)> moment);
    /// What follows the last row, and whose schedule it is, in sentences.
    QString note() const;

protected:
    enum Column { Number, Wait, At };

    const std::vector<TableColumn>& columns() const override;
    QString text(const NextAttempt& attempt, int column) const override;
    QVariant attribute(const NextAttempt& attempt, int column, int role) const override;

private:
    AttemptPreview preview_;  ///< but for its attempts
};

}  // namespace restante::gui
