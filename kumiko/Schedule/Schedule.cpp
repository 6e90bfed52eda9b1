//===- Schedule.cpp - the schedule as an attribute -------------------------===//
#include "kumiko/Schedule/Schedule.h"
#include "kumiko/Kernel/Pieces.h"
#include "kumiko/Nn/Extents.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace kumiko;

static StringRef nameOf(KernelKind kind) {
  switch (kind) {
  case KernelKind::Contraction:
    return "contraction";
  case KernelKind::Rows:
    return "rows";
  case KernelKind::Attention:
    return "attention";
  case KernelKind::Scatter:
    return "scatter";
  case KernelKind::Running:
    return "running";
  case KernelKind::Points:
    return "points";
  case KernelKind::Routine:
    return "routine";
  case KernelKind::Plain:
    return "plain";
  }
  llvm_unreachable("all kinds are listed");
}

static Extent groupsOf(const Extent &total, int64_t each, int64_t perGroup) {
  Extent groups = ceilDiv(ceilDiv(total, each), perGroup);
  return groups.isStatic() ? groups : max(groups, 1);
}

Extent kumiko::rowGroupsOf(const ContractionShape &shape, const Schedule &schedule) {
  return groupsOf(shape.extentOf(shape.rows), schedule.tileRows, schedule.chunkRowBlocks);
}

Extent kumiko::panelGroupsOf(const ContractionShape &shape, const Schedule &schedule) {
  return groupsOf(shape.partColumns(), schedule.panelColumns, schedule.chunkPanels);
}

namespace {
struct Field {
  StringRef name;
  int64_t Schedule::*member;
};
} // namespace

/// The numbers of a schedule and their names; those of attention come first, then those of all products.
static constexpr unsigned attentionFields = 2, productFields = 10;
static const Field fields[] = {
    {"value_panel_columns", &Schedule::valuePanelColumns},
    {"value_tile_panels", &Schedule::valueTilePanels},
    {"tile_rows", &Schedule::tileRows},
    {"panel_columns", &Schedule::panelColumns},
    {"tile_panels", &Schedule::tilePanels},
    {"depth_unroll", &Schedule::depthUnroll},
    {"chunk_row_blocks", &Schedule::chunkRowBlocks},
    {"chunk_panels", &Schedule::chunkPanels},
    {"chunk_batch", &Schedule::chunkBatch},
    {"depth_group", &Schedule::depthGroup},
    {"lanes", &Schedule::lanes},
};

namespace {
struct ExtentField {
  StringRef name;
  Extent Schedule::*member;
};
} // namespace

/// What may depend on symbols.
static const ExtentField extentFields[] = {
    {"chunks", &Schedule::chunks},
    {"scratch_bytes", &Schedule::scratchBytes},
};

DictionaryAttr Schedule::toAttribute(MLIRContext *context) const {
  Builder b(context);
  SmallVector<NamedAttribute> entries{b.getNamedAttr("template", b.getStringAttr(nameOf(kind)))};
  for (auto [number, field] : llvm::enumerate(fields))
    if (number >= productFields || kind == KernelKind::Attention ||
        (number >= attentionFields && kind == KernelKind::Contraction))
      entries.push_back(b.getNamedAttr(field.name, b.getI64IntegerAttr(this->*field.member)));
  for (const ExtentField &field : extentFields)
    entries.push_back(b.getNamedAttr(field.name, nn::numberAttr(context, this->*field.member)));
  if (packed)
    entries.push_back(b.getNamedAttr("packed", b.getUnitAttr()));
  if (copyRuns)
    entries.push_back(b.getNamedAttr("copy_runs", b.getUnitAttr()));
  if (prefetch)
    entries.push_back(b.getNamedAttr("prefetch", b.getUnitAttr()));
  if (askAhead)
    entries.push_back(b.getNamedAttr("ask_ahead", b.getUnitAttr()));
  if (!lanesLast.empty())
    entries.push_back(b.getNamedAttr("lanes_last", b.getDenseI64ArrayAttr(lanesLast)));
  if (!keptOps.empty())
    entries.push_back(b.getNamedAttr("kept_ops", b.getDenseI64ArrayAttr(keptOps)));
  return b.getDictionaryAttr(entries);
}

FailureOr<Schedule> Schedule::fromAttribute(DictionaryAttr attribute) {
  auto name = attribute ? attribute.getAs<StringAttr>("template") : StringAttr();
  if (!name)
    return failure();
  Schedule schedule;
  bool found = false;
  for (KernelKind kind : {KernelKind::Contraction, KernelKind::Rows, KernelKind::Attention, KernelKind::Scatter,
                          KernelKind::Running, KernelKind::Points, KernelKind::Routine, KernelKind::Plain})
    if (nameOf(kind) == name.getValue()) {
      schedule.kind = kind;
      found = true;
    }
  for (const Field &field : fields)
    if (auto number = attribute.getAs<IntegerAttr>(field.name)) {
      if (number.getInt() < 0)
        return failure();
      schedule.*field.member = number.getInt();
    }
  for (const ExtentField &field : extentFields)
    if (Attribute number = attribute.get(field.name)) {
      std::optional<Extent> extent = nn::extentOf(number);
      if (!extent || (extent->isStatic() && extent->value() < 0))
        return failure();
      schedule.*field.member = *extent;
    }
  schedule.packed = attribute.contains("packed");
  schedule.copyRuns = attribute.contains("copy_runs");
  schedule.prefetch = attribute.contains("prefetch");
  schedule.askAhead = attribute.contains("ask_ahead");
  if (auto kept = attribute.getAs<DenseI64ArrayAttr>("kept_ops"))
    schedule.keptOps = llvm::to_vector(kept.asArrayRef());
  if (auto pairs = attribute.getAs<DenseI64ArrayAttr>("lanes_last"))
    schedule.lanesLast = llvm::to_vector(pairs.asArrayRef());
  if (!found)
    return failure();
  return schedule;
}
