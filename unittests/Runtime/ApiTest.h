//===- ApiTest.h - the hand-written model and one context of it -------------===//
#pragma once
#include "Fake.h"
#include "gtest/gtest.h"
#include <string>

/// Tests of the public table. A test may change `artefact` before it calls make().
class Api : public testing::Test {
protected:
  void TearDown() override {
    k->context_destroy(context);
    k->model_release(model);
  }

  void make(uint32_t threads = 1, const kumiko_allocator *allocator = nullptr, const kumiko_pool *pool = nullptr) {
    ASSERT_EQ(k->model_from_artefact(&artefact, nullptr, &model), KUMIKO_OK) << k->last_error(nullptr);
    kumiko_options options = {sizeof options, threads, allocator, pool};
    ASSERT_EQ(k->context_create(model, &options, &context), KUMIKO_OK) << k->last_error(nullptr);
    fake_user_init(&user, 1);
    ASSERT_EQ(fake_user_bind(&user, k, context), KUMIKO_OK) << error();
  }
  std::string error() { return k->last_error(context); }

  const kumiko_api *k = kumiko_get_api(KUMIKO_API_VERSION);
  kumiko_artefact artefact = *fake_artefact();
  kumiko_model *model = nullptr;
  kumiko_context *context = nullptr;
  fake_user user;
};
