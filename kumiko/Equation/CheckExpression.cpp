#include "kumiko/Equation/Builtin.h"
#include "kumiko/Equation/Checker.h"

namespace kumiko::eq {
namespace {

void checkTuple(const Node &tuple, DiagnosticSink &sink) {
  for (const Item &part : tuple.items)
    if (part.value->kind != Node::Kind::Name || part.value->binding != Node::Binding::Index || part.at)
      sink.error(part.range, "a part of a tuple must be an index",
                 "`(g, c)` splits one dimension; arithmetic goes outside the parentheses");
}

void checkRead(const OpDef &op, const Node &read, DiagnosticSink &sink) {
  const TensorSymbol &tensor = op.tensors[read.number];
  bool variadic = tensor.role == TensorSymbol::Role::Operand && op.operands[tensor.number].variadic;
  if (read.nth && !variadic)
    sink.error(read.range, "'" + read.text + "' is not variadic",
               "only an operand declared `" + read.text + "...` has a number");
  for (const Item &item : read.items) {
    if (item.pack && item.value->kind == Node::Kind::Tuple)
      sink.error(item.range, "a tuple is one index and takes no `...`", "put `...` inside: `(i...)`");
    if (item.at && !item.at->constant)
      sink.error(item.at->range, "a position must be known when the op is applied", "use attributes and numbers");
  }
}

/// The tensor that `dim(x, 0)` asks about.
void checkNamedTensor(const OpDef &op, const Node &call, DiagnosticSink &sink) {
  if (call.items.empty())
    return;
  const Node &tensor = *call.items[0].value;
  if (tensor.kind != Node::Kind::Read || !tensor.items.empty() || tensor.otherwise) {
    sink.error(call.items[0].range, "'" + call.text + "' asks about a tensor", "write " + call.text + "(x, ...)");
    return;
  }
  const TensorSymbol &symbol = op.tensors[tensor.number];
  bool isOperand = symbol.role == TensorSymbol::Role::Operand;
  bool variadic = isOperand && op.operands[symbol.number].variadic;
  bool wantsVariadic = call.builtin == Builtin::Count || call.builtin == Builtin::Offset;
  if (wantsVariadic && !variadic)
    sink.error(tensor.range, "'" + tensor.text + "' is not variadic");
  if (!wantsVariadic && variadic && !tensor.nth)
    sink.error(tensor.range, "'" + tensor.text + "' is a list of operands", "write `" + tensor.text + "[v]`");
  if (call.builtin == Builtin::Present && (!isOperand || !op.operands[symbol.number].optional))
    sink.error(tensor.range, "'" + tensor.text + "' is always present",
               "only operands declared with `?` can be absent");
}

void checkType(const Node &node, DiagnosticSink &sink) {
  bool named = node.binding == Node::Binding::Type || node.kind == Node::Kind::String ||
               (node.kind == Node::Kind::Name && node.binding == Node::Binding::Attribute);
  if (!named)
    sink.error(node.range, "expected a type",
               "a type is f32, i64, ..., a type variable or an attribute of type `type`");
}

void checkArguments(const OpDef &op, const Node &call, DiagnosticSink &sink) {
  for (const Item &item : call.items) {
    if (item.at)
      sink.error(item.range, "`at` belongs into an index list, not into a call");
    if (item.pack && call.builtin != Builtin::All)
      sink.error(item.range, "`...` in a call is only for all(...)", "end the whole item of the index list with `...`");
  }
  if (namesTensor(call.builtin))
    checkNamedTensor(op, call, sink);
  switch (call.builtin) {
  case Builtin::All:
    if (!call.items[0].pack)
      sink.error(call.items[0].range, "all(...) takes a pack", "write all(condition...)");
    break;
  case Builtin::Pos:
    if (call.items[0].value->kind != Node::Kind::Read || call.items[0].value->otherwise)
      sink.error(call.items[0].range, "pos(...) takes a read without `else`", "write pos(x(i, j))");
    break;
  case Builtin::Lowest:
  case Builtin::Highest:
    checkType(*call.items[0].value, sink);
    break;
  case Builtin::Cast:
    if (call.items.size() == 2)
      checkType(*call.items[1].value, sink);
    break;
  default:
    break;
  }
}

void checkCall(const OpDef &op, const Node &call, DiagnosticSink &sink) {
  bool conversion = call.binding != Node::Binding::None;
  const BuiltinInfo *info = conversion ? nullptr : findBuiltin(call.text);
  if (!conversion && !info)
    return; // reported when its name was looked up
  unsigned least = conversion ? 1 : info->minArity, most = conversion ? 1 : info->maxArity;
  if (call.items.size() >= least && call.items.size() <= most)
    return checkArguments(op, call, sink);
  std::string wanted = least == most ? std::to_string(least) : std::to_string(least) + " or " + std::to_string(most);
  sink.error(call.range, "'" + call.text + "' takes " + wanted + (most == 1 ? " argument" : " arguments") + ", found " +
                             llvm::Twine(call.items.size()));
}

} // namespace

void checkExpression(const OpDef &op, const Node &node, DiagnosticSink &sink) {
  switch (node.kind) {
  case Node::Kind::Tuple:
    return checkTuple(node, sink);
  case Node::Kind::Read:
    return checkRead(op, node, sink);
  case Node::Kind::Call:
    return checkCall(op, node, sink);
  default:
    return;
  }
}

} // namespace kumiko::eq
