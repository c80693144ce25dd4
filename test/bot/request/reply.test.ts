import type { Message } from '@signalman/playground'
import type { Answer, User } from '@signalman/playground/driver'
import { isDirect } from '@signalman/slack'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { requestOrder, startOrders } from '../../features/cert-orders/order-helpers.ts'
import { createThreatEvent } from '../../features/threats/events.ts'
import type { World, WorldOptions } from '../../world.ts'

const PARTNER = 'C0PARTNER1'
const THREAT = '7e57ed00-0000-4000-8000-00000000000a'
const OTHER = '7e57ed00-0000-4000-8000-00000000000b'

/** Cards, and the commands that share them. Those with `alsoWhenFailing` are also tested while the service fails. */
const CARDS = [
  { card: 'the summary', line: '/hc', alsoWhenFailing: true },
  { card: 'a listing', line: '/hc list', alsoWhenFailing: true },
  { card: 'a page of a listing', line: '/hc list --sort uuid --offset 15' },
  { card: 'a health check', line: '/hc show web-0', alsoWhenFailing: true },
  { card: 'the history of all health checks', line: '/hc history' },
  { card: 'the history of one health check', line: '/hc history web-0 24h' },
  { card: 'an order', line: '/cert-order show 1', alsoWhenFailing: true },
  { card: 'a threat event', line: `/threat ${THREAT}`, alsoWhenFailing: true },
  { card: 'two threat events', line: `/threat ${THREAT} ${OTHER}` },
]

const MAX_PRESSES = 8

/** Labels of buttons that change messages for everyone in the channel. */
const PUBLIC_BUTTONS = ['Take', 'Withdraw']

async function start(options: WorldOptions = {}): Promise<World> {
  const world = await startOrders(
    {},
    {
      checks: [
        ...Array.from({ length: 18 }, (_, index) => ({ name: `web-${index}`, status: 'UNHEALTHY' })),
        ...Array.from({ length: 3 }, (_, index) => ({
          name: `new-${index}`,
          status: 'INSTALLING',
          protocol: 'TCP',
        })),
      ],
      serviceLimits: { retry: { attempts: 1 } },
      guests: 'can-view',
      ...options,
    },
  )
  for (const id of [THREAT, OTHER])
    await world.service.storeThreat(id, { ...createThreatEvent('site.example'), id })
  await requestOrder(world.slack.member)
  // Guests must be invited to a channel.
  await world.slack.load({ channels: [{ name: 'partner', members: ['guest'] }] })
  return world
}

/** Lists the app's posts that everyone in the channel sees. Slack's join messages aren't included. */
const listPublicPosts = async ({ slack }: World): Promise<Message[]> =>
  (await slack.user('U0FOREIGN1').messages(PARTNER)).filter(
    (message) => isPublic(message) && message.subtype !== 'channel_join',
  )

async function share(world: World, line: string): Promise<Message> {
  const [command = '', ...words] = `${line} --share --yes`.split(' ')
  const isShared = (message: Message) => isPublic(message) && message.channel === PARTNER
  const { messages } = await world.slack.member.command(command, words.join(' '), {
    channel: PARTNER,
    until: ({ messages }) => messages.some(isShared),
  })
  const message = messages.findLast(isShared)
  if (!message) throw new Error(`${line} was not shared.`)
  return message
}

interface Press {
  label: string
  actionId: string
  choice?: string
}

/** Lists the distinct buttons and options of a card, up to a limit. */
function listPresses({ blocks }: Message): Press[] {
  const all = blocks
    .flatMap((block) => [block.elements ?? [], block.accessory ?? []].flat())
    .flatMap(readPresses)
  return [...new Map(all.map((press) => [press.label, press])).values()].slice(0, MAX_PRESSES)
}

/** Reads a button, or the options of a menu. The elements of blocks are untyped JSON here. */
function readPresses(element: unknown): Press[] {
  const {
    type,
    action_id = '',
    text,
    options = [],
  } = element as {
    type?: string
    action_id?: string
    text?: { text: string }
    options?: { text: { text: string }; value: string }[]
  }
  if (type === 'button') return [{ label: text?.text ?? '', actionId: action_id }]
  return options.map(({ text: { text: label }, value }) => ({ label, actionId: action_id, choice: value }))
}

