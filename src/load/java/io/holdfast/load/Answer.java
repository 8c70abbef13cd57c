package io.holdfast.load;

/// The result of one request for its caller.
public enum Answer {
  /// The work was done.
  GOOD,

  /// The service refused the request itself, such as a hold of a taken item.
  REFUSED,

  /// The service refused the request for its load, and states that it did nothing.
  SHED,

  /// The service answered without knowing whether the work was done.
  UNKNOWN,

  /// The request was shed before, and yet its work had been done then.
  DONE_BEFORE,

  /// The connection was refused, or it ended before the answer.
  BROKEN;

  private static final String DEFINITE = "\"definite\":true";

  /// A server error that does not state that nothing was done leaves that open.
  static Answer of(Client client) {
    var status = client.status();
    if (status < 300) {
      return client.isReplay() ? DONE_BEFORE : GOOD;
    }
    if (status < 500) {
      return REFUSED;
    }
    return client.body().contains(DEFINITE) ? SHED : UNKNOWN;
  }
}
