# A stand-in for slackclient. It calls another host than slack_sdk, as slack_sdk did before 3.28.
import slack_sdk


class WebClient(slack_sdk.WebClient):
    BASE_URL = "https://www.slack.com/api/"

    def __init__(self, token, base_url=BASE_URL):
        super().__init__(token, base_url)
