package io.holdfast.web.connection;

import io.micronaut.http.HttpStatus;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.AsciiString;
import org.jspecify.annotations.Nullable;

/// Why a request cannot be taken although its header can be read: a proxy in front of the service
/// might read it in another way than the service does, or its body is in a form that the service
/// does not take.
enum RequestFault {
  VERSION(HttpStatus.BAD_REQUEST, "The service speaks HTTP/1.1 and HTTP/1.0 only."),
  HOST(HttpStatus.BAD_REQUEST, "A request has to have one Host header."),
  AUTHORIZATION(HttpStatus.BAD_REQUEST, "A request may have one Authorization header only."),
  ORIGIN(HttpStatus.BAD_REQUEST, "A request may have one Origin header only."),
  TRANSFER_ENCODING(HttpStatus.BAD_REQUEST, "The only Transfer-Encoding allowed is chunked."),
  /// The codec refuses these by itself, as long as it keeps its default.
  TWO_LENGTHS(
      HttpStatus.BAD_REQUEST,
      "A request with a Transfer-Encoding has to be HTTP/1.1 and without a Content-Length."),
  CONTENT_ENCODING(
      HttpStatus.UNSUPPORTED_MEDIA_TYPE, "Bodies have to be sent without a Content-Encoding.");

  private final HttpStatus status;
  private final String detail;

  RequestFault(HttpStatus status, String detail) {
    this.status = status;
    this.detail = detail;
  }

  HttpStatus status() {
    return status;
  }

  String detail() {
    return detail + " Nothing was done, and the connection is closed.";
  }

  /// Null if there is none. A header that the codec could not read is refused elsewhere.
  static @Nullable RequestFault of(HttpRequest request) {
    if (request.decoderResult().isFailure()) {
      return null;
    }
    var version = request.protocolVersion();
    var headers = request.headers();
    if (!version.equals(HttpVersion.HTTP_1_1) && !version.equals(HttpVersion.HTTP_1_0)) {
      return VERSION;
    }
    var hosts = count(headers, HttpHeaderNames.HOST);
    if (hosts > 1 || (hosts == 0 && version.equals(HttpVersion.HTTP_1_1))) {
      return HOST;
    }
    if (count(headers, HttpHeaderNames.AUTHORIZATION) > 1) {
      return AUTHORIZATION;
    }
    if (count(headers, HttpHeaderNames.ORIGIN) > 1) {
      return ORIGIN;
    }
    var encodings = count(headers, HttpHeaderNames.TRANSFER_ENCODING);
    if (!isAlways(headers, HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED)
        || encodings > 1) {
      return TRANSFER_ENCODING;
    }
    if (encodings == 1
        && (version.equals(HttpVersion.HTTP_1_0)
            || headers.contains(HttpHeaderNames.CONTENT_LENGTH))) {
      return TWO_LENGTHS;
    }
    return isAlways(headers, HttpHeaderNames.CONTENT_ENCODING, HttpHeaderValues.IDENTITY)
        ? null
        : CONTENT_ENCODING;
  }

  private static int count(HttpHeaders headers, CharSequence name) {
    var count = 0;
    for (var values = headers.valueCharSequenceIterator(name); values.hasNext(); values.next()) {
      count++;
    }
    return count;
  }

  /// Whether each header of that name has this value, if there are any.
  private static boolean isAlways(HttpHeaders headers, CharSequence name, CharSequence value) {
    for (var values = headers.valueCharSequenceIterator(name); values.hasNext(); ) {
      if (!AsciiString.contentEqualsIgnoreCase(value, values.next())) {
        return false;
      }
    }
    return true;
  }
}
