/* The hand-written model as a shared library; with KUMIKO_FAKE_FILE its weights lie beside it. */
#include "Fake.h"

KUMIKO_EXPORT const kumiko_artefact *kumiko_artefact_table(void);

const kumiko_artefact *kumiko_artefact_table(void) {
  static kumiko_artefact table;
  table = *fake_artefact();
#ifdef KUMIKO_FAKE_FILE
  table.weights = 0;
  table.weights_file = KUMIKO_FAKE_FILE;
#endif
  return &table;
}
