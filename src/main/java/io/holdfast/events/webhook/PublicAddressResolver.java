package io.holdfast.events.webhook;

import jakarta.inject.Singleton;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import org.apache.hc.client5.http.DnsResolver;

/// Resolves the hosts of receivers and refuses addresses in private networks, so that a webhook
/// cannot make the service call internal hosts. The HTTP client connects only to the addresses
/// returned here, so a DNS change after the check has no effect.
@Singleton
final class PublicAddressResolver implements DnsResolver {
  private final boolean isPrivateAllowed;

  PublicAddressResolver(WebhookSettings settings) {
    isPrivateAllowed = settings.isPrivateAllowed();
  }

  /// The host has an address that is not public.
  static final class Forbidden extends UnknownHostException {
    private static final long serialVersionUID = 1L;

    Forbidden(String host) {
      super("the host " + host + " has an address that is not public");
    }
  }

  @Override
  public InetAddress[] resolve(String host) throws UnknownHostException {
    var addresses = InetAddress.getAllByName(host);
    if (!isPrivateAllowed && !Arrays.stream(addresses).allMatch(PublicAddressResolver::isPublic)) {
      throw new Forbidden(host);
    }
    return addresses;
  }

  @Override
  public String resolveCanonicalHostname(String host) {
    return host;
  }

  /// Also checks IPv4 addresses that are embedded in IPv6.
  static boolean isPublic(InetAddress address) {
    if (address.isAnyLocalAddress()
        || address.isLoopbackAddress()
        || address.isLinkLocalAddress()
        || address.isSiteLocalAddress()
        || address.isMulticastAddress()) {
      return false;
    }
    var bytes = address.getAddress();
    return address instanceof Inet4Address ? isPublic4(bytes, 0) : isPublic6(bytes);
  }

  /// Also excludes "this network", carrier-grade NAT, protocol assignments, benchmarking and
  /// reserved ranges.
  private static boolean isPublic4(byte[] bytes, int start) {
    var a = bytes[start] & 0xff;
    var b = bytes[start + 1] & 0xff;
    var c = bytes[start + 2] & 0xff;
    return !(a == 0
        || a == 10
        || a == 127
        || a >= 224
        || a == 100 && b >= 64 && b < 128
        || a == 169 && b == 254
        || a == 172 && b >= 16 && b < 32
        || a == 192 && b == 168
        || a == 192 && b == 0 && c == 0
        || a == 198 && (b == 18 || b == 19));
  }

  private static boolean isPublic6(byte[] bytes) {
    var first = (bytes[0] & 0xff) << 8 | bytes[1] & 0xff;
    if (first == 0x2002) { // 6to4
      return isPublic4(bytes, 2);
    }
    if (first == 0x64) { // NAT64
      return isPublic4(bytes, 12);
    }
    // Only global unicast, without Teredo and documentation.
    var isGlobal = (first & 0xe000) == 0x2000;
    var second = (bytes[2] & 0xff) << 8 | bytes[3] & 0xff;
    return isGlobal && !(first == 0x2001 && (second < 0x200 || second == 0xdb8));
  }
}
