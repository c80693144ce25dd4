# The playground loads this file into Python apps that it starts (PYTHONPATH), like preload.cjs for Node. When Python imports Slack's
# libraries, it replaces Slack's default URL with the playground's. No file is changed on disk, and an app that sets its own URL keeps
# it. It also blocks connections to the real Slack.
import os
import re
import socket
import sys
from importlib.machinery import PathFinder, SourceFileLoader
from importlib.util import module_from_spec

ADDRESS = os.environ.get("SIGNALMAN_PLAYGROUND_URL")
SLACK_LIBRARIES = ("slack_sdk", "slack_bolt", "slack")
# slack_sdk before 3.28, and slackclient, call www.slack.com.
SLACK_URL = re.compile(rb"https://(?:www\.)?slack\.com/")


class PlaygroundUrlLoader(SourceFileLoader):
    def get_code(self, fullname):
        # Always compiles from source, because cached .pyc files contain Slack's URL.
        path = self.get_filename(fullname)
        source = SLACK_URL.sub(lambda _: ADDRESS.encode() + b"/", self.get_data(path))
        return self.source_to_code(source, path)


class SslLoader(SourceFileLoader):
    def exec_module(self, module):
        super().exec_module(module)
        stop_tls_to_slack(module.SSLContext)


class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] in SLACK_LIBRARIES:
            loader = PlaygroundUrlLoader
        elif name == "ssl":
            loader = SslLoader
        else:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = loader(spec.loader.name, spec.loader.path)
        return spec


REAL_SLACK = re.compile(r"(^|\.)slack(-edge|-files|-msgs)?\.com\.?$", re.IGNORECASE)


def raise_if_slack(host):
    # A test must never reach a real workspace, no matter which token and URL the app uses.
    name = host.decode() if isinstance(host, bytes) else host
    if not isinstance(name, str) or not REAL_SLACK.search(name):
        return
    message = (
        f"The app called the real Slack ({name}), and the call was stopped. To use the playground, "
        f"set the URL of its API client to SLACK_API_URL ({os.environ.get('SLACK_API_URL')})."
    )
    print(message, file=sys.stderr, flush=True)
    raise OSError(message)


def stop_slack_lookups():
    look_up = socket.getaddrinfo

    def getaddrinfo(host, *args, **kwargs):
        raise_if_slack(host)
        return look_up(host, *args, **kwargs)

    socket.getaddrinfo = getaddrinfo


def stop_tls_to_slack(context):
    # An app with a proxy or its own resolver doesn't call getaddrinfo, but still passes the host name to TLS.
    for method in ("wrap_socket", "wrap_bio"):
        setattr(context, method, blocking_slack(getattr(context, method)))


def blocking_slack(wrap):
    def wrap_for_playground(self, *args, **kwargs):
        raise_if_slack(kwargs.get("server_hostname"))
        return wrap(self, *args, **kwargs)

    return wrap_for_playground


if ADDRESS:
    sys.meta_path.insert(0, Finder)
    stop_slack_lookups()
    if "ssl" in sys.modules:
        stop_tls_to_slack(sys.modules["ssl"].SSLContext)

# This file shadows the machine's own sitecustomize.py, if there is one, so it runs that too.
here = os.path.dirname(os.path.abspath(__file__))
shadowed = PathFinder.find_spec("sitecustomize", [path for path in sys.path if os.path.abspath(path) != here])
if shadowed is not None and shadowed.loader is not None:
    shadowed.loader.exec_module(module_from_spec(shadowed))
