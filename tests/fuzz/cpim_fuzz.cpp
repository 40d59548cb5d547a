#include "core/job/cpim.h"
#include "sipplugin/receipts/imdn.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace restante;

/// Whatever the message says, our receipt is read as one receipt, and wants none itself.
void checkReceipt(const sip::ReceiptRequest& asked, sip::Disposition what)
{
    const auto receipt =
        sip::formatReceipt(asked, {what, "r1", {}, {}, "sip:a@example.com", "sip:b@example.com"});
    const auto read = CpimMessage::parse(receipt);
    fuzz::require(read.has_value(), "a receipt can be read");
    fuzz::require(read->header(kImdnNamespace, "Message-ID") == "r1", "it has its own id");
    fuzz::require(sip::isImdn(kCpimType, receipt), "it is known as one");
    fuzz::require(!sip::receiptRequestOf(kCpimType, receipt), "it wants none itself");
    const auto length = read->contentHeader("Content-Length");
    fuzz::require(length == std::to_string(read->content().size()), "its length is right");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto body = fuzz::textOf(data, size);
    if (const auto asked = sip::receiptRequestOf(kCpimType, body)) {
        for (const auto what :
             {sip::Disposition::Stored, sip::Disposition::Delivered, sip::Disposition::Failed}) {
            checkReceipt(*asked, what);
        }
    }
    uriOfCpimAddress(body);
    return 0;
}
