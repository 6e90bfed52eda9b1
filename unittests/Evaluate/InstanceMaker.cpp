#include "InstanceMaker.h"
#include "kumiko/Support/Convert.h"

using namespace kumiko;
using namespace kumiko::test;

unsigned InstanceMaker::tensor(E type, Shape shape, eq::Tensor::Role role, unsigned number) {
  eq::Tensor tensor;
  tensor.name = "t" + std::to_string(instance.tensors.size());
  tensor.type.element = type;
  for (int64_t extent : shape)
    tensor.type.shape.push_back(extent);
  tensor.role = role;
  tensor.number = number;
  instance.tensors.push_back(std::move(tensor));
  return instance.tensors.size() - 1;
}

Expr &InstanceMaker::make(Expr::Kind kind, E type) {
  Expr *expr = new (instance.arena()) Expr();
  expr->kind = kind;
  expr->type = type;
  return *expr;
}

llvm::ArrayRef<Ex> InstanceMaker::keep(llvm::ArrayRef<Ex> list) { return list.copy(instance.arena()); }

Ex InstanceMaker::loop(unsigned number) {
  Expr &expr = make(Expr::Kind::Loop, E::Index);
  expr.loop = number;
  return &expr;
}

Ex InstanceMaker::integer(int64_t value, E type) {
  Expr &expr = make(Expr::Kind::Integer, type);
  expr.integer = value;
  return &expr;
}

Ex InstanceMaker::real(double value, E type) {
  Expr &expr = make(Expr::Kind::Real, type);
  expr.real = value;
  return &expr;
}

Ex InstanceMaker::read(unsigned tensor, llvm::ArrayRef<Ex> indices, Ex otherwise) {
  Expr &expr = make(Expr::Kind::Read, instance.tensors[tensor].type.element);
  expr.tensor = tensor;
  expr.operands = keep(indices);
  expr.otherwise = otherwise;
  return &expr;
}

Ex InstanceMaker::cast(Ex value, E type) {
  Expr &expr = make(Expr::Kind::Cast, type);
  expr.operands = keep({value});
  return &expr;
}

Ex InstanceMaker::select(Ex condition, Ex yes, Ex no) {
  Expr &expr = make(Expr::Kind::Select, yes->type);
  expr.operands = keep({condition, yes, no});
  return &expr;
}

Ex InstanceMaker::apply(Function function, llvm::ArrayRef<Ex> operands) {
  bool isPredicate = function == Function::IsNan || function == Function::IsInf ||
                     (function >= Function::Eq && function <= Function::Ge);
  Expr &expr = make(Expr::Kind::Apply, isPredicate ? E::B1 : operands[0]->type);
  expr.function = function;
  expr.operands = keep(operands);
  return &expr;
}

eq::Statement &InstanceMaker::statement(Shape loops, unsigned kept, Combine combine, unsigned target,
                                        llvm::ArrayRef<Ex> indices, Ex value) {
  eq::Statement statement;
  for (auto [number, extent] : llvm::enumerate(loops))
    statement.loops.push_back({"l" + std::to_string(number), extent});
  statement.kept = kept;
  statement.combine = combine;
  statement.targets.push_back({target, llvm::SmallVector<Ex, 4>(indices)});
  statement.values.push_back(value);
  statement.text = "statement " + std::to_string(instance.statements.size());
  instance.statements.push_back(std::move(statement));
  return instance.statements.back();
}

Tensor test::tensorOf(E type, Shape shape, llvm::ArrayRef<double> values) {
  Tensor tensor = llvm::cantFail(Tensor::zeros(type, shape));
  EXPECT_EQ(tensor.count(), int64_t(values.size()));
  convertElements(reinterpret_cast<const uint8_t *>(values.data()), E::F64, tensor.mutableData(), type, tensor.count());
  return tensor;
}

Tensor test::sequence(E type, Shape shape, double from, int64_t period) {
  std::vector<double> values(llvm::cantFail(elementCount(shape)));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = from + double(int64_t(i) % period);
  return tensorOf(type, shape, values);
}

std::vector<double> test::valuesOf(const Tensor &tensor) {
  std::vector<double> values;
  for (int64_t i = 0; i < tensor.count(); ++i)
    values.push_back(valueAt(tensor, i));
  return values;
}

Tensor test::run(const eq::Instance &instance, llvm::ArrayRef<const Tensor *> operands, Precision precision) {
  auto results = evaluate(instance, operands, precision);
  if (!results) {
    ADD_FAILURE() << llvm::toString(results.takeError());
    return Tensor();
  }
  return std::move(results->front());
}

std::string test::refusal(const eq::Instance &instance, llvm::ArrayRef<const Tensor *> operands, Limits limits) {
  auto results = evaluate(instance, operands, Precision::Declared, limits);
  return results ? "" : llvm::toString(results.takeError());
}
