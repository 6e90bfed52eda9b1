// Every built-in op, applied to types it is meant for.
#include "Apply.h"

using namespace kumiko::eq;
using namespace kumiko::eq::test;

namespace {

struct Row {
  const char *op;
  const char *given;
  const char *expected;
};

// The expected types are worked out by hand from what the op is, not from what the solver says.
const Row rows[] = {
    {"cast", "f32[2,3]; to=i64", "i64[2,3]"},
    {"elu", "f32[2,3]; alpha=1.0, rate=1.0, gain=1.0", "f32[2,3]"},
    {"gelu", "f32[2,3]; tanh_form=true", "f32[2,3]"},
    {"gelu", "f16[2,3]", "f16[2,3]"},
    {"swish", "bf16[4]; alpha=1.5", "bf16[4]"},
    {"pow", "f32[2,1], i64[3]", "f32[2,3]"},
    {"pow", "i32[2], f32[2]", "i32[2]"},
    {"eq", "i64[2,1,4], i64[3,1]", "b1[2,3,4]"},
    {"and", "b1[2], b1[2]", "b1[2]"},
    {"shl", "u8[2], u8[1]", "u8[2]"},
    {"not", "b1[2]", "b1[2]"},
    {"prelu", "f32[2,3,4], f32[3,1]", "f32[2,3,4]"},
    {"select", "b1[3], f32[2,3], f32[]", "f32[2,3]"},
    {"reduce", "f32[2,3,4]; kind=+, axes=[0,2]", "f32[3]"},
    {"reduce", "f32[2,3,4]; kind=max, axes=[1]", "f32[2,4]"},
    {"reduce", "b1[2,3]; kind=or, axes=[]", "b1[2,3]"},
    {"mean", "f32[2,3,4]; axes=[1,2]", "f32[2]"},
    {"logsumexp", "f32[2,3]; axes=[1]", "f32[2]"},
    {"argreduce", "f32[2,5,3]; kind=max, axis=1", "i64[2,3] f32[2,3]"},
    {"cumulate", "f32[4,5]; kind=+, axis=1, exclusive=true, reverse=false", "f32[4,5]"},
    {"softmax", "f32[2,3,4]; axis=1", "f32[2,3,4]"},
    {"log_softmax", "f32[2,3]; axis=1", "f32[2,3]"},
    {"matmul", "f32[8,4], f32[4,16]", "f32[8,16]"},
    {"matmul", "f32[5,1,8,4], f32[3,4,16]", "f32[5,3,8,16]"},
    {"integer_matmul", "u8[5,8,4], i8[4,16]", "i32[5,8,16]"},
    {"integer_conv", "u8[1,6,9,9], i8[4,3,3,3]; stride=[2,2], dilation=[1,1], group=2", "i32[1,4,4,4]"},
    {"number", "; value=7", "i64[]"},
    {"conv", "f32[1,3,8,8], f32[4,3,3,3], -; stride=[2,2], dilation=[1,1], lo=[1,1], hi=[1,1]", "f32[1,4,4,4]"},
    {"conv", "f32[1,6,9], f32[4,3,3], f32[4]; stride=[1], dilation=[2], lo=[0], hi=[0], group=2", "f32[1,4,5]"},
    {"conv", "f32[1,8,8,3], f32[4,3,3,3]; stride=[2,2], dilation=[1,1], lo=[1,1], hi=[1,1], channel=3", "f32[1,4,4,4]"},
    {"conv_transpose", "f32[1,4,5], f32[4,2,3]; stride=[2], dilation=[1], lo=[1], out=[10]", "f32[1,2,10]"},
    {"attention", "f32[2,8,5,16], f32[2,2,7,16], f32[2,2,7,12]; scale=0.25, softcap=0.0, acc=f32, soft=f32",
     "f32[2,8,5,12] f32[2,8,5,7] f32[2,8,5,7] f32[2,8,5,7] f32[2,8,5,7]"},
    {"deform_conv",
     "f32[1,4,6,6], f32[6,2,3,3], f32[1,2,3,3,2,4,4], f32[1,2,3,3,4,4]; stride=[1,1], dilation=[1,1], lo=[0,0], "
     "group=2, out=[4,4]",
     "f32[1,6,4,4]"},
    {"max_pool", "f32[1,2,8,9]; kernel=[3,2], stride=[2,2], dilation=[1,1], lo=[1,0], hi=[1,1]",
     "f32[1,2,4,5] i64[1,2,4,5]"},
    {"avg_pool", "f32[1,2,7]; kernel=[3], stride=[2], dilation=[1], lo=[1], hi=[0], extra=[1], count_pad=false",
     "f32[1,2,4]"},
    {"lrn", "f32[1,6,4,4]; size=5, alpha=0.0001, beta=0.75, bias=1.0", "f32[1,6,4,4]"},
    {"col2im", "f32[1,8,9]; image=[4,4], kernel=[2,2], stride=[1,1], dilation=[1,1], lo=[0,0], out=[3,3]",
     "f32[1,2,4,4]"},
    {"batch_norm", "f32[2,3,4,4], f32[3], f32[3], f32[3], f32[3]; eps=0.00001", "f32[2,3,4,4]"},
    {"layer_norm", "f32[2,5,8], f32[8], f32[8]; axis=2, eps=0.00001", "f32[2,5,8] f32[2,5] f32[2,5]"},
    {"layer_norm", "f16[2,5,8], f16[5,8], -; axis=1, eps=0.00001", "f16[2,5,8] f32[2] f32[2]"},
    {"rms_norm", "f32[2,8], f32[8]; axis=1, eps=0.001", "f32[2,8]"},
    {"group_norm", "f32[2,6,5], f32[6], f32[6]; groups=3, eps=0.00001", "f32[2,6,5]"},
    {"transpose", "f32[2,3,4]; perm=[2,0,1]", "f32[4,2,3]"},
    {"expand", "f32[3,1]; shape=[2,3,4]", "f32[2,3,4]"},
    {"slice", "f32[10,10]; start=[1,9], step=[2,-3], out=[4,3]", "f32[4,3]"},
    {"concat", "f32[2,3], f32[2,1], f32[2,4]; axis=1", "f32[2,8]"},
    {"concat", "f32[2,0]; axis=1", "f32[2,0]"},
    {"pad", "f32[2,3], -; lo=[0,1], hi=[1,1]", "f32[3,5]"},
    {"pad", "f32[2,3], f32[]; lo=[1,-1], hi=[0,0], mode=constant", "f32[3,2]"},
    {"pad", "f32[4,5], -; lo=[3,2], hi=[3,2], mode=reflect", "f32[10,9]"},
    {"pad", "f32[4,5], -; lo=[1,2], hi=[3,2], mode=edge", "f32[8,9]"},
    {"pad", "f32[4,5], -; lo=[1,2], hi=[3,2], mode=wrap", "f32[8,9]"},
    {"gather", "f32[5,6,7], i64[2,3]; axis=1", "f32[5,2,3,7]"},
    {"gather", "f32[5,6], i32[]; axis=0", "f32[6]"},
    {"gather_elements", "f32[5,6], i64[5,2]; axis=1", "f32[5,2]"},
    {"gather_nd", "f32[2,3,4,5], i64[2,7,2]; batch=1", "f32[2,7,5]"},
    {"scatter_elements", "f32[5,6], i64[5,2], f32[5,2]; axis=1, kind=+", "f32[5,6]"},
    {"scatter_nd", "f32[4,5,6], i64[3,2], f32[3,6]; kind=set", "f32[4,5,6]"},
    {"tensor_scatter", "f32[2,8,4], f32[2,3,4], i64[2]; axis=1, circular=true", "f32[2,8,4]"},
    {"tensor_scatter", "f32[2,8,4], f32[2,3,4]; axis=1, circular=false", "f32[2,8,4]"},
    {"reverse_sequence", "f32[6,3,2], i64[3]; time=0, batch=1", "f32[6,3,2]"},
    {"range", "f32[], f32[]; n=7", "f32[7]"},
    {"quantize", "f32[2,8], f32[2,1], u8[2,1]; axis=1, block=8, lo=0, hi=255, whole=true, acc=f32, to=u8", "u8[2,8]"},
    {"quantize", "f32[2,8], f32[8]; axis=1, block=1, lo=-448, hi=448, whole=false, acc=f32, to=f8e4m3fn",
     "f8e4m3fn[2,8]"},
    {"dequantize", "i8[2,8], f16[2,2], i8[2,2]; axis=1, block=4, to=f16", "f16[2,8]"},
    {"dft", "f32[2,8,1]; axis=1, n=8, out=5, inverse=false", "f32[2,5,2]"},
    {"frames", "f32[2,20,1], f32[6]; hop=4, n=6, out=4", "f32[2,4,6,1]"},
    {"resize_axis",
     "f32[1,2,5]; axis=2, out=9, gain=0.5, shift=0.0, kernel=linear, a=-0.5, shrink=1.0, taps=2, exclude=false, "
     "crop=false, value=0.0",
     "f32[1,2,9]"},
    {"resize_axis",
     "f32[1,2,5]; axis=2, out=9, gain=0.5, shift=0.0, kernel=cubic, a=-0.5, shrink=1.0, taps=4, exclude=true, "
     "crop=true, value=0.0",
     "f32[1,2,9]"},
    {"rotary", "f32[1,2,3,8], f32[1,3,4], f32[1,3,4]; interleaved=false", "f32[1,2,3,8]"},
    {"rotary", "f32[1,2,3,8], f32[1,3,4], f32[1,3,4]; interleaved=true", "f32[1,2,3,8]"},
    {"sample_axis", "f32[1,4,5,2]; which=1, n=7, mode=linear, border=zeros, align=false, taps=2",
     "i64[1,2,4,5] f32[1,2,4,5]"},
    {"sample_axis", "f32[1,4,5,2]; which=0, n=7, mode=cubic, border=reflection, align=true, taps=4",
     "i64[1,4,4,5] f32[1,4,4,5]"},
    {"places", "i64[1,2,4,5], i64[1,3,4,5]; rows=7, columns=8, to=i32", "i32[1,2,3,4,5]"},
    {"places", "i32[1,6,4,5], i64[1,2,4,5]; rows=56, columns=3, to=i64", "i64[1,6,2,4,5]"},
    {"sample", "f32[1,3,56], i32[1,4,4,5], f32[1,4,4,5]", "f32[1,3,4,5]"},
    {"nll_loss", "f32[2,5,3], i64[2,3], f32[5]; ignore=-100, has_ignore=true", "f32[2,3] f32[2,3]"},
    {"nll_loss", "f32[2,5], i64[2], -; ignore=0, has_ignore=false", "f32[2] f32[2]"},
    {"linear_attention_step", "f32[2,8,4], f32[2,4,4], f32[2,4,6], -, f32[2,4], f32[2,4,4,6]; scale=0.5",
     "f32[2,8,6] f32[2,4,4,6]"},
};

class Library : public testing::TestWithParam<Row> {};

TEST_P(Library, GivesTheExpectedTypes) {
  const Row &row = GetParam();
  OpDef op = builtin(row.op);
  EXPECT_EQ(results(op, row.given), row.expected);
  // The same types come out of the whole instance.
  Instance full = instance(op, row.given);
  std::string types;
  for (const Tensor &tensor : full.tensors)
    if (tensor.role == Tensor::Role::Result)
      types += (types.empty() ? "" : " ") + str(tensor.type);
  EXPECT_EQ(types, row.expected);
}

INSTANTIATE_TEST_SUITE_P(Ops, Library, testing::ValuesIn(rows), [](const testing::TestParamInfo<Row> &info) {
  return std::to_string(info.index) + "_" + info.param.op;
});

// Ops without attributes on one or two operands of one type need no row of their own.
TEST(LibraryOps, ElementwiseOpsKeepTheShape) {
  unsigned tried = 0;
  for (const OpDef &op : builtinOps()) {
    bool plain = op.attributes.empty() && op.statements.size() == 1 && op.results.size() == 1 &&
                 op.operands.size() < 3 && op.typeVariables.size() == 1 && !op.name.contains("matmul");
    if (!plain || op.name == "not" || op.name == "and" || op.name == "or" || op.name == "xor" || op.name == "shl" ||
        op.name == "shr")
      continue;
    std::string given = op.operands.size() == 1 ? "f32[2,3]" : "f32[2,3], f32[3]";
    Instance result = instance(op, given);
    ASSERT_EQ(result.statements.size(), 1u) << op.name.str();
    EXPECT_EQ(result.statements[0].loops.size(), 2u) << op.name.str();
    EXPECT_FALSE(result.statements[0].computedLeft) << op.name.str();
    ++tried;
  }
  EXPECT_GE(tried, 35u);
}

// Whoever adds an op adds a line to this list or a row above; this test only says which are not covered.
TEST(LibraryOps, AllOpsAreKnownToTheTests) {
  unsigned missing = 0;
  for (const OpDef &op : builtinOps()) {
    bool listed = llvm::any_of(rows, [&](const Row &row) { return op.name == row.op; });
    bool simple = op.statements.size() == 1 && op.statements[0].clauses.empty() && op.operands.size() <= 2;
    missing += !listed && !simple;
    if (!listed && !simple)
      llvm::errs() << "note: no row for op " << op.name << '\n';
  }
  EXPECT_EQ(missing, 0u);
}

} // namespace
