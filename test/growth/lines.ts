import { setTimeout as pause } from 'node:timers/promises'
import { TEXT_LIMITS } from '@signalman/runtime'
import { createRequests } from '../bot/access/requests.ts'
import { startStubbedApp } from '../bot/access/slack-stub.ts'
import { addGrant } from '../give-role.ts'
import { createHostileShapes, type HostileShape } from '../hostile-texts.ts'
import type { Shape, Work } from './grow.ts'
import { fill } from './texts.ts'

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

/** What is typed, pressed, posted, and pasted, through the whole app: from the request to the answer in Slack. */
export async function lineWorks(seed: number, everyNth: number): Promise<Work[]> {
  const world = await startStubbedApp([PERSON], {
    answers: {
      'users.list': { members: [{ id: 'U1', name: 'ann', team_id: HOME, profile: {} }] },
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
  for (let nth = 0; nth < 30; nth += 1) await world.service.addCheck({ name: `storefront ${nth} eu-west` })
  const { slack, send } = world
  const request = createRequests(PERSON, {
    workspaceId: HOME,
    channelId: 'C0GROWTH01',
    responseUrl: slack.responseUrl,
  })
  const ANSWERS = ['response_url', 'views.open', 'views.update', 'chat.postMessage', 'chat.postEphemeral']

  /** Sends a request, and waits for an answer that isn't a placeholder. */
  async function answer(body: string): Promise<void> {
    slack.calls.length = 0
    const direct = String(await send(body))
    if (direct.length > 2) return
    for (let waited = 0; waited < 20_000; waited += 2) {
      if (
        slack.calls.some(
          ({ method, body: sent }) =>
            ANSWERS.includes(method) && !JSON.stringify(sent).includes('Still working'),
        )
      )
        return
      await pause(2)
    }
    throw new Error('No answer came.')
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
  const field = (name: string, form: string, values: (text: string) => object): Work => ({
    ...{ name: `a window: ${name}`, unit: 'characters', limit: 3000 },
    shapes: toShapes((text) => request.submission(form, '', values(text))),
  })
  return [
    ...works,
    {
      name: 'a mention',
      unit: 'characters',
      limit: TEXT_LIMITS.message - 200,
      shapes: toShapes((text) => request.mention(`/${text}`)),
    },
    {
      name: 'a message looked up',
      unit: 'characters',
      limit: TEXT_LIMITS.message - 200,
      shapes: toShapes((text) => request.messageShortcut('threat.look-up', text)),
    },
    field('a request', 'cert-orders.order', (text) => ({ csr: { value: text } })),
    {
      ...field('the last one', 'cert-orders.settings', (text) => ({ domains: { value: text } })),
      name: 'a window: allowed domains',
      close: () => world[Symbol.asyncDispose](),
    },
  ]
}
