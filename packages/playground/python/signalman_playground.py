"""Drives the playground from tests in Python: people that type, click and fill in windows. One file; needs Python 3.9 alone.

    with Playground.start("manifest.yml", ["python3", "app.py"]) as slack:
        answer = slack.member.command("/hc", "list", until="checks")
        slack.member.click(answer.message, "Refresh")

`until` is a text, a compiled pattern or a function of the Answer; left out, anything at all is waited for. What messages
and windows hold is as the page has it (docs/driver.md). Whatever does not come is a PlaygroundError that says what did.
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

PATIENCE = 30.0
SHOWN = {"text", "alt_text", "caption", "title", "label", "hint", "description"}


class PlaygroundError(Exception):
    pass


def strings(value, name=""):
    if isinstance(value, str):
        return [value] if name in SHOWN else []
    if isinstance(value, list):
        return [text for each in value for text in strings(each, "" if name == "elements" else name)]
    if isinstance(value, dict):
        if value.get("type") == "link" and "text" not in value:
            return [value["url"]]
        return [text for key, each in value.items() for text in strings(each, key)]
    return []


def read_text(shown):
    """All that a person can read in a message or a window, one string a line."""
    if not shown:
        return ""
    if "view" in shown:
        parts = [read_text(shown["view"]), *shown["errors"].values(), shown["banner"] or ""]
        return "\n".join(parts).strip()
    blocks = strings(shown["blocks"])
    if "ts" not in shown:
        return "\n".join([(shown.get("title") or {}).get("text", ""), *blocks]).strip()
    return "\n".join([*(blocks if shown["blocks"] else [shown["text"]]), *strings(shown.get("attachments", []))])


class Answer:
    """What came of an act: messages, the top window when the stack changed, Home, notices, and all of it as one text."""

    def __init__(self, outcome):
        self.outcome, self.messages, self.view, self.closed = outcome, [], None, False
        self.home, self.notices = None, []

    @property
    def message(self):
        return self.messages[-1] if self.messages else None

    @property
    def text(self):
        shown = [*self.messages, self.view, self.home]
        return "\n".join(text for text in [*map(read_text, shown), *self.notices] if text)

    def _take(self, event, user):
        kind, message = event["type"], event.get("message", {})
        if kind in ("message", "message-changed"):
            cause, delivery = message["cause"], self.outcome["deliveryId"]
            own = message["user"] == user
            if not message["warning"] if own else cause and delivery and cause != delivery:
                return
            if message.get("subtype") == "assistant_app_thread":
                return
            known = len(self.messages)
            self._drop(message)
            if event.get("threadOnly") and len(self.messages) == known:
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

    def _drop(self, gone):
        same = lambda one: (one["channel"], one["ts"]) == (gone["channel"], gone["ts"])  # noqa: E731
        self.messages = [one for one in self.messages if not same(one)]

    def _reaches(self, until):
        if until is None:
            return bool(self.text or self.closed or self.view or self.home)
        if isinstance(until, str):
            return until in self.text
        return bool(until.search(self.text) if isinstance(until, re.Pattern) else until(self))


def spots(value, block):
    """Everything in a block that can be acted on, with the block that it stands in."""
    if isinstance(value, list):
        return [spot for each in value for spot in spots(each, block)]
    if not isinstance(value, dict):
        return []
    block = value if "block_id" in value else block
    own = [(block, value)] if "action_id" in value else []
    return own + [spot for key, each in value.items() if key != "options" for spot in spots(each, block)]


def plain(value):
    return value.get("text", "") if isinstance(value, dict) else ""


def find_spot(blocks, name):
    found = spots(blocks, None)
    names = [
        [element["action_id"], plain(element.get("text")), plain(block.get("label")), plain(element.get("placeholder"))]
        + [block["block_id"]]
        for block, element in found
    ]
    for nth in range(5):
        for spot, known in zip(found, names):
            if known[nth] == name:
                return spot
    known = ", ".join(next((one for one in [*each[1:], each[0]] if one), "") for each in names)
    raise PlaygroundError(f'There is nothing called "{name}" here. There is: {known or "nothing to act on"}.')


def value_of(element, given):
    """A choice by its label or its value, as the value."""
    groups = [group["options"] for group in element.get("option_groups", [])]
    options = element.get("options", []) + [option for group in groups for option in group]
    one = lambda choice: next((o["value"] for o in options if choice in (o["value"], plain(o["text"]))), choice)  # noqa: E731
    return [one(each) for each in given] if isinstance(given, list) else one(given)


class Person:
    """One person at the playground."""

    def __init__(self, slack, user):
        self.slack, self.id, self._typed = slack, user, {}

    def state(self):
        return self.slack.get("state", user=self.id)

    def messages(self, channel="general"):
        state = self.state()
        return state["messages"].get(self._channel(channel, state), [])

    def view(self):
        views = self.state()["views"]
        return views[-1] if views else None

    def see(self, text, wait=PATIENCE):
        """Waits until this can be read: in a channel, the top window, or Home."""

        def read():
            now = self.state()
            shown = [one for messages in now["messages"].values() for one in messages]
            texts = map(read_text, [*shown, (now["views"] or [None])[-1], now["home"]])
            whole = "\n".join(one for one in texts if one)
            return whole if text in whole else None

        return self._until(read, f'"{text}"', wait)

    def _until(self, look, what, wait):
        """Looks again after each event, until there is something to see."""
        end = time.monotonic() + wait
        while True:
            seq = self.state()["seq"]
            seen = look()
            if seen:
                return seen
            if time.monotonic() >= end:
                raise PlaygroundError(f"{self.id} has waited {wait} s for {what}.{self.slack.told()}")
            self.slack.get("events", user=self.id, after=seq, wait=int(1000 * min(1, wait)))

    def command(self, command, text="", channel="general", **waiting):
        return self.act("command", waiting, command=command, text=text, channel=self._channel(channel))

    def say(self, text, channel="general", thread_ts=None, until=lambda answer: True, **waiting):
        """Writes a message. The answer is awaited where `until` is given."""
        more = {"threadTs": thread_ts} if thread_ts else {}
        return self.act("message", {"until": until, **waiting}, text=text, channel=self._channel(channel), **more)

    def reply(self, message, text, **waiting):
        """Answers in a message's thread: in its own, when it stands in one."""
        return self.say(text, message["channel"], message.get("threadTs") or message["ts"], **waiting)

    def share(self, url, channel="general", wait=PATIENCE):
        """Writes an address, and waits for what the app says of it: the message with its unfurl, or its work object."""
        ts = self.say(url, channel).outcome.get("ts")
        says = lambda one: url in (one.get("from_url"), one.get("app_unfurl_url"), one.get("url"))  # noqa: E731
        shown = lambda one: [*one.get("attachments", []), *one.get("entities", [])]  # noqa: E731
        found = lambda: [one for one in self.messages(channel) if one["ts"] == ts and any(map(says, shown(one)))]  # noqa: E731
        return self._until(found, f"{url} with an unfurl", wait)[0]

    def preview(self, *urls, wait=PATIENCE):
        """Writes addresses without sending them, and waits for what the app says of one; nothing of any in organizations."""
        self.slack.post("links", {"user": self.id, "urls": urls})
        found = lambda: [one for one in self.state().get("previews", []) if one.get("from_url") in urls]  # noqa: E731
        return self._until(found, f"a preview of {', '.join(urls)}", wait)

    def start_thread(self, from_channel="dm"):
        """Begins a thread with the assistant, out of the channel that this person looks at; `reply` goes on in it."""
        outcome = self.slack.post("thread", {"user": self.id, "from": self._channel(from_channel)})
        if not outcome["ok"]:
            raise PlaygroundError(f"The thread was not begun: {outcome['message']}")
        return {"channel": self._channel("dm"), "ts": outcome["ts"]}

    def look_at(self, channel, thread):
        """Opens another channel beside a thread with the assistant."""
        return self.slack.post("thread", {"user": self.id, "from": self._channel(channel), "ts": thread["ts"]})

    def join_group(self, group, leave=False):
        """Comes into a user group, named by its handle or id, or goes out of it."""
        return self.slack.post("group", {"user": self.id, "group": group, "leave": leave})

    def leave_group(self, group):
        return self.join_group(group, leave=True)

    def become(self, **change):
        """Changes who this person is, or where: `become(tz="Europe/Berlin")`."""
        return self.slack.post("person", {"user": self.id, **change})

    def click(self, surface, name, **waiting):
        return self._press(surface, name, None, waiting)

    def choose(self, surface, name, value, **waiting):
        return self._press(surface, name, value, waiting)

    def fill(self, answers, window=None):
        view = self._window(window)
        values = self._typed.setdefault(view["id"], {})
        for name, answer in answers.items():
            block, element = find_spot(view["blocks"], name)
            values.setdefault(block["block_id"], {})[element["action_id"]] = value_of(element, answer)
        return view

    def submit(self, answers={}, window=None, **waiting):
        view = self.fill(answers, window)
        return self.act("submit", waiting, viewId=view["id"], values=self._typed[view["id"]])

    def close(self, window=None, **waiting):
        return self.act("close", waiting, viewId=self._window(window)["id"])

    def shortcut(self, callback_id, message=None, **waiting):
        on = {"message": {"channel": message["channel"], "ts": message["ts"]}} if message else {}
        return self.act("shortcut", waiting, callbackId=callback_id, **on)

    def open_home(self, **waiting):
        return self.act("home", {"until": lambda answer: answer.home is not None, **waiting})

    def react(self, message, name, remove=False):
        at = {"channel": message["channel"], "ts": message["ts"]}
        return self.act("react", {"until": lambda answer: True}, name=name, remove=remove, **at)

    def act(self, path, waiting={}, **body):
        """Does what a post of the page does, and waits for what comes of it."""
        return self._answer(self.slack.post(path, {"user": self.id, **body}), **waiting)

    def _answer(self, outcome, until=None, wait=PATIENCE):
        answer, after, end, ended = Answer(outcome), outcome["seq"], time.monotonic() + wait, ""
        while True:
            left = end - time.monotonic()
            page = self.slack.get("events", user=self.id, after=after, wait=max(0, int(1000 * min(5, left))))
            after = page["seq"]
            for one in page["events"]:
                event = one["event"]
                if event["type"] == "remark" and event.get("hasEnded"):
                    ended = event["text"]
                if one.get("trace", outcome.get("trace")) == outcome.get("trace"):
                    answer._take(event, self.id)
            if answer._reaches(until):
                return answer
            if left <= 0 or ended:
                how = "the app acknowledged" if outcome["ok"] else outcome["message"]
                seen = answer.text or "(nothing)"
                raise PlaygroundError(f"No answer ({how}). Seen so far:\n{seen}\n{ended}{self.slack.told()}")

    def _press(self, surface, name, value, waiting):
        shown = surface.get("view", surface) if surface else None
        if not shown:
            raise PlaygroundError("There is no message and no window to act on.")
        block, element = find_spot(shown["blocks"], name)
        at = {"blockId": block["block_id"], "actionId": element["action_id"]}
        chosen = {} if value is None else {"value": value_of(element, value)}
        if "ts" in shown:
            place, values = {"kind": "message", "channel": shown["channel"], "ts": shown["ts"]}, {}
        else:
            place, values = {"kind": "view", "viewId": shown["id"]}, self._typed.setdefault(shown["id"], {})
        if chosen:
            values.setdefault(at["blockId"], {})[at["actionId"]] = chosen["value"]
        return self.act("action", waiting, place=place, values=values, **at, **chosen)

    def _window(self, window):
        top = self.view()
        if not top:
            raise PlaygroundError(f"{self.id} has no window open.")
        if window and window.get("view", window)["id"] != top["view"]["id"]:
            raise PlaygroundError(f'Another window is on top: {read_text(top)}')
        return top["view"]

    def _channel(self, name, state=None):
        state = state or self.state()
        wanted = state["bot"]["userId"] if name == "dm" else name.lstrip("#")
        for channel in state["channels"]:
            if wanted in (channel["id"], channel["name"]):
                return channel["id"]
        raise PlaygroundError(f'{self.id} is in no channel "{name}".')


