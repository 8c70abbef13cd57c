package io.holdfast.events.webhook;

import jakarta.inject.Singleton;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import org.apache.hc.client5.http.DnsResolver;

/// Finds the addresses of receivers, and none that lies in our own network: whoever registers a
/// webhook must not make the service call what only the service can reach. The client connects to
/// just the addresses that were looked at here, so a name that changes in between gains nothing.
@Singleton
final class PublicAddressResolver implements DnsResolver {
  private final boolean isPrivateAllowed;

  PublicAddressResolver(WebhookSettings settings) {
    isPrivateAllowed = settings.isPrivateAllowed();
  }

  /// The receiver's address is one that must not be called.
  static final class Forbidden extends UnknownHostException {
    private static final long serialVersionUID = 1L;

    Forbidden(String host) {
      super("the host " + host + " is at an address that is not public");
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

  /// Also looks through the ways in which IPv6 carries an address of IPv4.
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

  /// Besides the ones above: this network, shared (carrier) space, protocol assignments,
  /// benchmarks, reserved.
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
    // Only what is handed out as global unicast, and of that neither Teredo nor documentation.
    var isGlobal = (first & 0xe000) == 0x2000;
    var second = (bytes[2] & 0xff) << 8 | bytes[3] & 0xff;
    return isGlobal && !(first == 0x2001 && (second < 0x200 || second == 0xdb8));
  }
}
