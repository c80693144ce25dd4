"""Drives the playground from Python tests: people who type, click, and fill in modals. One file without dependencies, for Python 3.9.

    with Playground.start("manifest.yml", ["python3", "app.py"]) as slack:
        answer = slack.member.command("/hc", "list", until="checks")
        slack.member.click(answer.message, "Refresh")

`until` is a text, a compiled pattern, or a function of the Answer; by default, any answer is enough. Messages and modals have the
fields of the page's protocol (docs/driver.md). If an answer doesn't arrive, a PlaygroundError says what did.
"""

import json
import os
import re
import subprocess
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

DEFAULT_WAIT = 30.0
TEXT_FIELDS = {"text", "alt_text", "caption", "title", "label", "hint", "description"}


class PlaygroundError(Exception):
    pass


def collect_texts(value, name=""):
    if isinstance(value, str):
        return [value] if name in TEXT_FIELDS else []
    if isinstance(value, list):
        return [text for each in value for text in collect_texts(each, "" if name == "elements" else name)]
    if isinstance(value, dict):
        if value.get("type") == "link" and "text" not in value:
            return [value["url"]]
        return [text for key, each in value.items() for text in collect_texts(each, key)]
    return []


def read_text(surface):
    """All text that a person can read in a message or a modal, one string per line."""
    if not surface:
        return ""
    if "view" in surface:
        parts = [read_text(surface["view"]), *surface["errors"].values(), surface["banner"] or ""]
        return "\n".join(parts).strip()
    blocks = collect_texts(surface["blocks"])
    if "ts" not in surface:
        return "\n".join([(surface.get("title") or {}).get("text", ""), *blocks]).strip()
    return "\n".join([*(blocks if surface["blocks"] else [surface["text"]]), *collect_texts(surface.get("attachments", []))])


class Answer:
    """What an action caused: messages, the top modal if the stack changed, Home, notices, and all of it as one text."""

    def __init__(self, outcome):
        self.outcome, self.messages, self.view, self.closed = outcome, [], None, False
        self.home, self.notices = None, []

    @property
    def message(self):
        return self.messages[-1] if self.messages else None

    @property
    def text(self):
        surfaces = [*self.messages, self.view, self.home]
        return "\n".join(text for text in [*map(read_text, surfaces), *self.notices] if text)

    def _add_event(self, event, user):
        kind, message = event["type"], event.get("message", {})
        if kind in ("message", "message-changed"):
            cause, delivery = message["cause"], self.outcome["deliveryId"]
            if message["user"] == user:
                is_answer = bool(message["warning"])
            else:
                is_answer = not cause or not delivery or cause == delivery
            if not is_answer:
                return
            if message.get("subtype") == "assistant_app_thread":
                return
            count_before = len(self.messages)
            self._drop(message)
            if event.get("threadOnly") and len(self.messages) == count_before:
                return
            self.messages = sorted([*self.messages, message], key=lambda one: float(one["ts"]))
        elif kind == "message-deleted":
            self._drop(event)
        elif kind == "views":
            self.view, self.closed = (event["views"] or [None])[-1], not event["views"]
        elif kind == "home":
            self.home = event["view"]
        elif kind == "notice":
            self.notices.append(event["text"])

    def _drop(self, removed):
        key = (removed["channel"], removed["ts"])
        self.messages = [one for one in self.messages if (one["channel"], one["ts"]) != key]

    def _is_complete(self, until):
        if until is None:
            return bool(self.text or self.closed or self.view or self.home)
        if isinstance(until, str):
            return until in self.text
        return bool(until.search(self.text) if isinstance(until, re.Pattern) else until(self))


def find_elements(value, block):
    """Every interactive element of a block, with its block."""
    if isinstance(value, list):
        return [pair for each in value for pair in find_elements(each, block)]
    if not isinstance(value, dict):
        return []
    block = value if "block_id" in value else block
    own = [(block, value)] if "action_id" in value else []
    return own + [pair for key, each in value.items() if key != "options" for pair in find_elements(each, block)]


