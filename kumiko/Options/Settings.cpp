#include "kumiko/Options/Settings.h"
#include "kumiko/Support/Nearest.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Option/Option.h"

using namespace kumiko;
using namespace llvm;
using namespace llvm::opt;

/// Where to write, what to print, and how far to go is said by the function that is called.
static constexpr OptionNumber notSettings[] = {OPT_help, OPT_output, OPT_json, OPT_explain, OPT_stop_after, OPT_timing};

/// Of one name: with a value, or a switch.
static SmallVector<Option> allSettings() {
  SmallVector<Option> found;
  for (unsigned id = 1; id <= optionTable().getNumOptions(); ++id) {
    Option option = optionTable().getOption(id);
    bool isOne = option.isValid() && option.getKind() != Option::GroupClass && !option.getAlias().isValid();
    bool isWanted = isOne && !is_contained(notSettings, id) &&
                    any_of(ArrayRef<StringRef>{"compile", "verify", "bisect"},
                           [&](StringRef command) { return option.isRegisteredSC(command); });
    // What is only joined is a second form of another one, or for tests.
    if (isWanted && (option.getKind() == Option::SeparateClass || option.getKind() == Option::FlagClass))
      found.push_back(option);
  }
  return found;
}

static bool refuse(ProblemList &problems, const Twine &what, const Twine &help) {
  problems.add(Code::BadOption, what).helped(help);
  return false;
}

bool Settings::set(StringRef name, std::optional<StringRef> value, ProblemList &problems) {
  SmallVector<Option> all = allSettings();
  auto option = find_if(all, [&](const Option &candidate) { return candidate.getName() == name; });
  auto names = map_to_vector(all, [](const Option &candidate) { return candidate.getName(); });
  if (option == all.end()) {
    std::string close = nearest(name.ltrim('-'), names);
    return refuse(problems, "unknown setting '" + printable(name) + "'",
                  close.empty() ? "settings are " + join(names, ", ") : "did you mean '" + close + "'?");
  }
  std::string typed = ("--" + name).str();
  if (option->getKind() == Option::FlagClass) {
    if (value && *value != "true" && *value != "false")
      return refuse(problems, "'" + printable(*value) + "' is not a value of " + name,
                    "it is a switch: 'true', 'false', or nothing");
    erase(given, typed);
    if (value != "false")
      given.push_back(typed);
    return true;
  }
  if (!value)
    return refuse(problems, "'" + name + "' needs a value", optionTable().getOptionHelpText(option->getID()));
  std::vector<std::string> known = optionTable().suggestValueCompletions(option->getPrefixedName(), "");
  if (!known.empty() && !is_contained(known, *value)) {
    SmallVector<StringRef> values(known.begin(), known.end());
    std::string close = nearest(*value, values);
    return refuse(problems, "'" + printable(*value) + "' is not a value of " + name,
                  close.empty() ? "values are " + join(values, ", ") : "did you mean '" + close + "'?");
  }
  given.push_back(typed + "=" + value->str());
  return true;
}

InputArgList Settings::arguments() const {
  auto pointers = map_to_vector(given, [](const std::string &text) { return text.c_str(); });
  unsigned missingIndex = 0, missingCount = 0;
  return optionTable().ParseArgs(pointers, missingIndex, missingCount);
}
