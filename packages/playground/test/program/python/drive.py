"""Uses the Python driver with several apps, and prints the results. Usage: `drive.py PROGRAM…`, where PROGRAM… starts the playground."""

import os
import re
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "../../../python"))
from signalman_playground import Playground, PlaygroundError  # noqa: E402

program = sys.argv[1:]
node = program[0]


def start(app, manifest):
    return Playground.start(os.path.join(here, manifest), [node, os.path.join(here, app)], program=program, wait=120)


def command_until_acknowledged(person):
    """Retries the command, because on a busy machine a new app may not acknowledge it within 3 s."""
    for _ in range(5):
        answer = person.command("/hc", "one")
        if "to one" in answer.text:
            break
    return answer


with start("../../../example/app.js", "../../../example/manifest.yml") as slack:
    greeting = slack.member.say("hello", until="Hey there")
    print(slack.member.click(greeting.message, "Click Me", until=re.compile("clicked .* button")).text)
    print([delivery["verdict"] for delivery in slack.deliveries("chat.postMessage")])
    try:
        slack.member.click(greeting.message, "Nope")
    except PlaygroundError as error:
        print(error)

with start("../busy-app.cjs", "../../manifest.yml") as slack:
    print(command_until_acknowledged(slack.admin).text, "|", slack.admin.see("to one"))
    try:
        slack.member.command("/hc", "die", until="anything")
    except PlaygroundError as error:
        print("The app exited with code 9." in str(error))

try:
    start("nowhere.cjs", "../../../example/manifest.yml")
except PlaygroundError as error:
    print("Cannot find module" in str(error))

with start("../link-app.cjs", "../../full-manifest.yml") as slack:
    print(slack.member.share("https://example.com/1")["attachments"][0]["text"])
    print(slack.member.preview("https://example.com/2")[0]["text"])
    thread = slack.member.start_thread("general")
    print("Nothing is down." in slack.member.reply(thread, "What is down?", until="Nothing").text)
    print(slack.member.look_at("random", thread)["ok"], slack.admin.join_group("@on-call")["ok"])
