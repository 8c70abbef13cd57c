package io.holdfast.redis;

import module java.base;

/// Where the holds of a pool are kept, with a clock that a test can move; what has expired by it
/// the test takes away itself.
interface HoldMemory {

  List<Object> call(String script, List<String> keys, Object... arguments);

  void setClock(long now);

  void sell(String item, String value);

  void loseAll();

  void forget(List<String> gone);

  /// The fences of all ends that are in the journal.
  List<Long> ends();

  void assertIsAs(HoldModel model);
}
