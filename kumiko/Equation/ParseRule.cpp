//===- ParseRule.cpp - reads files of rewrite rules ------------------------===//
#include "kumiko/Equation/Lexer.h"
#include "kumiko/Equation/Rule.h"
#include <limits>

namespace kumiko::eq {

static constexpr llvm::StringLiteral classNames[] = {"exact", "rounding", "approximate", "lossy"};

llvm::StringRef nameOf(RuleClass kind) { return classNames[unsigned(kind)]; }

std::optional<RuleClass> ruleClassNamed(llvm::StringRef name) {
  const auto *found = llvm::find(classNames, name);
  return found == std::end(classNames) ? std::nullopt : std::optional(RuleClass(found - std::begin(classNames)));
}

namespace {

/// Terms within terms; a rule that nests deeper is a mistake.
constexpr unsigned maxDepth = 30;

class RuleParser {
public:
  RuleParser(std::shared_ptr<SourceFile> file, DiagnosticSink &sink)
      : file(std::move(file)), sink(sink), tokens(lex(*this->file, sink)) {}

  std::vector<RuleDef> run() {
    std::vector<RuleDef> rules;
    for (;;) {
      while (here().kind == Token::Kind::Newline)
        ++position;
      if (here().kind == Token::Kind::End)
        return rules;
      failed = false;
      RuleDef rule = parseRule();
      if (failed)
        skip();
      else
        rules.push_back(std::move(rule));
    }
  }

private:
  const Token &here() const { return tokens[position]; }
  const Token &next() const { return tokens[std::min(position + 1, tokens.size() - 1)]; }
  bool accept(llvm::StringRef text) {
    bool found = here().is(text);
    position += found;
    return found;
  }
  void fail(const llvm::Twine &message, const llvm::Twine &help = {}) {
    if (!failed)
      sink.error(here().range, message, help);
    failed = true;
  }
  void expect(llvm::StringRef text) {
    if (!failed && !accept(text))
      fail("expected '" + text + "', found '" + here().text + "'");
  }
  llvm::StringRef name(llvm::StringRef what) {
    if (here().kind != Token::Kind::Name)
      return fail("expected " + what + ", found '" + here().text + "'"), llvm::StringRef();
    return tokens[position++].text;
  }
  llvm::StringRef string(llvm::StringRef what) {
    if (here().kind != Token::Kind::String)
      return fail("expected " + what + " in quotes, found '" + here().text + "'"), llvm::StringRef();
    return tokens[position++].text.drop_front().drop_back();
  }
  /// To the next line that begins a rule.
  void skip() {
    while (here().kind != Token::Kind::End && !(here().startsLine && ruleClassNamed(here().text)))
      ++position;
  }
  llvm::StringRef textFrom(uint32_t begin) const {
    return llvm::StringRef(file->text).slice(begin, tokens[position - 1].range.end);
  }

  RuleDef parseRule();
  void parseClauses(RuleDef &rule);
  RuleTerm term(unsigned depth = 0);
  RuleTerm number();
  RuleValue value(unsigned depth = 0);
  RuleValue product(unsigned depth);
  RuleValue primary(unsigned depth);
  llvm::SmallVector<llvm::StringRef, 2> docAbove(uint32_t begin) const;

