#include "kumiko/Schedule/ScheduleLimits.h"
#include "kumiko/Schedule/Model.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace kumiko;

/// Steps in depth that are written one behind the other. More make code that no cache holds, and no core gains by them.
constexpr int64_t mostUnrolled = 16;

namespace {
/// One product of a kernel, with the numbers that are its own.
struct Product {
  unsigned number; ///< among the kernel's statements
  const KernelStatement &statement;
  const ContractionShape &shape;
  int64_t lanes, tileRows, panelColumns, tilePanels;

  int64_t vectors() const { return panelColumns / lanes * tilePanels * shape.parts; }
};

class Limits {
public:
  explicit Limits(const ProposedSchedule &proposed) : p(proposed), s(proposed.schedule) {}

  std::optional<ScheduleLimit> run() {
    if (p.shape.kind == KernelKind::Contraction)
      checkContraction();
    if (p.shape.kind == KernelKind::Attention)
      checkAttention();
    if (!found)
      checkScratch();
    return std::move(found);
  }

private:
  void refuse(unsigned statement, StringRef word, Subject subject, std::string message, std::string help) {
    if (!found)
      found = ScheduleLimit{statement, word, subject, std::move(message), std::move(help)};
  }

  void checkContraction() {
    const ContractionShape &shape = p.shape.contraction;
    Product product{0, p.statements[0], shape, s.lanes, s.tileRows, s.panelColumns, s.tilePanels};
    checkVectors(product);
    checkInstruction(shape);
    if (s.packed && !p.packable)
      refuse(0, "pack", Subject::Operand, "these columns cannot be packed",
             "only a constant that nothing else reads is packed when compiling");
    if (s.prefetch && (!s.packed || shape.isInteger()))
      refuse(0, "fetch", Subject::Operand, "only packed columns of floats are fetched ahead",
             "write no fetch, or pack them, too");
    checkTile(product);
    checkUnroll(product);
    checkRowChunks(product);
    checkColumnChunks(product);
    Extent batch = shape.extentOf(shape.batch);
    if (s.chunkBatch > 1 && (!batch.isStatic() || s.chunkBatch > batch.value()))
      refuse(0, "chunk", Subject::Batch,
             llvm::formatv("a chunk of {0} products is larger than the batch, {1}", s.chunkBatch, batch.str()),
             "the number of products in a chunk is at most that of the batch, which must be known when compiling");
  }

  void checkAttention() {
    const ContractionShape &scores = p.shape.attention.scores, &values = p.shape.attention.values;
    unsigned last = p.statements.size() - 1;
    Product first{0, p.statements[0], scores, s.lanes, s.tileRows, s.panelColumns, s.tilePanels};
    Product second{last, p.statements[last], values, s.lanes, s.tileRows, s.valuePanelColumns, s.valueTilePanels};
    checkTile(first);
    checkTile(second);
    checkUnroll(first);
    checkRowChunks(first);
  }

  void checkVectors(const Product &product) {
    int64_t whole = lanesOf(product.shape, p.target);
    bool fits = s.lanes == whole || (2 * s.lanes == whole && canHalveLanes(product.shape, p.target));
    if (!fits)
      refuse(0, "vectorize", Subject::Columns, llvm::formatv("vectors of {0} are not to be had", s.lanes),
             canHalveLanes(product.shape, p.target)
                 ? llvm::formatv("this machine's hold {0}; {1} may be used of them", whole, whole / 2).str()
                 : llvm::formatv("for this product they hold {0} on this machine", whole).str());
  }

  void checkInstruction(const ContractionShape &shape) {
    if (!shape.isInteger() || s.depthGroup != 4)
      return;
    if (shape.rowBits != 8 || shape.columnBits != 8)
      refuse(0, "with", Subject::Instruction, "byte4 multiplies bytes, and this product has wider integers",
             "write with pair16");
    else if (!p.target.has(DotForm::Byte4))
      refuse(0, "with", Subject::Instruction, "this machine has no instruction that adds four products of bytes",
             "write with pair16");
  }

  void checkTile(const Product &product) {
    const ContractionShape &shape = product.shape;
    Extent rows = shape.extentOf(shape.rows), columns = shape.partColumns();
    unsigned n = product.number;
    std::string columnsName = product.statement.nameOf(Subject::Columns);
    StringRef word = s.packed && n == 0 && p.shape.kind == KernelKind::Contraction ? "pack" : "split";
    Subject panel = word == "pack" ? Subject::Operand : Subject::Columns;
    if (product.panelColumns % product.lanes != 0)
      return refuse(n, word, panel,
                    llvm::formatv("a panel of {0} columns is no whole number of vectors of {1}", product.panelColumns,
                                  product.lanes),
                    llvm::formatv("write a multiple of {0}", product.lanes));
    int64_t widest = columns.isStatic() ? llvm::alignTo(columns.value(), product.lanes) : product.panelColumns;
    if (product.panelColumns > widest)
      return refuse(n, word, panel,
                    llvm::formatv("a panel of {0} columns is larger than the loop {1}, {2}", product.panelColumns,
                                  columnsName, columns.str()),
                    llvm::formatv("at most {0} here", widest));
    if (rows.isStatic() && product.tileRows > std::max<int64_t>(rows.value(), 1))
      return refuse(n, "tile", Subject::Rows,
                    llvm::formatv("a tile of {0} rows is larger than the loop {1}, {2}", product.tileRows,
                                  product.statement.nameOf(Subject::Rows), rows.str()),
                    llvm::formatv("at most {0} here", rows.str()));
    if (!columns.isStatic() && product.tilePanels != 1)
      return refuse(n, "tile", Subject::Columns, "how many columns there are is known only at run time",
                    llvm::formatv("a tile is one panel then: write {0}", product.panelColumns));
    int64_t most = columns.isStatic() ? llvm::alignTo(columns.value(), product.panelColumns) : product.panelColumns;
    if (product.tilePanels * product.panelColumns > most)
      return refuse(n, "tile", Subject::Columns,
                    llvm::formatv("a tile of {0} columns is larger than the loop {1}, {2}",
                                  product.tilePanels * product.panelColumns, columnsName, columns.str()),
                    llvm::formatv("at most {0} here, whole panels", most));
    checkRegisters(product);
  }

