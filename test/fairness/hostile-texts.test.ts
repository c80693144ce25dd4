import { expect, it } from 'vitest'
import { createRequests } from '../bot/access/requests.ts'
import { startStubbedApp } from '../bot/access/slack-stub.ts'
import { createHostileTexts } from '../hostile-texts.ts'
import { everyNthOf, IS_LONG } from '../long.ts'
import { readSeed } from '../random.ts'

const HOME = 'T0HOSTILE1'
const PEOPLE = {
  member: { userId: 'U0MEMBER', teamId: HOME, slack: { team_id: HOME } },
  guest: { userId: 'U0GUEST', teamId: HOME, slack: { team_id: HOME, is_restricted: true } },
  foreign: { userId: 'U0FOREIGN', teamId: 'T0PARTNER', slack: { team_id: 'T0PARTNER', is_stranger: true } },
}
/** The lengths that Slack allows: a message, a button's value, a field. */
const MESSAGE = 39_900
const BUTTON = 2000
const FIELD = 3000
const seed = readSeed()

it('keeps answering hostile text from members, guests, and external users', async () => {
  await using world = await startStubbedApp(Object.values(PEOPLE))
  const { app, slack, send } = world
  const channel = { workspaceId: HOME, channelId: 'C0HOSTILE1', responseUrl: slack.responseUrl }
  // A quick run takes half of the texts, chosen by the seed, because `npm run bench` gives more of them to each parser.
  const hostile = everyNthOf(2, createHostileTexts(MESSAGE, seed, 5)).map(({ text }) => text)
  const isAlive = async (): Promise<void> => {
    expect((await fetch(`${app.url}/healthz`)).status).toBe(200)
  }
  async function sendAll(messages: readonly string[]): Promise<void> {
    for (const [senderIndex, sender] of Object.values(PEOPLE).entries()) {
      const request = createRequests(sender, channel)
      // Who sends a text doesn't change how it's parsed, so a quick run sends each text only once. In a long run, everyone sends it.
      for (const text of messages.filter((_, nth) => IS_LONG || (nth + seed) % 3 === senderIndex)) {
        const short = text.slice(0, BUTTON)
        await Promise.all([
          send(request.mention(`/${text}`)),
          send(request.mention(`/hc list ${text.slice(0, 3900)}`)),
          send(request.command(`/threat ${text}`)),
          send(request.messageShortcut('threat.look-up', text)),
          send(request.action(`/hc list ${short}`)),
          send(request.submission('cert-orders.order', '', { csr: { value: text.slice(0, FIELD) } })),
          isAlive(),
        ])
        slack.calls.length = 0
      }
    }
  }
  await sendAll(hostile)
  await isAlive()
})
