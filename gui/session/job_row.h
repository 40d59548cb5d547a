#pragma once

#include "core/job/job.h"

#include <QString>

#include <cstdint>
#include <string>

namespace restante::gui {

/// A job as a table shows it: without its body, its texts ready for the screen. *Value.*
/// Texts come from strangers: they may hold anything but what is not Unicode, and are shown as
/// plain text only.
struct JobRow {
    std::string id;  ///< as the store knows it
    JobState state = JobState::Scheduled;
    Channel channel = Channel::Pull;
    QString topic;
    QString sender;
    QString recipient;
    QString bizKey;
    QString contentType;
    QString lastError;
    TimePoint due{};  ///< its next moment: JobView::due
    TimePoint created{};
    TimePoint expires{};         ///< epoch 0 = never
    std::uint32_t attempt = 0;   ///< begun so far, as its schedule counts them
    std::uint32_t attempts = 0;  ///< that its schedule allows, 0 = not bounded
    int priority = 5;
    std::uint64_t size = 0;  ///< bytes of the body
};

JobRow rowOf(const JobView& view);

}  // namespace restante::gui
