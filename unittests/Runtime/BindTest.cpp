#include "ApiTest.h"
#include "kumiko/Support/ElementType.h"
#include <vector>

namespace {

const int64_t right[] = {4, 256}, wrong[] = {4, 255}, flat[] = {1024};

TEST_F(Api, WrongExtentNamesInputFoundAndExpected) {
  make();
  kumiko_tensor tensor = {user.x, KUMIKO_F32, 2, wrong, nullptr};
  EXPECT_EQ(k->bind_input(context, "x", &tensor), KUMIKO_E_SHAPE);
  EXPECT_EQ(error(), "input \"x\" is f32[4,255], expected f32[4,256]: axis 1 is 255, must be 256");
}

TEST_F(Api, WrongRank) {
  make();
  kumiko_tensor tensor = {user.x, KUMIKO_F32, 1, flat, nullptr};
  EXPECT_EQ(k->bind_input_number(context, 0, &tensor), KUMIKO_E_SHAPE);
  EXPECT_EQ(error(), "input \"x\" is f32[1024], expected f32[4,256]: the rank is 1, must be 2");
}

TEST_F(Api, WrongType) {
  make();
  kumiko_tensor tensor = {user.x, KUMIKO_F64, 2, right, nullptr};
  EXPECT_EQ(k->bind_input(context, "x", &tensor), KUMIKO_E_TYPE);
  EXPECT_EQ(error(), "input \"x\" is f64[4,256], expected f32[4,256]: the element types differ");
  tensor.element_type = 99;
  EXPECT_EQ(k->bind_input(context, "x", &tensor), KUMIKO_E_TYPE);
  EXPECT_EQ(error(), "input \"x\" is type 99[4,256], expected f32[4,256]: the element types differ");
}

TEST_F(Api, UnknownNameListsTheKnownOnes) {
  make();
  kumiko_tensor tensor = {user.x, KUMIKO_F32, 2, right, nullptr};
  EXPECT_EQ(k->bind_input(context, "data", &tensor), KUMIKO_E_NAME);
  EXPECT_EQ(error(), "there is no input \"data\"; fake has \"x\", \"pick\"");
  EXPECT_EQ(k->bind_output(context, "x", &tensor), KUMIKO_E_NAME);
  EXPECT_EQ(error(), "there is no output \"x\"; fake has \"y\", \"s\"");
  EXPECT_EQ(k->bind_output_number(context, 2, &tensor), KUMIKO_E_NAME);
  EXPECT_EQ(error(), "there is no output 2; fake has 2, counted from 0");
  EXPECT_EQ(k->bind_input(context, nullptr, &tensor), KUMIKO_E_ARGUMENT);
}

TEST_F(Api, NullPointers) {
  make();
  kumiko_tensor tensor = {nullptr, KUMIKO_F32, 2, right, nullptr};
  EXPECT_EQ(k->bind_input(context, "x", &tensor), KUMIKO_E_ARGUMENT);
  EXPECT_EQ(error(), "input \"x\": the data pointer is null");
  tensor.shape = nullptr;
  EXPECT_EQ(k->bind_input(context, "x", &tensor), KUMIKO_E_ARGUMENT);
  EXPECT_EQ(k->bind_input(context, "x", nullptr), KUMIKO_E_ARGUMENT);
  EXPECT_EQ(k->bind_input(nullptr, "x", nullptr), KUMIKO_E_ARGUMENT);
  EXPECT_EQ(k->run(nullptr), KUMIKO_E_ARGUMENT);
}

// A failed binding leaves the old one in place.
TEST_F(Api, FailureChangesNothing) {
  make();
  kumiko_tensor tensor = {user.x, KUMIKO_F32, 2, wrong, nullptr};
  EXPECT_EQ(k->bind_input(context, "x", &tensor), KUMIKO_E_SHAPE);
  EXPECT_EQ(k->run(context), KUMIKO_OK);
  EXPECT_TRUE(fake_user_right(&user));
}

TEST_F(Api, RunWantsEverythingBound) {
  ASSERT_EQ(k->model_from_artefact(&artefact, nullptr, &model), KUMIKO_OK);
  ASSERT_EQ(k->context_create(model, nullptr, &context), KUMIKO_OK);
  EXPECT_EQ(k->run(context), KUMIKO_E_UNBOUND);
  EXPECT_EQ(error(), "input \"x\" is not bound; expected f32[4,256]");
}

TEST_F(Api, OverlappingTensorsAreRefused) {
  make();
  const int64_t shape[] = {16};
  kumiko_tensor tensor = {user.x + 1000, KUMIKO_F32, 1, shape, nullptr};
  EXPECT_EQ(k->bind_output(context, "y", &tensor), KUMIKO_OK);
  EXPECT_EQ(k->run(context), KUMIKO_E_OVERLAP);
  EXPECT_EQ(error(), "output \"y\" shares memory with input \"x\"; kernels may write one before the other is read");
}

// A transposed, reversed view of the input and an output with gaps.
TEST_F(Api, StridesAreFollowed) {
  make(2);
  std::vector<float> turned(FAKE_X), spread(FAKE_PICK * 3, -1);
  for (int row = 0; row < 4; ++row)
    for (int column = 0; column < 256; ++column)
      turned[(255 - column) * 4 + row] = user.x[row * 256 + column];
  const int64_t strides[] = {1, -4}, gaps[] = {3}, shape[] = {16};
  kumiko_tensor x = {turned.data() + 255 * 4, KUMIKO_F32, 2, right, strides};
  kumiko_tensor y = {spread.data(), KUMIKO_F32, 1, shape, gaps};
  ASSERT_EQ(k->bind_input(context, "x", &x), KUMIKO_OK) << error();
  ASSERT_EQ(k->bind_output(context, "y", &y), KUMIKO_OK) << error();
  ASSERT_EQ(k->run(context), KUMIKO_OK) << error();
  EXPECT_EQ(user.s, user.expected_s);
  for (int i = 0; i < FAKE_PICK; ++i) {
    EXPECT_EQ(spread[i * 3], user.expected_y[i]);
    EXPECT_EQ(spread[i * 3 + 1], -1);
  }
  const int64_t none[] = {0};
  y.strides = none;
  EXPECT_EQ(k->bind_output(context, "y", &y), KUMIKO_E_STRIDES);
}

TEST_F(Api, MisalignedDataIsCopied) {
  make();
  std::vector<char> bytes(sizeof user.x + 1);
  memcpy(bytes.data() + 1, user.x, sizeof user.x);
  kumiko_tensor x = {bytes.data() + 1, KUMIKO_F32, 2, right, nullptr};
  ASSERT_EQ(k->bind_input(context, "x", &x), KUMIKO_OK);
  ASSERT_EQ(k->run(context), KUMIKO_OK);
  EXPECT_TRUE(fake_user_right(&user));
}

TEST_F(Api, LongMessagesEndInDots) {
  make();
  std::string name(5000, 'n');
  EXPECT_EQ(k->bind_input(context, name.c_str(), nullptr), KUMIKO_E_NAME);
  EXPECT_EQ(error().size(), 1023u);
  EXPECT_EQ(error().substr(1020), "...");
}

// The compiler's list and the runtime's are one: numbers, names and sizes.
TEST(Types, AgreeWithTheCompiler) {
  const kumiko_api *k = kumiko_get_api(1);
  for (uint32_t number = 1; number <= KUMIKO_F4E2M1; ++number) {
    auto type = kumiko::ElementType(number);
    EXPECT_EQ(kumiko::nameOf(type).str(), k->type_name(number));
    EXPECT_EQ(kumiko::bytesOf(type), k->type_bytes(number));
  }
  EXPECT_EQ(k->type_name(0), nullptr);
  EXPECT_EQ(k->type_name(26), nullptr);
  EXPECT_EQ(k->type_bytes(4000000000u), 0u);
}

} // namespace
