//===- ScheduleFile.cpp - the grammar of schedules -------------------------===//
#include "kumiko/Schedule/ScheduleFile.h"
#include "kumiko/Equation/SourceFile.h"
#include "kumiko/Support/Problem.h"
#include "kumiko/Target/Target.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace kumiko;
using llvm::StringRef;

namespace {
/// What stands behind a word: pairs of a loop and a number, a tensor, the name of an instruction, or nothing.
enum class Form : uint8_t { Pairs, Tensor, Ahead, Instruction, Nothing };
struct WordForm {
  StringRef word;
  Form form;
};
} // namespace

static constexpr WordForm forms[] = {
    {"tile", Form::Pairs},   {"split", Form::Pairs},    {"vectorize", Form::Pairs}, {"unroll", Form::Pairs},
    {"chunk", Form::Pairs},  {"pack", Form::Tensor},    {"fetch", Form::Ahead},     {"with", Form::Instruction},
    {"kept", Form::Nothing}, {"inline", Form::Nothing},
};

/// Words of the grammar that no product and no attention has on a CPU, and why.
static constexpr struct {
  StringRef word, why;
} foreignWords[] = {
    {"parallel", "threads share whole chunks, so write how large these are: chunk; a sum is never shared, since that "
                 "would change the order in which it is added"},
    {"reduce-in", "it changes the order in which a sum is added, and with it the result; a schedule never does"},
    {"by", "another algorithm changes results, and a schedule never does"},
    {"order", "the order of a product's loops is that of its template; it is a word of loop nests"},
    {"fuse", "the loops of a product are fused by their roles (o0*o1); it is a word of loop nests"},
    {"at", "what follows a product is computed on its tiles; it is a word of loop nests"},
    {"root", "which kernels there are is decided before schedules; it is a word of loop nests"},
    {"bind", "it is a word of GPUs"},
    {"place", "it is a word of GPUs"},
    {"stages", "it is a word of GPUs"},
};

constexpr int64_t largestNumber = std::numeric_limits<int32_t>::max();

static bool isBare(char c) {
  return llvm::isPrint(c) ? !StringRef(" ;:#\"<>=!\\").contains(c) : static_cast<unsigned char>(c) >= 0x80;
}

std::string kumiko::scheduleName(StringRef name) {
  if (!name.empty() && llvm::all_of(name, isBare))
    return name.str();
  std::string text = "\"";
  for (char c : name) {
    if (c == '"' || c == '\\')
      text += '\\';
    if (llvm::isPrint(c) || static_cast<unsigned char>(c) >= 0x80)
      text += c;
    else
      text += "\\x" + llvm::toHex(StringRef(&c, 1));
  }
  return text + "\"";
}

std::string kumiko::meantOr(StringRef word, llvm::ArrayRef<StringRef> known, const llvm::Twine &otherwise) {
  // Any letter is near any other.
  StringRef near = word.size() > 2 ? eq::nearest(word, known) : StringRef();
  return near.empty() ? otherwise.str() : ("did you mean '" + near + "'?").str();
}

namespace {
class Reader {
public:
  Reader(StringRef text, ScheduleFile &file) : rest(text), file(file) {}

  void run() {
    for (unsigned line = 1; !rest.empty() && file.mistakes.size() < mostMistakes; ++line) {
      auto [first, others] = rest.split('\n');
      rest = others;
      tokens.clear();
      next = 0;
      if (!readTokens(first.rtrim('\r'), line) || tokens.empty())
        continue;
      end = {line, unsigned(first.rtrim().size()) + 1};
      if (tokens[0].text == "for" && !tokens[0].quoted && (tokens.size() < 2 || tokens[1].text != ":"))
        readRule();
      else
        readStatement();
    }
    if (file.rules.empty() && file.mistakes.empty())
      mistake({1, 1}, "the file holds no schedule",
              "begin with a line for op NODE, for kind contraction, or for kernel k_...");
    for (const ScheduleRule &rule : file.rules)
      if (rule.statements.empty())
        mistake(rule.name.place, "nothing is said about '" + printable(rule.name.text) + "'",
                "statements follow on lines of their own: product: tile rows 6 columns 32");
  }

private:
  static constexpr size_t mostMistakes = 50;

  bool mistake(SchedulePlace place, const llvm::Twine &message, const llvm::Twine &help) {
    file.mistakes.push_back({place, message.str(), help.str()});
    return false;
  }

  //===--- tokens -----------------------------------------------------------===//

  bool readQuoted(StringRef line, size_t &at, ScheduleToken &token) {
    token.quoted = true;
    for (++at; at < line.size() && line[at] != '"'; ++at) {
      unsigned code = 0;
      if (line[at] != '\\') {
        token.text += line[at];
      } else if (line.substr(at + 1, 1) == "x" && !line.substr(at + 2, 2).getAsInteger(16, code)) {
        token.text += char(code);
        at += 3;
      } else if (++at < line.size()) {
        token.text += line[at];
      }
    }
    return at++ < line.size() || mistake(token.place, "a quoted name does not end", "close it with \"");
  }

