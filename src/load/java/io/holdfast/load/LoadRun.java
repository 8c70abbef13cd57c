package io.holdfast.load;

import java.net.InetSocketAddress;

/// What a load driver sends, and how.
///
/// @param freshMax the requests that may be made; the run ends when they are used up
public record LoadRun(
    InetSocketAddress address, Requests requests, int connections, Pace pace, long freshMax) {}
