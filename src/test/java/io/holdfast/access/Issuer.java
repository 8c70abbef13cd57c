package io.holdfast.access;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.Date;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/// An identity provider: real keys, a URL that serves the public ones, and tokens.
public final class Issuer implements AutoCloseable {
  public static final RSAKey RSA = rsa("rsa-1");
  public static final ECKey EC = ec("ec-1");

  private static final int BEGINNING = 10;

  private final List<JWK> published = new CopyOnWriteArrayList<>(List.of(RSA, EC));
  private final AtomicInteger looks = new AtomicInteger();
  private final HttpServer server;
  private volatile int status = 200;
  private volatile CountDownLatch flowing = new CountDownLatch(0);

  public Issuer() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      server.createContext(
          "/keys",
          exchange -> {
            looks.incrementAndGet();
            var body = keys().getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, body.length);
            try (var out = exchange.getResponseBody()) {
              out.write(body, 0, BEGINNING);
              out.flush();
              flowing.await();
              out.write(body, BEGINNING, body.length - BEGINNING);
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          });
      server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
      server.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/keys";
  }

  /// As JSON, without the private halves.
  public String keys() {
    return new JWKSet(published).toString(true);
  }

  public void publish(JWK... keys) {
    published.clear();
    published.addAll(List.of(keys));
  }

  public void answerWith(int code) {
    status = code;
  }

  /// From now on answers start but do not finish until `flow`.
  public void stall() {
    flowing = new CountDownLatch(1);
  }

  public void flow() {
    flowing.countDown();
  }

  public int looks() {
    return looks.get();
  }

  @Override
  public void close() {
    flow();
    server.stop(0);
  }

  /// Good for five minutes from now on, for `subject`, with these scopes.
  public static JWTClaimsSet.Builder claims(String subject, String scope) {
    return new JWTClaimsSet.Builder()
        .subject(subject)
        .claim("scope", scope)
        .expirationTime(inSeconds(300));
  }

  static Date inSeconds(long seconds) {
    return Date.from(Clock.systemUTC().instant().plus(Duration.ofSeconds(seconds)));
  }

  public static String token(String subject, String scope) {
    return signed(RSA, JWSAlgorithm.RS256, claims(subject, scope).build());
  }

  public static String signed(JWK key, JWSAlgorithm algorithm, JWTClaimsSet claims) {
    return signed(key, new JWSHeader.Builder(algorithm).keyID(key.getKeyID()).build(), claims);
  }

  static String signed(JWK key, JOSEObjectType type, JWTClaimsSet claims) {
    var header = new JWSHeader.Builder(JWSAlgorithm.RS256).keyID(key.getKeyID()).type(type);
    return signed(key, header.build(), claims);
  }

  private static String signed(JWK key, JWSHeader header, JWTClaimsSet claims) {
    try {
      var jwt = new SignedJWT(header, claims);
      jwt.sign(key instanceof RSAKey rsa ? new RSASSASigner(rsa) : new ECDSASigner(key.toECKey()));
      return jwt.serialize();
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }

  public static RSAKey rsa(String id) {
    try {
      return new RSAKeyGenerator(2048).keyID(id).generate();
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }

  public static ECKey ec(String id) {
    try {
      return new ECKeyGenerator(Curve.P_256).keyID(id).generate();
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }
}
