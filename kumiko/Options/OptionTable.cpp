#include "kumiko/Options/OptionTable.h"
#include "llvm/Option/Option.h"

using namespace llvm::opt;

namespace {
#define OPTTABLE_STR_TABLE_CODE
#include "kumiko/Options/Options.inc"
#undef OPTTABLE_STR_TABLE_CODE

#define OPTTABLE_PREFIXES_TABLE_CODE
#include "kumiko/Options/Options.inc"
#undef OPTTABLE_PREFIXES_TABLE_CODE

#define OPTTABLE_SUBCOMMAND_IDS_TABLE_CODE
#include "kumiko/Options/Options.inc"
#undef OPTTABLE_SUBCOMMAND_IDS_TABLE_CODE

#define OPTTABLE_SUBCOMMANDS_CODE
#include "kumiko/Options/Options.inc"
#undef OPTTABLE_SUBCOMMANDS_CODE

using namespace kumiko;
constexpr OptTable::Info optionInfos[] = {
#define OPTION(...) LLVM_CONSTRUCT_OPT_INFO(__VA_ARGS__),
#include "kumiko/Options/Options.inc"
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

llvm::SmallVector<llvm::StringRef> kumiko::optionsOf(llvm::StringRef command) {
  llvm::SmallVector<llvm::StringRef> names;
  for (unsigned id = 1; id <= optionTable().getNumOptions(); ++id) {
    Option option = optionTable().getOption(id);
    if (option.isValid() && option.getKind() != Option::GroupClass && option.isRegisteredSC(command) &&
        !option.getAlias().isValid())
      names.push_back(option.getPrefixedName());
  }
  return names;
}