/** Whether the app has answered. A placeholder, in a message or a modal, doesn't count. */
const isAnswered = ({ messages, view, text: all }: Answer): boolean =>
  view === undefined
    ? messages.some(({ text }) => !text.includes('Still working'))
    : !all.includes('One moment…')

async function press(user: User, card: Message, { actionId, choice }: Press): Promise<Answer> {
  const until = { until: isAnswered }
  const answer = await (choice === undefined
    ? user.click(card, actionId, until)
    : user.choose(card, actionId, choice, until))
  if (answer.view) await user.close({ all: true })
  return answer
}

const isPublic = ({ ephemeral }: Message): boolean => !ephemeral

const failEverything = ({ service }: World): Promise<void> =>
  service.faults({ path: '/', kind: 'status', status: 500, times: 999 })

const PEOPLE = [
  {
    person: 'a member',
    id: 'U0MEMBER01',
    shouldPress: ({ label }: Press) => !PUBLIC_BUTTONS.includes(label),
  },
  // All buttons answer a guest in the same way. What guests may do is tested for each verb.
  {
    person: 'a guest',
    id: 'U0GUEST001',
    shouldPress: ({ label }: Press, nth: number) => PUBLIC_BUTTONS.includes(label) || nth < 2,
  },
  // Two buttons are enough, because the app rejects these people before it looks at the button.
  {
    person: 'someone from another organization',
    id: 'U0FOREIGN1',
    shouldPress: (_: Press, nth: number) => nth < 2,
  },
]

describe.each([
  { behavior: 'answers', isFailing: false, times: {} },
  { behavior: 'fails after a placeholder was shown', isFailing: true, times: { placeholderMs: 1 } },
])('while the service $behavior, Signalman', ({ isFailing, times }) => {
  let world: World
  beforeAll(async () => {
    world = await start({ requestDeadlines: times })
  })
  afterEach(async () => {
    await world.service.faults()
    await world.slack.reset()
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  const cards = CARDS.filter(({ alsoWhenFailing }) => alsoWhenFailing || !isFailing)
  it.each(cards)(
    'shows the answer to a button on a shared card only to the person who pressed it: $card',
    async ({ line }) => {
      const card = await share(world, line)
      const before = await listPublicPosts(world)
      if (isFailing) await failEverything(world)
      // Files are sent in direct messages.
      const presses = listPresses(card).filter(
        ({ label }) => !['Export these', 'Whole list as a file'].includes(label),
      )
      expect(presses.map(({ label }) => label)).not.toContain('Refresh')
      for (const { person, id, shouldPress } of PEOPLE)
        for (const button of presses.filter(shouldPress)) {
          const { messages, text } = await press(world.slack.user(id), card, button)
          const action = `${person} presses ${button.label}`
          // A direct message about the order that the world began with may come at the same moment.
          expect(
            messages.filter((message) => isPublic(message) && !isDirect(message.channel)),
            action,
          ).toEqual([])
          expect(text.includes('people of this workspace'), action).toBe(id === 'U0FOREIGN1')
          expect(await listPublicPosts(world), action).toEqual(before)
        }
    },
  )

  it('shows the result of a button from an earlier version only to the person who pressed it', async () => {
    const { apiUrl, botToken } = world.playground
    const button = {
      type: 'button',
      action_id: 'command-in-place.0',
      text: { type: 'plain_text', text: 'Refresh' },
      value: '/hc list --env production',
    }
    await fetch(`${apiUrl}chat.postMessage`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${botToken}` },
      body: JSON.stringify({
        channel: PARTNER,
        text: 'x',
        blocks: [{ type: 'actions', elements: [button] }],
      }),
    })
    const before = await listPublicPosts(world)
    const [card] = before
    if (!card) throw new Error('Nothing was posted.')
    if (isFailing) await failEverything(world)
    for (const { id } of PEOPLE) {
      await press(world.slack.user(id), card, { label: 'Refresh', actionId: 'Refresh' })
      expect(await listPublicPosts(world)).toEqual(before)
    }
  })
})

it('replaces an ephemeral message when its button is pressed', async () => {
  await using world = await start()
  const { member } = world.slack
  const { message } = await member.command('/hc', 'list --limit 1', { channel: PARTNER })
  await member.click(message, 'Next', { until: 'page 2' })
  const ephemeralMessages = (await member.messages(PARTNER)).filter(({ ephemeral }) => ephemeral)
  expect(ephemeralMessages.map(({ ts }) => ts)).toEqual([message?.ts])
})