class Playground:
    """A playground that runs, by its address; `start` starts one, with the app beside it."""

    def __init__(self, url, process=None, printed=None):
        self.url, self._process, self._printed = url.rstrip("/"), process, printed if printed is not None else []
        self.member, self.admin = self.user("U0MEMBER01"), self.user("U0ADMIN001")

    @classmethod
    def start(cls, manifest, command, cwd=None, env=None, flags=(), program=("npx", "signalman-playground"), wait=PATIENCE):
        """Starts the playground with the app of `command`, and waits until the app is ready."""
        line = [*program, "--port", "0", "--manifest", os.path.abspath(manifest), *flags, "--", *command]
        process = subprocess.Popen(
            line, cwd=cwd, env={**os.environ, **(env or {})}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        printed, ready = [], threading.Event()

        def listen():
            for text in process.stdout:
                printed.append(text)
                if text == "The app is ready.\n" or text.startswith("The app has ended"):
                    ready.set()
            ready.set()

        threading.Thread(target=listen, daemon=True).start()
        ready.wait(wait)
        address = re.search(r"Playground: (http://\S+)", "".join(printed))
        slack = cls(address[1] if address else "", process, printed)
        if "The app is ready.\n" not in printed:
            told = slack.told()
            slack.close()
            raise PlaygroundError(f"The app is not ready.{told}")
        return slack

    def user(self, user):
        return Person(self, user)

    def deliveries(self, kind=None):
        """Every request between the playground and the app, oldest first; all, or those of one kind."""
        return [one for one in self.get("deliveries")["deliveries"] if kind in (None, one["kind"])]

    def faults(self, *faults):
        return self.post("faults", list(faults))

    def told(self):
        """The end of what the app has printed, for the end of a sentence."""
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