  /// Sums, a vector of columns and a row's number stay in registers. Few rows of an open number go one at a time, over
  /// more panels.
  void checkRegisters(const Product &product) {
    int64_t needed = product.tileRows * product.vectors() + 2;
    if (needed > int64_t(p.target.vectorRegisters))
      refuse(product.number, "tile", Subject::Rows,
             llvm::formatv("{0} registers of {1}: {2} rows of {3} vectors, one of columns and one of the rows", needed,
                           int64_t(p.target.vectorRegisters), product.tileRows, product.vectors()),
             "sums that do not stay in registers are stored and read again at every step: write a smaller tile");
  }

  void checkUnroll(const Product &product) {
    if (s.depthUnroll > mostUnrolled)
      refuse(product.number, "unroll", Subject::Depth,
             llvm::formatv("{0} steps one behind the other are too much code", s.depthUnroll),
             llvm::formatv("at most {0}", mostUnrolled));
  }

  void checkRowChunks(const Product &product) {
    Extent rows = product.shape.extentOf(product.shape.rows);
    if (rows.isStatic()) {
      int64_t blocks = BalancedBlocks(rows.value(), s.tileRows).count;
      if (s.chunkRowBlocks > std::max<int64_t>(blocks, 1))
        refuse(product.number, "chunk", Subject::Rows,
               llvm::formatv("a chunk of {0} tiles is larger than there are, {1}", s.chunkRowBlocks, blocks),
               llvm::formatv("at most {0} here", blocks));
    } else if (s.chunkRowBlocks < s.tileRows - 2) {
      // Until the number of rows comes out even, tiles overlap, and then one chunk must have them.
      refuse(product.number, "chunk", Subject::Rows,
             llvm::formatv("a chunk of {0} tiles is too small for tiles of {1} rows", s.chunkRowBlocks, s.tileRows),
             llvm::formatv("how many rows there are is known only at run time: at least {0} tiles", s.tileRows - 2));
    }
  }

  void checkColumnChunks(const Product &product) {
    Extent columns = product.shape.partColumns();
    if (!columns.isStatic())
      return;
    int64_t tile = s.panelColumns * s.tilePanels, tiles = llvm::divideCeil(columns.value(), tile);
    if (s.chunkPanels / s.tilePanels > std::max<int64_t>(tiles, 1))
      refuse(0, "chunk", Subject::Columns,
             llvm::formatv("a chunk of {0} tiles is larger than there are, {1}", s.chunkPanels / s.tilePanels, tiles),
             llvm::formatv("at most {0} here", tiles));
  }

  void checkScratch() {
    if (!s.scratchBytes.isStatic())
      return;
    // What the model itself takes is allowed in any case.
    int64_t most = p.target.budget(2);
    if (p.analytic.scratchBytes.isStatic())
      most = std::max(most, p.analytic.scratchBytes.value());
    if (s.scratchBytes.value() > most)
      refuse(0, "chunk", Subject::Rows,
             llvm::formatv("scratch of {0} bytes above {1}, what the second-level cache holds", s.scratchBytes.value(),
                           most),
             "write smaller chunks");
  }

  const ProposedSchedule &p;
  const Schedule &s;
  std::optional<ScheduleLimit> found;
};
} // namespace

void kumiko::fitChunks(Schedule &schedule, const ContractionShape &shape, bool rowsWritten, bool columnsWritten) {
  Extent rows = shape.extentOf(shape.rows), columns = shape.partColumns();
  if (!rowsWritten && rows.isStatic())
    schedule.chunkRowBlocks = std::clamp<int64_t>(BalancedBlocks(rows.value(), schedule.tileRows).count, 1,
                                                  std::max<int64_t>(schedule.chunkRowBlocks, 1));
  else if (!rowsWritten)
    schedule.chunkRowBlocks = std::max(schedule.chunkRowBlocks, schedule.tileRows - 2);
  if (columnsWritten || !columns.isStatic())
    return;
  int64_t tiles = llvm::divideCeil(columns.value(), schedule.panelColumns * schedule.tilePanels);
  schedule.chunkPanels = std::min(schedule.chunkPanels, std::max<int64_t>(tiles, 1) * schedule.tilePanels);
}

std::optional<ScheduleLimit> kumiko::checkLimits(const ProposedSchedule &proposed) { return Limits(proposed).run(); }
