import com.sun.net.httpserver.HttpServer;
import java.net.*;
import java.net.http.*;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** An app in Java without libraries. It verifies the signatures of requests, and calls the Web API at SLACK_API_URL. */
public class App {
  static String env(String name) {
    return System.getenv(name);
  }

  static String sign(String text) throws Exception {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(env("SLACK_SIGNING_SECRET").getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
    return "v0=" + HexFormat.of().formatHex(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
  }

  static String field(String form, String name) {
    for (String pair : form.split("&"))
      if (pair.startsWith(name + "="))
        return URLDecoder.decode(pair.substring(name.length() + 1), StandardCharsets.UTF_8);
    return "";
  }

  public static void main(String[] args) throws Exception {
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(env("PORT"))), 0);
    server.createContext("/", exchange -> {
      try {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        var headers = exchange.getRequestHeaders();
        String signed = sign("v0:" + headers.getFirst("x-slack-request-timestamp") + ":" + body);
        boolean isSlack = signed.equals(headers.getFirst("x-slack-signature"));
        exchange.sendResponseHeaders(isSlack ? 200 : 401, -1);
        exchange.close();
        if (!isSlack || field(body, "command").isEmpty()) return;
        String message = "channel=" + field(body, "channel_id") + "&text=In+Java:+" + field(body, "text");
        HttpRequest call = HttpRequest.newBuilder(URI.create(env("SLACK_API_URL") + "chat.postMessage"))
            .header("authorization", "Bearer " + env("SLACK_BOT_TOKEN"))
            .header("content-type", "application/x-www-form-urlencoded")
            .POST(HttpRequest.BodyPublishers.ofString(message))
            .build();
        HttpClient.newHttpClient().send(call, HttpResponse.BodyHandlers.discarding());
      } catch (Exception error) {
        error.printStackTrace();
      }
    });
    server.start();
  }
}
