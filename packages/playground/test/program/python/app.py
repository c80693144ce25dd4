# An ordinary app. It knows its token, but nothing about the playground.
import os
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib import import_module
from urllib.parse import parse_qs

library = import_module(os.environ.get("LIBRARY", "slack_sdk"))
client = library.WebClient(os.environ["SLACK_BOT_TOKEN"])


class Commands(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.send_response(200)
        self.end_headers()
        if not body.startswith("{"):
            command = {name: values[0] for name, values in parse_qs(body).items()}
            client.api_call("chat.postMessage", channel=command["channel_id"], text=f"In Python: {command['text']}")


HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Commands).serve_forever()
