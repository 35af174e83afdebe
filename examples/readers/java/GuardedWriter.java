import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/**
 * Writes to a store only while the sidecar says held.
 *
 * <pre>
 * GuardedWriter SIDECAR STORE        commands on stdin, an answer each:
 *     ask            held GENERATION | not held: WHY
 *     write VALUE    wrote G | not written: WHY | stale G | unknown: WHY
 * GuardedWriter SIDECAR STORE watch  prints each change of the claim
 * </pre>
 */
public final class GuardedWriter {
  private static final HttpClient CLIENT =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .proxy(HttpClient.Builder.NO_PROXY)
          .connectTimeout(Duration.ofSeconds(5))
          .build();
  private static String said = "";

  private static String describe(TenureReader.Claim claim) {
    try {
      return "held " + claim.generation();
    } catch (TenureReader.NotHeld why) {
      return "not held: " + why.getMessage();
    }
  }

  private static String write(String store, TenureReader.Claim claim, String value)
      throws InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://" + store + "/value"))
            .timeout(Duration.ofSeconds(5))
            .PUT(HttpRequest.BodyPublishers.ofString(value));
    String generation;
    try {
      generation = claim.generation(); // asked for last, just before the write
    } catch (TenureReader.NotHeld why) {
      return "not written: " + why.getMessage();
    }
    int status;
    try {
      request.header("Tenure-Generation", generation);
      status =
          CLIENT.send(request.build(), HttpResponse.BodyHandlers.discarding()).statusCode();
    } catch (IOException error) {
      return "unknown: " + error; // it may have been applied
    }
    if (status == 409) {
      return "stale " + generation; // the store knows a higher one
    }
    return status == 200 ? "wrote " + generation : "unknown: " + status;
  }

  private static boolean show(TenureReader.Claim claim) {
    String now = describe(claim);
    if (!now.equals(said)) {
      System.out.println(now);
    }
    said = now;
    return true;
  }

  public static void main(String[] arguments) throws Exception {
    String address = arguments[0];
    int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
    TenureReader reader = new TenureReader(port, "");
    if (arguments.length > 2) {
      reader.watch(GuardedWriter::show);
      return;
    }
    TenureReader.Claim claim = TenureReader.Claim.none("not asked yet");
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
    for (String line; (line = lines.readLine()) != null; ) {
      if (line.equals("ask")) {
        claim = reader.ask();
        System.out.println(describe(claim));
      } else if (line.startsWith("write ")) {
        System.out.println(write(arguments[1], claim, line.substring(6)));
      }
    }
  }
}