  std::shared_ptr<SourceFile> file;
  DiagnosticSink &sink;
  llvm::SmallVector<Token, 0> tokens;
  size_t position = 0;
  bool failed = false;
};

llvm::SmallVector<llvm::StringRef, 2> RuleParser::docAbove(uint32_t begin) const {
  llvm::SmallVector<llvm::StringRef, 2> lines;
  llvm::StringRef above = llvm::StringRef(file->text).take_front(begin);
  while (above.consume_back("\n")) {
    size_t start = above.rfind('\n') + 1; // npos + 1 is 0
    llvm::StringRef line = above.substr(start);
    if (!line.consume_front("#"))
      break;
    lines.push_back(line.trim());
    above = above.take_front(start);
  }
  std::reverse(lines.begin(), lines.end());
  return lines;
}

RuleDef RuleParser::parseRule() {
  RuleDef rule;
  rule.range = here().range;
  rule.file = file;
  rule.doc = docAbove(here().range.begin);
  std::optional<RuleClass> kind = ruleClassNamed(here().text);
  if (!kind) {
    fail("expected a rule, found '" + here().text + "'", "a rule is written `exact name: left = right`");
    ++position;
    return rule;
  }
  rule.kind = *kind;
  ++position;
  rule.name = name("the name of a rule");
  expect(":");
  if (failed)
    return rule;
  if (here().kind == Token::Kind::String) {
    rule.title = string("the equation");
  } else {
    uint32_t begin = here().range.begin;
    rule.left = term();
    expect("=");
    if (failed)
      return rule;
    rule.right = term();
    if (!failed)
      rule.title = textFrom(begin);
  }
  parseClauses(rule);
  bool isText = rule.left.kind == RuleTerm::Kind::Apply;
  if (!failed && isText == rule.isCode())
    fail(isText ? "a rule of terms has no pass of its own" : "a rule needs two terms, or a title and `by` a pass");
  if (!failed && rule.isCode() == rule.test.empty())
    fail("a rule in C++ says what it is `tested` by, others are tested by themselves");
  return rule;
}

void RuleParser::parseClauses(RuleDef &rule) {
  while (!failed) {
    size_t line = position;
    while (here().kind == Token::Kind::Newline)
      ++position;
    if (accept("when")) {
      do {
        RuleCondition condition;
        condition.range = here().range;
        condition.name = name("a condition");
        if (accept("(")) {
          do
            condition.arguments.push_back(value());
          while (!failed && accept(","));
          expect(")");
        }
        condition.text = textFrom(condition.range.begin);
        rule.when.push_back(std::move(condition));
      } while (!failed && accept(","));
    } else if (accept("by")) {
      rule.pass = string("the flag of a pass");
    } else if (accept("tested")) {
      rule.test = string("the name of a test");
    } else if (accept("try")) {
      do {
        RuleTerm::Attribute sample;
        sample.name = name("a variable");
        expect(":");
        sample.value = value();
        rule.samples.push_back(std::move(sample));
      } while (!failed && accept(","));
    } else {
      position = line;
      if (here().kind != Token::Kind::Newline && here().kind != Token::Kind::End)
        fail("unexpected '" + here().text + "' after a rule");
      return;
    }
  }
}

RuleTerm RuleParser::number() {
  RuleTerm result;
  result.kind = RuleTerm::Kind::Number;
  result.range = here().range;
  bool negative = accept("-");
  llvm::StringRef text = tokens[position++].text;
  if (text == "inf")
    result.number = std::numeric_limits<double>::infinity();
  else if (text == "true" || text == "false")
    result.number = text == "true";
  else if (text.getAsDouble(result.number))
    --position, fail("expected a number, found '" + text + "'");
  if (negative)
    result.number = -result.number;
  return result;
}

RuleTerm RuleParser::term(unsigned depth) {
  RuleTerm result;
  result.range = here().range;
  if (depth > maxDepth)
    return fail("terms are nested too deep"), result;
  bool isWord = here().kind == Token::Kind::Name && !here().is("inf") && !here().is("true") && !here().is("false");
  if (!isWord)
    return number();
  result.name = tokens[position++].text;
  if (!accept("("))
    return result;
  result.kind = RuleTerm::Kind::Apply;
  while (!failed && !accept(")")) {
    if (accept("...")) {
      result.rest = true;
    } else if (here().kind == Token::Kind::Name && next().is(":")) {
      RuleTerm::Attribute attribute;
      attribute.name = name("an attribute");
      ++position;
      attribute.value = value();
      result.attributes.push_back(std::move(attribute));
    } else {
      result.operands.push_back(term(depth + 1));
    }
    if (!here().is(")"))
      expect(",");
  }
  return result;
}

RuleValue RuleParser::primary(unsigned depth) {
  RuleValue result;
  result.range = here().range;
  if (depth > maxDepth)
    return fail("values are nested too deep"), result;
  if (here().kind == Token::Kind::String) {
    result.kind = RuleValue::Kind::String;
    result.text = string("a word");
  } else if (accept("true") || accept("false")) {
    result.kind = RuleValue::Kind::Bool;
    result.integer = tokens[position - 1].is("true");
  } else if (accept("[")) {
    result.kind = RuleValue::Kind::List;
    while (!failed && !accept("]")) {
      result.operands.push_back(value(depth + 1));
      if (!here().is("]"))
        expect(",");
    }
  } else if (here().kind == Token::Kind::Name) {
    result.text = name("a name");
    result.kind = RuleValue::Kind::Name;
    if (accept("(")) {
      result.kind = RuleValue::Kind::Call;
      do
        result.operands.push_back(value(depth + 1));
      while (!failed && accept(","));
      expect(")");
    }
  } else {
    bool negative = accept("-");
    if (here().kind != Token::Kind::Integer || here().text.getAsInteger(10, result.integer))
      return fail("expected a value, found '" + here().text + "'"), result;
    ++position;
    if (negative)
      result.integer = -result.integer;
  }
  while (!failed && accept("[")) {
    RuleValue pick;
    pick.kind = RuleValue::Kind::Pick;
    pick.range = result.range;
    pick.operands.push_back(std::move(result));
    pick.operands.push_back(value(depth + 1));
    expect("]");
    result = std::move(pick);
  }
  return result;
}

static RuleValue joined(RuleValue a, char op, RuleValue b) {
  RuleValue result;
  result.kind = RuleValue::Kind::Binary;
  result.op = op;
  result.range = {a.range.begin, b.range.end};
  result.operands.push_back(std::move(a));
  result.operands.push_back(std::move(b));
  return result;
}

RuleValue RuleParser::product(unsigned depth) {
  RuleValue result = primary(depth);
  while (!failed && accept("*"))
    result = joined(std::move(result), '*', primary(depth));
  return result;
}

RuleValue RuleParser::value(unsigned depth) {
  RuleValue result = product(depth);
  while (!failed && (here().is("+") || here().is("-"))) {
    char op = tokens[position++].text.front();
    result = joined(std::move(result), op, product(depth));
  }
  return result;
}

} // namespace

RuleFile parseRules(llvm::StringRef name, llvm::StringRef text) {
  RuleFile result;
  result.parsed.name = name.str();
  result.parsed.text = text.str();
  auto file = std::make_shared<SourceFile>();
  file->name = result.parsed.name;
  file->text = result.parsed.text;
  DiagnosticSink sink(result.parsed.text, result.parsed.diagnostics);
  result.rules = RuleParser(file, sink).run();
  return result;
}

} // namespace kumiko::eq
