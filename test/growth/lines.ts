import { setTimeout as pause } from 'node:timers/promises'
import { TEXT_LIMITS } from '@signalman/runtime'
import { splitWords } from '../../src/domain/quoting.ts'
import type { Order } from '../../src/features/cert-orders/rules/order.ts'
import { createRequests } from '../bot/access/requests.ts'
import { type SentCall, startStubbedApp } from '../bot/access/slack-stub.ts'
import { findMeantBy } from '../bot/grammar/real-verbs.ts'
import { exampleRequest, storeOrder } from '../features/cert-orders/order-process.ts'
import { addGrant } from '../give-role.ts'
import { createHostileShapes, type HostileShape } from '../hostile-texts.ts'
import { IS_LONG } from '../long.ts'
import { type Shape, type Work, work } from './grow.ts'
import { fill } from './texts.ts'
import { windowWorks } from './windows.ts'

const HOME = 'T0GROWTH01'
const PERSON = { userId: 'U0MEMBER01', teamId: HOME, slack: { team_id: HOME, is_admin: true } }

/** What lines have in places where a text is read. */
const LINES: Readonly<Record<string, (text: string) => string>> = {
  'a line without a verb': (text) => `/hc ${text}`,
  help: (text) => `/hc help ${text}`,
  'a list of health checks': (text) => `/hc list ${text}`,
  'a health check to show': (text) => `/hc show ${text}`,
  'a change of many': (text) => `/hc edit ${text} --frequency 30`,
  'recipients of many': (text) => `/hc recipients ann@example.com ${text} --add`,
  'a watch': (text) => `/hc watch ${text}`,
  'a watch without some': (text) => `/hc watch all --not ${text}`,
  'the steps of a watch': (text) => `/hc watch all --escalate "${text.replaceAll('"', '')}"`,
  'a mute': (text) => `/hc mute ${text} 2h`,
  maintenance: (text) => `/hc maintenance all --from ${text} --for 2h`,
  'a history': (text) => `/hc history ${text}`,
  'who is on it': (text) => `/hc who ${text}`,
  'the audit log': (text) => `/hc audit ${text}`,
  'a role': (text) => `/hc grant ${text} viewer`,
  events: (text) => `/threat ${text}`,
  'a note of a case': (text) => `/threat note 3f2504e0-4f89-41d3-9a0c-0305e82c3301 ${text}`,
  'a queue': (text) => `/threat queue ${text}`,
  orders: (text) => `/cert-order list ${text}`,
  'an order': (text) => `/cert-order ${text}`,
  'a reason': (text) => `/cert-order reject 1 ${text}`,
}

const WORDS: readonly HostileShape[] = [
  { name: 'different words', write: (size) => fill(size, (nth) => `w${nth} `) },
  { name: 'different long words', write: (size) => fill(size, (nth) => `maintenance${nth} `) },
  {
    name: 'words of our own commands',
    write: (size) =>
      fill(size, (nth) => `${['mute', 'watch', 'order', 'list', 'history', 'edit'][nth % 6]} `),
  },
  {
    name: 'a sentence of words of our own',
    write: (size) => fill(size, (nth) => (nth === 0 ? 'zz ' : `${['mute', 'watch', 'order'][nth % 3]} `)),
  },
  {
    name: 'a question of words of our own',
    write: (size) => fill(size, (nth) => (nth === 0 ? 'why ' : `${['mute', 'watch', 'order'][nth % 3]} `)),
  },
  {
    name: 'mistyped words of our own',
    write: (size) =>
      fill(size, (nth) => `${['maintenence', 'recipiants', 'certifcate', 'helth'][nth % 4]}${nth} `),
  },
  {
    name: 'different IDs',
    write: (size) => fill(size, (nth) => `3f2504e0-4f89-41d3-9a0c-${nth.toString(16).padStart(12, '0')} `),
  },
  { name: 'different flags', write: (size) => fill(size, (nth) => `--f${nth}=x `) },
  { name: 'different people', write: (size) => fill(size, (nth) => `<@U0PERSON${nth}> `) },
  { name: 'different channels', write: (size) => fill(size, (nth) => `<#C0CHAN${nth}|x> `) },
  { name: 'names with stars', write: (size) => fill(size, (nth) => `web-${nth}* `) },
  { name: 'one long word', write: (size) => 'maintenance'.repeat(size / 11 + 1).slice(0, size) },
  { name: 'times', write: (size) => fill(size, (nth) => `${nth % 24}:00 until `) },
]

/** A line of more words isn't compared with names. */
const isCompared = ({ write }: HostileShape): boolean => splitWords(write(TEXT_LIMITS.line)).length <= 200