  bool readTokens(StringRef line, unsigned number) {
    for (size_t at = 0; at < line.size();) {
      char c = line[at];
      if (c == '#')
        break;
      if (c == ' ' || c == '\t') {
        ++at;
        continue;
      }
      ScheduleToken token;
      token.place = {number, unsigned(at) + 1};
      auto takeWhile = [&](auto holds) {
        size_t from = at;
        while (at < line.size() && holds(line[at]))
          ++at;
        token.text = line.slice(from, at).str();
      };
      if (c == '"') {
        if (!readQuoted(line, at, token))
          return false;
      } else if (c == ';' || c == ':') {
        token.text = c;
        ++at;
      } else if (StringRef("<>=!").contains(c)) {
        takeWhile([](char each) { return StringRef("<>=!").contains(each); });
      } else if (isBare(c)) {
        takeWhile(isBare);
      } else {
        return mistake(token.place, "'" + printable(StringRef(&c, 1)) + "' has no place in a schedule",
                       "names with other signs stand in quotes");
      }
      tokens.push_back(std::move(token));
    }
    return true;
  }

  const ScheduleToken *peek() const { return next < tokens.size() ? &tokens[next] : nullptr; }
  bool isNext(StringRef text) const { return peek() && !peek()->quoted && peek()->text == text; }
  bool take(StringRef text) { return isNext(text) ? (++next, true) : false; }
  bool atEndOfWord() const { return !peek() || isNext(";"); }
  SchedulePlace here() const { return peek() ? peek()->place : end; }

  /// A name, a loop or the like: anything but a sign.
  std::optional<ScheduleToken> name() {
    if (!peek() || (!peek()->quoted && StringRef(";:<>=!").contains(peek()->text.front())))
      return std::nullopt;
    return tokens[next++];
  }

  std::optional<int64_t> number(const llvm::Twine &of) {
    std::string found = peek() ? peek()->text : "";
    StringRef digits = found;
    int64_t value = 0;
    bool isWhole = !digits.empty() && !digits.ltrim('-').empty() && llvm::all_of(digits.ltrim('-'), llvm::isDigit);
    if (!isWhole) {
      mistake(here(), of + " wants a whole number" + (found.empty() ? "" : ", not '" + printable(found) + "'"),
              "as in tile rows 6 columns 32; unroll depth 4");
      return std::nullopt;
    }
    if (digits.getAsInteger(10, value) || value < 1 || value > largestNumber) {
      mistake(here(), of + " cannot be " + printable(found, 40),
              "a number in a schedule is from 1 to " + llvm::Twine(largestNumber));
      return std::nullopt;
    }
    ++next;
    return value;
  }

  //===--- for ... ------------------------------------------------------------===//

  void readRule() {
    ++next;
    // What is wrong with its head is told once; its statements are read all the same.
    ScheduleRule &rule = file.rules.emplace_back();
    rule.name.place = tokens[0].place;
    static constexpr StringRef kinds[] = {"op", "kind", "kernel"};
    auto by = peek() ? llvm::find(kinds, peek()->text) : std::end(kinds);
    if (by == std::end(kinds)) {
      mistake(here(), "what is it for?", "write for op NODE, for kind contraction, or for kernel k_...");
      rule.statements.emplace_back();
      return;
    }
    rule.by = ScheduleRule::By(by - std::begin(kinds));
    ++next;
    bool good = readName(rule) && readTarget(rule) && readConditions(rule);
    if (good && peek())
      mistake(here(), "'" + printable(peek()->text) + "' is not expected here",
              "behind the name there may be: on TARGET where LOOP >= NUMBER");
    if (!good)
      rule.statements.emplace_back();
  }

  bool readName(ScheduleRule &rule) {
    std::optional<ScheduleToken> token = name();
    if (!token)
      return mistake(here(), "a name is missing", "for op NODE, for kind contraction, or for kernel k_...");
    rule.name = *token;
    static constexpr StringRef kinds[] = {"contraction", "attention"};
    if (rule.by != ScheduleRule::By::Kind || llvm::is_contained(kinds, rule.name.text))
      return true;
    return mistake(rule.name.place, "there are no schedules for the kind '" + printable(rule.name.text) + "'",
                   meantOr(rule.name.text, kinds, "kinds are contraction and attention"));
  }

  bool readTarget(ScheduleRule &rule) {
    if (!take("on"))
      return true;
    rule.target = name();
    llvm::SmallVector<StringRef> known{"cpu"};
    llvm::append_range(known, targetNames());
    // What is adjusted has its changes behind the row's name.
    if (rule.target && llvm::is_contained(known, StringRef(rule.target->text).split(',').first))
      return true;
    return mistake(rule.target ? rule.target->place : here(), "no target of that name",
                   meantOr(rule.target ? rule.target->text : "", known, "targets are " + llvm::join(known, ", ")));
  }

