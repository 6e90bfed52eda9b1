#include "tools/kumiko/OptionTable.h"
#include "tools/kumiko/CommandLine.h"
#include "llvm/Option/Option.h"

using namespace llvm::opt;

namespace {
#define OPTTABLE_STR_TABLE_CODE
#include "tools/kumiko/Options.inc"
#undef OPTTABLE_STR_TABLE_CODE

#define OPTTABLE_PREFIXES_TABLE_CODE
#include "tools/kumiko/Options.inc"
#undef OPTTABLE_PREFIXES_TABLE_CODE

#define OPTTABLE_SUBCOMMAND_IDS_TABLE_CODE
#include "tools/kumiko/Options.inc"
#undef OPTTABLE_SUBCOMMAND_IDS_TABLE_CODE

#define OPTTABLE_SUBCOMMANDS_CODE
#include "tools/kumiko/Options.inc"
#undef OPTTABLE_SUBCOMMANDS_CODE

using namespace kumiko;
constexpr OptTable::Info optionInfos[] = {
#define OPTION(...) LLVM_CONSTRUCT_OPT_INFO(__VA_ARGS__),
#include "tools/kumiko/Options.inc"
#undef OPTION
};

class Table : public GenericOptTable {
public:
  Table()
      : GenericOptTable(OptionStrTable, OptionPrefixesTable, optionInfos, /*IgnoreCase=*/false, OptionSubCommands,
                        OptionSubCommandIDsTable) {}
};
} // namespace

const OptTable &kumiko::optionTable() {
  static const Table table;
  return table;
}
