# Stands for Slack's library of that name, which is not on every machine: its address is where the real one has it
# (slack_sdk/web/base_client.py), a default that is read when the class is.
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