  bool readConditions(ScheduleRule &rule) {
    if (!take("where"))
      return true;
    static constexpr StringRef relations[] = {">=", "<=", ">", "<", "=="};
    do {
      std::optional<ScheduleToken> loop = name();
      if (!loop || !peek() || !llvm::is_contained(relations, peek()->text))
        return mistake(here(), "a condition is LOOP >= NUMBER", "relations are >=, <=, >, < and ==");
      ScheduleCondition condition{*loop, tokens[next++].text};
      std::optional<int64_t> value = number("'" + printable(loop->text) + "'");
      if (!value)
        return false;
      condition.number = *value;
      rule.conditions.push_back(std::move(condition));
    } while (take("and"));
    return true;
  }

  //===--- statements -----------------------------------------------------------===//

  void readStatement() {
    std::optional<ScheduleToken> statement = name();
    if (!statement || !take(":")) {
      mistake(here(), "a statement is NAME: WORDS", "as in product: tile rows 6 columns 32; unroll depth 4");
      return;
    }
    if (file.rules.empty()) {
      mistake(statement->place, "it is not said what this is for",
              "begin with a line for op NODE, for kind contraction, or for kernel k_...");
      return;
    }
    ScheduleRule &rule = file.rules.back();
    ScheduledStatement &scheduled = rule.statements.emplace_back();
    scheduled.name = *statement;
    do {
      if (!peek())
        break; // a semicolon at the end does no harm
      if (!readWord(scheduled))
        return;
      if (!atEndOfWord()) {
        mistake(here(), "'" + printable(peek()->text) + "' is not expected here", "words are parted by semicolons");
        return;
      }
    } while (take(";"));
    if (scheduled.settings.empty())
      mistake(end, "nothing is said about '" + printable(statement->text) + "'", "write words behind the colon");
  }

  bool readWord(ScheduledStatement &statement) {
    bool off = take("no");
    std::optional<ScheduleToken> word = name();
    if (!word)
      return mistake(here(), "a word is missing", wordsText());
    const WordForm *form = llvm::find_if(forms, [&](const WordForm &each) { return each.word == word->text; });
    if (form == std::end(forms))
      return refuseWord(*word);
    if (off) {
      if (form->form != Form::Tensor && form->form != Form::Ahead)
        return mistake(word->place, "'" + word->text + "' cannot be left out", "no goes with pack and fetch");
      ScheduleSetting setting{*word, {}, true, {}, {}};
      take("ahead");
      if (std::optional<ScheduleToken> tensor = name())
        setting.subject = *tensor;
      statement.settings.push_back(std::move(setting));
      return true;
    }
    return readArguments(statement, *word, form->form);
  }

  bool readArguments(ScheduledStatement &statement, const ScheduleToken &word, Form form) {
    if (form == Form::Ahead && !take("ahead"))
      return mistake(here(), "'fetch' is followed by ahead", "as in fetch ahead w, or no fetch");
    if (form == Form::Nothing) {
      statement.settings.push_back({word, {}, false, {}, {}});
      return true;
    }
    do {
      std::optional<ScheduleToken> subject = name();
      if (!subject)
        return mistake(here(), "'" + word.text + "' of what?",
                       form == Form::Pairs         ? "a loop and a number: " + word.text + " rows 6"
                       : form == Form::Instruction ? "with pair16 or with byte4"
                                                   : "the tensor whose columns are read");
      ScheduleSetting setting{word, *subject, false, {}, {}};
      if (form == Form::Pairs || (form == Form::Tensor && take("by"))) {
        setting.numberPlace = here();
        setting.number = number("'" + word.text + " " + printable(subject->text) + "'");
        if (!setting.number)
          return false;
      }
      statement.settings.push_back(std::move(setting));
    } while (form == Form::Pairs && !atEndOfWord());
    return true;
  }

  static std::string wordsText() {
    return "words are " + llvm::join(llvm::map_range(forms, [](const WordForm &form) { return form.word; }), ", ");
  }

  bool refuseWord(const ScheduleToken &word) {
    for (const auto &foreign : foreignWords)
      if (foreign.word == word.text)
        return mistake(word.place, "'" + word.text + "' is no word of products and attention", foreign.why);
    llvm::SmallVector<StringRef> known;
    for (const WordForm &form : forms)
      known.push_back(form.word);
    return mistake(word.place, "unknown word '" + printable(word.text) + "'", meantOr(word.text, known, wordsText()));
  }

  StringRef rest;
  ScheduleFile &file;
  std::vector<ScheduleToken> tokens;
  size_t next = 0;
  SchedulePlace end;
};
} // namespace

ScheduleFile kumiko::parseSchedules(StringRef name, StringRef text) {
  ScheduleFile file;
  file.name = name.str();
  Reader(text, file).run();
  return file;
}
