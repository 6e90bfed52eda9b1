#include "kumiko/CApi/Handles.h"
#include "kumiko/Emit/Table.h"
#include "llvm/Support/JSON.h"

using namespace kumiko;

uint32_t kumiko_compiler_interface(void) { return KUMIKO_COMPILER_INTERFACE; }

const char *kumiko_compiler_version(void) { return producer().data(); }

int kumiko::answerOf(const Problem &problem) {
  return problem.code == cancelledCode ? int(KUMIKO_STOPPED) : int(faultOf(problem.code));
}

Said::Said(kumiko_problems *caller) : caller(caller) {
  if (!caller)
    return;
  caller->list = ProblemList();
  caller->operands.clear();
}

int Said::answer(int otherwise) {
  int result = list.hasErrors() ? list.exitCode() : otherwise;
  // What was stopped may have met errors on the way out; the caller's wish goes before them.
  if (llvm::any_of(list.all(), [](const Problem &problem) { return problem.code == cancelledCode; }))
    result = KUMIKO_STOPPED;
  if (caller)
    caller->list = std::move(list);
  return result;
}

int Said::refuse(const llvm::Twine &what) {
  list.add(Code::BadOption, what).helped("include/kumiko/compiler.h says what the function wants");
  return answer();
}

void kumiko::give(kumiko_bytes **place, std::string text) { *place = new kumiko_bytes{std::move(text)}; }

std::string kumiko::textOf(llvm::function_ref<void(llvm::raw_ostream &)> write) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  write(stream);
  return text;
}

kumiko_problems *kumiko_problems_create(void) { return new kumiko_problems(); }

void kumiko_problems_destroy(kumiko_problems *problems) { delete problems; }

uint64_t kumiko_problems_count(const kumiko_problems *problems) { return problems ? problems->list.all().size() : 0; }

/// The operands of a problem in the form of C; made when they are asked for, and kept.
static llvm::ArrayRef<kumiko_operand> operandsOf(const kumiko_problems &problems, uint64_t number) {
  if (problems.operands.size() <= number)
    problems.operands.resize(number + 1);
  std::vector<kumiko_operand> &operands = problems.operands[number];
  if (operands.empty())
    for (const Problem::Operand &operand : problems.list.all()[number].operands)
      operands.push_back({operand.name.c_str(), operand.type.c_str(), operand.origin.c_str()});
  return operands;
}

int kumiko_problems_get(const kumiko_problems *problems, uint64_t number, kumiko_problem *problem) {
  if (!problems || !problem || number >= problems->list.all().size())
    return KUMIKO_BAD_CALL;
  const Problem &from = problems->list.all()[number];
  llvm::ArrayRef<kumiko_operand> operands = operandsOf(*problems, number);
  kumiko_problem to = {};
  to.struct_bytes = problem->struct_bytes;
  to.code = uint32_t(from.code);
  to.severity = from.warning ? KUMIKO_WARNING : KUMIKO_ERROR;
  to.answer = uint32_t(answerOf(from));
  to.message = from.what.c_str();
  to.file = from.place.file.c_str();
  to.node = from.place.node ? int64_t(*from.place.node) : -1;
  to.name = from.place.name.c_str();
  to.op = from.place.op.c_str();
  to.opset = from.place.opset.value_or(-1);
  to.within = from.place.within.c_str();
  to.operand_count = operands.size();
  to.operands = operands.data();
  to.help = from.help.c_str();
  std::memcpy(problem, &to, std::min<size_t>(problem->struct_bytes, sizeof(to)));
  return KUMIKO_YES;
}

const char *kumiko_problems_text(kumiko_problems *problems) {
  if (!problems)
    return "";
  problems->text = textOf([&](llvm::raw_ostream &os) { problems->list.print(os); });
  return problems->text.c_str();
}

const char *kumiko_problems_json(kumiko_problems *problems) {
  if (!problems)
    return "{}";
  problems->json = textOf([&](llvm::raw_ostream &os) { os << problems->list.json(); });
  return problems->json.c_str();
}

const char *kumiko_bytes_data(const kumiko_bytes *bytes) { return bytes ? bytes->content.c_str() : ""; }

uint64_t kumiko_bytes_size(const kumiko_bytes *bytes) { return bytes ? bytes->content.size() : 0; }

void kumiko_bytes_destroy(kumiko_bytes *bytes) { delete bytes; }
