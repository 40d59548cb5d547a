#pragma once

#include "gui/session/open_store.h"

#include <memory>
#include <vector>

namespace restante::gui {

/// What the console asks, in terms of what a store answers. When the store is left meanwhile there
/// is no answer: whoever leaves it tells. *One loop*, the store's.
namespace questions {

using Store = std::shared_ptr<OpenStore>;

void page(const Store& store, PageRequest request, Done<JobRows> done);
void scan(const Store& store, ScanRequest request, Done<ScanBatch> done);
void whole(const Store& store, ScanRequest request, Done<WholeBatch> done);
void count(const Store& store, CountRequest request, Done<Counted> done);
void related(const Store& store, RelatedRequest request, Done<std::vector<JobRow>> done);
void sample(const Store& store, JobShare share, Done<Sample> done);
void past(const Store& store, PastRequest request, Done<Past> done);
void activity(const Store& store, Done<TopicActivity> done);

}  // namespace questions

}  // namespace restante::gui
