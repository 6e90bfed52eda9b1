#include "kumiko/Evaluate/Irregular/Irregular.h"
#include "kumiko/Support/Convert.h"
#include <map>

using namespace kumiko;

using Gram = std::vector<int64_t>;

/// Each n-gram of the pool and its column.
static std::map<Gram, int64_t> readPool(nn::NgramCountOp op) {
  llvm::ArrayRef<int64_t> pool = op.getPool(), starts = op.getStarts(), columns = op.getColumns();
  std::map<Gram, int64_t> grams;
  size_t number = 0;
  for (size_t length = 1; length <= starts.size(); ++length) {
    size_t end = length < starts.size() ? starts[length] : pool.size();
    for (size_t start = starts[length - 1]; start < end; start += length)
      grams[Gram(pool.begin() + start, pool.begin() + start + length)] = columns[number++];
  }
  return grams;
}

llvm::Expected<Tensors> kumiko::evaluate(nn::NgramCountOp op, const IrregularRun &run) {
  const Tensor &x = run.operand(0);
  int64_t rows = x.shape()[0], words = x.shape()[1];
  int64_t columns = *llvm::max_element(op.getColumns()) + 1;
  auto room = run.result(op.getY().getType(), {rows, columns}); // refuses what is too large before any work
  if (!room)
    return room.takeError();
  std::map<Gram, int64_t> grams = readPool(op);
  std::vector<double> counts(rows * columns);
  // Longer ones are not in the pool; with larger gaps even two words do not fit the row.
  int64_t longest = std::min<int64_t>(op.getLongest(), op.getStarts().size());
  int64_t widest = std::min<int64_t>(std::max<int64_t>(op.getSkips(), 0), words) + 1;
  if (llvm::Error error = run.checkWork(double(rows) * words * double(widest) * double(longest) * double(longest)))
    return std::move(error);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t length = std::max<int64_t>(op.getShortest(), 1); length <= longest; ++length)
      // A single word has no gaps: it is counted once.
      for (int64_t step = 1; step <= (length == 1 ? 1 : widest); ++step)
        for (int64_t start = 0; start + (length - 1) * step < words; ++start) {
          Gram gram;
          for (int64_t i = 0; i < length; ++i)
            gram.push_back(integerAt(x, row * words + start + i * step));
          if (auto known = grams.find(gram); known != grams.end())
            ++counts[row * columns + known->second];
        }
  return only(run.result(op.getY().getType(), {rows, columns}, counts));
}