def plain_text(value):
    return value.get("text", "") if isinstance(value, dict) else ""


def find_element(blocks, name):
    found = find_elements(blocks, None)
    names = [
        [element["action_id"], plain_text(element.get("text")), plain_text(block.get("label")), plain_text(element.get("placeholder"))]
        + [block["block_id"]]
        for block, element in found
    ]
    for nth in range(5):
        for pair, element_names in zip(found, names):
            if element_names[nth] == name:
                return pair
    available = ", ".join(next((one for one in [*each[1:], each[0]] if one), "") for each in names)
    raise PlaygroundError(f'There is no element "{name}" here. There are: {available or "no interactive elements"}.')


def to_value(element, choice):
    """The value of the option with this label or value, or of each option of a list. Anything else is returned unchanged."""
    groups = [group["options"] for group in element.get("option_groups", [])]
    options = element.get("options", []) + [option for group in groups for option in group]

    def option_value(name):
        return next((option["value"] for option in options if name in (option["value"], plain_text(option["text"]))), name)

    return [option_value(name) for name in choice] if isinstance(choice, list) else option_value(choice)


class Person:
    """One person on the playground."""

    def __init__(self, slack, user):
        self.slack, self.id, self._unsubmitted = slack, user, {}

    def state(self):
        return self.slack.get("state", user=self.id)

    def messages(self, channel="general"):
        state = self.state()
        return state["messages"].get(self._channel(channel, state), [])

    def view(self):
        views = self.state()["views"]
        return views[-1] if views else None

    def see(self, text, wait=DEFAULT_WAIT):
        """Waits until a text is visible in a channel, the top modal, or Home."""

        def read():
            now = self.state()
            messages = [message for channel in now["messages"].values() for message in channel]
            texts = map(read_text, [*messages, (now["views"] or [None])[-1], now["home"]])
            visible = "\n".join(one for one in texts if one)
            return visible if text in visible else None

        return self._until(read, f'"{text}"', wait)

    def _until(self, read, description, wait):
        """Calls `read` again after each event, until it returns something."""
        end = time.monotonic() + wait
        while True:
            seq = self.state()["seq"]
            value = read()
            if value:
                return value
            if time.monotonic() >= end:
                raise PlaygroundError(f"{self.id} waited {wait} s for {description}.{self.slack.output()}")
            self.slack.get("events", user=self.id, after=seq, wait=int(1000 * min(1, wait)))

    def command(self, command, text="", channel="general", **waiting):
        return self.act("command", waiting, command=command, text=text, channel=self._channel(channel))

    def say(self, text, channel="general", thread_ts=None, until=lambda answer: True, **waiting):
        """Posts a message. Waits for the answer only if `until` is given."""
        thread = {"threadTs": thread_ts} if thread_ts else {}
        return self.act("message", {"until": until, **waiting}, text=text, channel=self._channel(channel), **thread)

    def reply(self, message, text, **waiting):
        """Replies in a message's thread, or in the thread that it is part of."""
        return self.say(text, message["channel"], message.get("threadTs") or message["ts"], **waiting)

    def share(self, url, channel="general", wait=DEFAULT_WAIT):
        """Posts a URL, and waits for the app's unfurl or work object. Returns the message."""
        ts = self.say(url, channel).outcome.get("ts")

        def is_unfurled(message):
            unfurls = [*message.get("attachments", []), *message.get("entities", [])]
            return any(url in (one.get("from_url"), one.get("app_unfurl_url"), one.get("url")) for one in unfurls)

        def find_message():
            return next((one for one in self.messages(channel) if one["ts"] == ts and is_unfurled(one)), None)

        return self._until(find_message, f"{url} with an unfurl", wait)

    def preview(self, *urls, wait=DEFAULT_WAIT):
        """Types URLs without sending them, and waits for the app's previews. In organizations, Slack doesn't request previews."""
        self.slack.post("links", {"user": self.id, "urls": urls})

        def find_previews():
            return [one for one in self.state().get("previews", []) if one.get("from_url") in urls]

        return self._until(find_previews, f"a preview of {', '.join(urls)}", wait)

    def start_thread(self, from_channel="dm"):
        """Starts an assistant thread from the channel that this person is viewing. `reply` continues it."""
        outcome = self.slack.post("thread", {"user": self.id, "from": self._channel(from_channel)})
        if not outcome["ok"]:
            raise PlaygroundError(f"The thread wasn't started: {outcome['message']}")
        return {"channel": self._channel("dm"), "ts": outcome["ts"]}

    def look_at(self, channel, thread):
        """Views another channel next to an assistant thread."""
        return self.slack.post("thread", {"user": self.id, "from": self._channel(channel), "ts": thread["ts"]})

    def join_group(self, group, leave=False):
        """Joins or leaves a user group, given by its handle or ID."""
        return self.slack.post("group", {"user": self.id, "group": group, "leave": leave})

    def leave_group(self, group):
        return self.join_group(group, leave=True)

    def update_account(self, **change):
        """Changes this person's profile or time zone: `update_account(tz="Europe/Berlin")`."""
        return self.slack.post("person", {"user": self.id, **change})

    def click(self, surface, name, **waiting):
        return self._press(surface, name, None, waiting)

    def choose(self, surface, name, value, **waiting):
        return self._press(surface, name, value, waiting)

    def fill(self, answers, modal=None):
        view = self._find_top_modal(modal)
        values = self._unsubmitted.setdefault(view["id"], {})
        for name, answer in answers.items():
            block, element = find_element(view["blocks"], name)
            values.setdefault(block["block_id"], {})[element["action_id"]] = to_value(element, answer)
        return view

    def submit(self, answers={}, modal=None, **waiting):
        view = self.fill(answers, modal)
        return self.act("submit", waiting, viewId=view["id"], values=self._unsubmitted[view["id"]])

    def close(self, modal=None, **waiting):
        return self.act("close", waiting, viewId=self._find_top_modal(modal)["id"])

    def shortcut(self, callback_id, message=None, **waiting):
        on = {"message": {"channel": message["channel"], "ts": message["ts"]}} if message else {}
        return self.act("shortcut", waiting, callbackId=callback_id, **on)

    def open_home(self, **waiting):
        return self.act("home", {"until": lambda answer: answer.home is not None, **waiting})

    def react(self, message, name, remove=False):
        at = {"channel": message["channel"], "ts": message["ts"]}
        return self.act("react", {"until": lambda answer: True}, name=name, remove=remove, **at)

    def act(self, path, waiting={}, **body):
        """Posts to the control API as the page does, and waits for the answer."""
        return self._answer(self.slack.post(path, {"user": self.id, **body}), **waiting)

    def _answer(self, outcome, until=None, wait=DEFAULT_WAIT):
        answer, after, end, exit_warning = Answer(outcome), outcome["seq"], time.monotonic() + wait, ""
        while True:
            left = end - time.monotonic()
            page = self.slack.get("events", user=self.id, after=after, wait=max(0, int(1000 * min(5, left))))
            after = page["seq"]
            for one in page["events"]:
                event = one["event"]
                if event["type"] == "app-warning" and event.get("appExited"):
                    exit_warning = event["text"]
                if one.get("trace", outcome.get("trace")) == outcome.get("trace"):
                    answer._add_event(event, self.id)
            if answer._is_complete(until):
                return answer
            if left <= 0 or exit_warning:
                result = "the app acknowledged" if outcome["ok"] else outcome["message"]
                received = answer.text or "(nothing)"
                raise PlaygroundError(f"No answer ({result}). Received so far:\n{received}\n{exit_warning}{self.slack.output()}")

    def _press(self, surface, name, value, waiting):
        target = surface.get("view", surface) if surface else None
        if not target:
            raise PlaygroundError("There is no message or view to use.")
        block, element = find_element(target["blocks"], name)
        at = {"blockId": block["block_id"], "actionId": element["action_id"]}
        chosen = {} if value is None else {"value": to_value(element, value)}
        if "ts" in target:
            ref, values = {"kind": "message", "channel": target["channel"], "ts": target["ts"]}, {}
        else:
            ref, values = {"kind": "view", "viewId": target["id"]}, self._unsubmitted.setdefault(target["id"], {})
        if chosen:
            values.setdefault(at["blockId"], {})[at["actionId"]] = chosen["value"]
        return self.act("action", waiting, surface=ref, values=values, **at, **chosen)

    def _find_top_modal(self, modal):
        top = self.view()
        if not top:
            raise PlaygroundError(f"{self.id} has no modal open.")
        if modal and modal.get("view", modal)["id"] != top["view"]["id"]:
            raise PlaygroundError(f'Another modal is on top: {read_text(top)}')
        return top["view"]

    def _channel(self, name, state=None):
        state = state or self.state()
        key = state["bot"]["userId"] if name == "dm" else name.lstrip("#")
        for channel in state["channels"]:
            if key in (channel["id"], channel["name"]):
                return channel["id"]
        raise PlaygroundError(f'{self.id} isn\'t in a channel "{name}".')


