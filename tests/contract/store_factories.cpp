// Every store that must pass the contract. A new one gets a class here and a line in the list.

#include "core/queue/memory_job_store.h"
#include "tests/contract/store_under_test.h"

namespace restante::test {

namespace {

class MemoryStoreUnderTest final : public StoreUnderTest {
public:
    explicit MemoryStoreUnderTest(const StoreOptions& options)
        : store_(loop, clock, {options.retentionDone})
    {
    }
    JobStore& store() override { return store_; }
    JobInspector& inspector() override { return store_; }

private:
    MemoryJobStore store_;
};

template <class Store>
StoreFactory factoryOf(std::string name)
{
    return {std::move(name),
            [](const StoreOptions& options) { return std::make_unique<Store>(options); }};
}

}  // namespace

const std::vector<StoreFactory>& storeFactories()
{
    static const std::vector<StoreFactory> factories{
        factoryOf<MemoryStoreUnderTest>("memory"),
    };
    return factories;
}

}  // namespace restante::test
