#pragma once

#include "gui/session/job_writer.h"
#include "gui/session/open_store.h"

#include <memory>
#include <string>
#include <vector>

/// Reads and writes of the console except bulk requests. A store that is closed meanwhile does not
/// answer: whoever closes it fails the requests. *One loop*, the store's.
namespace restante::gui::requests {

using Store = std::shared_ptr<OpenStore>;

void page(const Store& store, PageRequest request, Done<JobRows> done);
void scan(const Store& store, ScanRequest request, Done<ScanBatch> done);
void scanWithBodies(const Store& store, ScanRequest request, Done<BatchWithBodies> done);
void count(const Store& store, CountRequest request, Done<CountBatch> done);
void related(const Store& store, RelatedRequest request, Done<RelatedJobs> done);
/// Counts the errors of the newest dead jobs: for a store in memory.
void reasons(JobInspector& inspector, Done<DeadReasons> done);
void outlook(const Store& store, JobView view, Done<JobOutlook> done);
void series(const Store& store, reminder::SeriesQuery query, Done<reminder::SeriesList> done);
void sample(const Store& store, JobScope scope, Done<Sample> done);

/// Writes are validated and stored; a Pushed has the due times.
void push(const Store& store, PushOptions push, Done<Pushed> done);
void createReminder(const Store& store, reminder::ReminderRequest request, Done<Pushed> done);
void changeSeries(const Store& store, reminder::SeriesChange change, Done<Pushed> done);
void import(
    const Store& store, Exported value, bool replace, std::string actor, Done<PushOutcome> done);

}  // namespace restante::gui::requests