/** As many names as can be listed beside the longest line. Work that reads one for each of the other grows with the square. */
const besideNames = (write: (size: number) => string) => (size: number) => ({
  text: write(size),
  checks: Array.from({ length: Math.ceil(2.5 * size) }, (_, nth) => ({
    ...{ uuid: `u${nth}`, name: `storefront ${nth} eu-west`, target: `shop-${nth}.example.com` },
  })),
})

/** What is typed, pressed, posted, and pasted, through the whole app: from the request to the answer in Slack. */
export async function lineWorks(seed: number, everyNth: number): Promise<Work[]> {
  const world = await startStubbedApp([PERSON], {
    answers: {
      'users.list': { members: [{ id: 'U1', name: 'ann', team_id: HOME, profile: {} }] },
      'conversations.info': { channel: { is_member: true } },
      'usergroups.list': { usergroups: [] },
    },
  })
  for (const role of ['operator', 'approver'] as const)
    await addGrant(
      world.app.store,
      HOME,
      role,
      { kind: 'user', id: PERSON.userId },
      PERSON.userId,
      new Date(),
    )
  for (let nth = 0; nth < 30; nth += 1)
    await world.service.addCheck({
      name: `storefront ${nth} eu-west`,
      alerts: [['ann@example.com'], ['bea@example.com']],
    })
  // Comparing with many takes longer than everything else, so that it has a work of its own.
  if (IS_LONG) await world.service.addBulkChecks(10_000)
  let created = 0
  /** Creates what a window is about: a health check, or an order in a state. */
  async function create(needed: string): Promise<string> {
    created += 1
    if (needed === 'CHECK') return world.service.addCheck({ name: `web ${created}` })
    const { store } = world.app
    const order = await storeOrder(store, exampleRequest(`PO ${created}`), { workspaceId: HOME })
    const outcome = { kind: 'unknown', why: 'Lost.', said: [], sender: 'silent' } as const
    const unknown: Order = { ...order, state: 'unknown', content: { ...order.content, outcome } }
    const event = { kind: 'unknown', at: new Date(), userId: 'U1', reference: 'sent' }
    if (needed === 'UNKNOWN') await store.orders.saveStep(unknown, event)
    return String(order.number)
  }
  const { slack, send } = world
  const request = createRequests(PERSON, {
    workspaceId: HOME,
    channelId: 'C0GROWTH01',
    responseUrl: slack.responseUrl,
  })
  const ANSWERS = ['response_url', 'views.open', 'views.update', 'chat.postMessage', 'chat.postEphemeral']

  const isAnswer = ({ method, body }: SentCall): boolean =>
    ANSWERS.includes(method) && !JSON.stringify(body).includes('Still working')

  /** Sends a request, waits for what answers it, and returns that. Undefined if the answer is in the response. */
  async function answer(body: string, answers = isAnswer): Promise<SentCall | undefined> {
    slack.calls.length = 0
    const direct = String(await send(body))
    // A window that says that the app is working isn't the answer.
    if (direct.length > 2 && !direct.includes('"response_action":"update"')) return undefined
    for (let waited = 0; waited < 20_000; waited += 2) {
      const found = slack.calls.find(answers)
      if (found) return found
      await pause(2)
    }
    throw new Error(`No answer came to ${body.slice(0, 200)}, but ${JSON.stringify(slack.calls)}.`)
  }
  const shapes = [...WORDS, ...createHostileShapes(seed, 10, everyNth)]
  const toShapes = (write: (text: string) => string): Shape[] =>
    shapes.map(({ name, write: writeText }) => ({
      name,
      prepare(size) {
        const text = writeText(size)
        return () => answer(write(text))
      },
    }))
  const works: Work[] = Object.entries(LINES).map(([name, write]) => ({
    ...{ name: `typed: ${name}`, unit: 'characters' },
    limit: TEXT_LIMITS.line - write('').length - 3,
    shapes: toShapes((text) => request.command(write(text))),
  }))
  return [
    ...works,
    work(
      { name: 'typed lines beside names, both at once', limit: TEXT_LIMITS.line - 10 },
      Object.fromEntries(shapes.filter(isCompared).map(({ name, write }) => [name, besideNames(write)])),
      async ({ text, checks }) => {
        for (const verb of ['show', 'edit', 'mute', 'history', ''])
          await findMeantBy(`/hc ${verb} ${text}`, checks)
      },
    ),
    {
      name: 'a mention',
      unit: 'characters',
      limit: TEXT_LIMITS.message - 200,
      shapes: toShapes((text) => request.mention(`/${text}`)),
    },
    ...(await windowWorks(shapes, request, create, answer)),
    {
      name: 'a message looked up',
      unit: 'characters',
      limit: TEXT_LIMITS.message - 200,
      shapes: toShapes((text) => request.messageShortcut('threat.look-up', text)),
      close: () => world[Symbol.asyncDispose](),
    },
  ]
}
