# A stand-in for Slack's slack_sdk, which isn't installed on every machine. Slack's URL is in the same place as in the real library: a
# default value that is evaluated when the class is defined (slack_sdk/web/base_client.py).
import json
import urllib.request


class WebClient:
    BASE_URL = "https://slack.com/api/"

    def __init__(self, token, base_url=BASE_URL):
        self.token = token
        self.base_url = base_url

    def api_call(self, method, **fields):
        request = urllib.request.Request(
            self.base_url + method,
            json.dumps(fields).encode(),
            {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json; charset=utf-8"},
        )
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)
