import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Asks a Tenure sidecar for the generation. The rules are in ../README.md.
 *
 * <pre>
 * TenureReader reader = new TenureReader(7421, "");
 * store.write(row, reader.ask().generation()); // or throws NotHeld
 * </pre>
 *
 * Java 11 or later and no library. Over TCP: Java's Unix sockets know no
 * timeout. A reader and a claim may be shared by threads.
 */
public final class TenureReader {
  /** A sidecar that says nothing for so long is lost. */
  private static final long ANSWER_WITHIN_MS = 1000;
  private static final int LARGEST_ANSWER = 64 * 1024;
  /** Between questions while not held and nothing comes. */
  private static final long UNHEARD_MS = 20_000;
  private static final long REOPEN_AFTER_MS = 500;

  // No JSON parser: a quote inside a JSON string is escaped, so no name that
  // others chose can look like a key.
  private static final Pattern GENERATION =
      Pattern.compile("\"generation\":\"([1-9][0-9]{0,15})\"");
  private static final Pattern LEFT_MS =
      Pattern.compile("\"toRenewBy\":([0-9]{1,9})[,}]");
  private static final Pattern LENGTH =
      Pattern.compile("\r\nContent-Length: ([0-9]{1,9})\r\n");
  private static final Pattern STATUS = Pattern.compile("^HTTP/1\\.. (\\d{3}) ");

  /** There is no authority to write; the message says why. */
  public static final class NotHeld extends Exception {
    private static final long serialVersionUID = 1;

    NotHeld(String why) {
      super(why);
    }
  }

  /** One answer, good for as long as the sidecar said. */
  public static final class Claim {
    private final String generation; // null: not held
    private final long untilMs;
    private final String why;

    private Claim(String generation, long untilMs, String why) {
      this.generation = generation;
      this.untilMs = untilMs;
      this.why = why;
    }

    public static Claim none(String why) {
      return new Claim(null, 0, why);
    }

    /** What to attach to a write that begins now. */
    public String generation() throws NotHeld {
      if (generation == null) {
        throw new NotHeld(why);
      }
      if (msSinceBoot() >= untilMs) {
        throw new NotHeld("past the time it was told");
      }
      return generation;
    }

    private long askAgainInMs() {
      return generation == null ? UNHEARD_MS : untilMs - msSinceBoot();
    }
  }

  private final int port;
  private final String query;

  /** @param lease needed only where the sidecar has several; else "". */
  public TenureReader(int port, String lease) {
    this.port = port;
    this.query = lease.isEmpty() ? "" : "?lease=" + lease;
  }

  /** The claim of this moment, within a second, whatever happens. */
  public Claim ask() {
    long asked = msSinceBoot(); // before asking: the answer may be slow (S1)
    try {
      return read(get("/v1/generation", asked + ANSWER_WITHIN_MS), asked);
    } catch (SocketTimeoutException error) {
      return Claim.none("no answer within a second");
    } catch (IOException error) {
      return Claim.none("no sidecar to ask: " + error.getMessage());
    }
  }

  /**
   * Gives a claim at once, then whenever something may have changed, until
   * {@code give} is false. An event is only a cue to ask, and so is the end of
   * a claim.
   */
  public void watch(Predicate<Claim> give) throws InterruptedException {
    while (true) {
      try (Socket stream = open("/v1/watch", msSinceBoot() + ANSWER_WITHIN_MS)) {
        byte[] part = new byte[LARGEST_ANSWER];
        int count = 1;
        while (count > 0) {
          Claim claim = ask();
          if (!give.test(claim)) {
            return;
          }
          count = readFor(stream, part, claim.askAgainInMs());
        }
      } catch (IOException error) {
        // The stream is gone; the answer below says what that means.
      }
      if (!give.test(ask())) {
        return;
      }
      Thread.sleep(REOPEN_AFTER_MS);
    }
  }

  private static int readFor(Socket stream, byte[] part, long ms) throws IOException {
    stream.setSoTimeout((int) Math.max(1, ms));
    try {
      return stream.getInputStream().read(part);
    } catch (SocketTimeoutException silence) {
      return 1;
    }
  }

  private Socket open(String path, long deadlineMs) throws IOException {
    Socket socket = new Socket(Proxy.NO_PROXY);
    try {
      InetAddress local = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
      socket.connect(new InetSocketAddress(local, port), left(deadlineMs));
      String request =
          "GET " + path + query + " HTTP/1.1\r\nHost: localhost\r\n"
              + "Accept: application/json\r\nConnection: close\r\n\r\n";
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      return socket;
    } catch (IOException error) {
      socket.close();
      throw error;
    }
  }

  /** One deadline for all of it: what comes byte by byte is no answer. */
  private String get(String path, long deadlineMs) throws IOException {
    ByteArrayOutputStream answer = new ByteArrayOutputStream();
    try (Socket socket = open(path, deadlineMs)) {
      InputStream in = socket.getInputStream();
      byte[] part = new byte[4096];
      while (answer.size() <= LARGEST_ANSWER) {
        socket.setSoTimeout(left(deadlineMs));
        int count = in.read(part);
        if (count < 0) {
          return answer.toString(StandardCharsets.ISO_8859_1);
        }
        answer.write(part, 0, count);
      }
    }
    throw new IOException("an answer without end");
  }

  private static int left(long deadlineMs) throws SocketTimeoutException {
    long left = deadlineMs - msSinceBoot();
    if (left <= 0) {
      throw new SocketTimeoutException();
    }
    return (int) left;
  }

  /** An answer that is not understood is no authority. */
  private static Claim read(String answer, long asked) {
    Matcher status = STATUS.matcher(answer);
    String code = status.find() ? status.group(1) : "nothing that is HTTP";
    if (!code.equals("200")) {
      return Claim.none(
          code.equals("409")
              ? "standby"
              : code.equals("503") ? "uncertain" : "the sidecar answered " + code);
    }
    Matcher length = LENGTH.matcher(answer);
    int body = answer.indexOf("\r\n\r\n") + 4;
    if (!length.find()
        || Integer.parseInt(length.group(1)) != answer.length() - body) {
      return Claim.none("the answer was cut short");
    }
    Matcher generation = GENERATION.matcher(answer);
    Matcher left = LEFT_MS.matcher(answer);
    if (!generation.find() || !left.find()) {
      return Claim.none("the answer was not understood");
    }
    // Rounded down once more, since this clock shows hundredths of a second.
    long until = asked + Long.parseLong(left.group(1)) - 10;
    return new Claim(generation.group(1), until, "");
  }

  private static final Path UPTIME = Path.of("/proc/uptime");
  private static final boolean HAS_UPTIME = Files.isReadable(UPTIME);

  /** Runs on while the machine is suspended, which nanoTime() does not. */
  private static long msSinceBoot() {
    if (!HAS_UPTIME) {
      return System.nanoTime() / 1_000_000;
    }
    try {
      String hundredths = Files.readString(UPTIME).split(" ")[0].replace(".", "");
      return Long.parseLong(hundredths) * 10;
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }
}