class Playground:
    """A running playground, given by its URL. `start` starts one together with the app."""

    def __init__(self, url, process=None, printed=None):
        self.url, self._process, self._printed = url.rstrip("/"), process, printed if printed is not None else []
        self.member, self.admin = self.user("U0MEMBER01"), self.user("U0ADMIN001")

    @classmethod
    def start(cls, manifest, command, cwd=None, env=None, flags=(), program=("npx", "signalman-playground"), wait=DEFAULT_WAIT):
        """Starts a playground and the app, and waits until the app is ready."""
        line = [*program, "--port", "0", "--manifest", os.path.abspath(manifest), *flags, "--", *command]
        process = subprocess.Popen(
            line, cwd=cwd, env={**os.environ, **(env or {})}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        printed, ready = [], threading.Event()

        def listen():
            for text in process.stdout:
                printed.append(text)
                if text == "The app is ready.\n" or text.startswith("The app exited"):
                    ready.set()
            ready.set()

        threading.Thread(target=listen, daemon=True).start()
        ready.wait(wait)
        address = re.search(r"Playground: (http://\S+)", "".join(printed))
        slack = cls(address[1] if address else "", process, printed)
        if "The app is ready.\n" not in printed:
            output = slack.output()
            slack.close()
            raise PlaygroundError(f"The app isn't ready.{output}")
        return slack

    def user(self, user):
        return Person(self, user)

    def deliveries(self, kind=None):
        """The requests between the playground and the app, oldest first; all of them, or those of one kind."""
        return [one for one in self.get("deliveries")["deliveries"] if kind in (None, one["kind"])]

    def faults(self, *faults):
        return self.post("faults", list(faults))

    def output(self):
        """The end of the app's output, to append to an error."""
        printed = "".join(self._printed[-40:]).strip()
        return f"\nPrinted:\n{printed}" if printed else ""

    def get(self, path, **query):
        return self._send(urllib.request.Request(f"{self.url}/_playground/{path}?{urllib.parse.urlencode(query)}"))

    def post(self, path, body):
        headers = {"x-playground": "1", "content-type": "application/json"}
        url = f"{self.url}/_playground/{path}"
        return self._send(urllib.request.Request(url, json.dumps(body).encode(), headers, method="POST"))

    def _send(self, request):
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            text = error.read().decode()
            try:
                text = json.loads(text)["message"]
            except (ValueError, KeyError):
                pass
            raise PlaygroundError(text) from None

    def close(self):
        if self._process:
            self._process.terminate()
            self._process.wait()
            self._process.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
