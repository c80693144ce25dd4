import type { Message } from '@signalman/playground'
import { type Answer, readText, type User } from '@signalman/playground/driver'
import { makeCsr } from '../../test/features/cert-orders/csr/make-csr.ts'
import { askFor, inView } from '../../test/features/cert-orders/people.ts'
import type { Random } from '../../test/random.ts'
import type { SandboxControl } from '../../test/sandbox-control.ts'

/** A simulated person who only types and reads. There are enough people to keep each below their rate limit. */
export const READERS = Array.from({ length: 8 }, (_, index) => `reader-${index}`)
export const FLEET = Array.from({ length: 20 }, (_, index) => `fleet-${String(index).padStart(2, '0')}`)

/** How long a person waits for an answer. */
const PATIENCE_MS = 20_000
/** An answer about an error. */
const BROKEN = /went wrong|did not answer|try again/i

export interface Playing {
  url: string
  member: User
  admin: User
  /** The IDs of the readers. */
  readers: readonly string[]
  channelId: string
  service: SandboxControl
  checks: readonly { name: string; uuid: string }[]
  threats: readonly string[]
  random: Random
}

/** The lines that readers type. None of them changes anything. */
export function pickLine({ checks, threats, random }: Playing): readonly [command: string, text: string] {
  const check = random.oneOf(checks)
  const threat = random.oneOf(threats)
  return random.oneOf([
    ['/hc', ''],
    ['/hc', 'list'],
    ['/hc', 'list fleet-*'],
    ['/hc', 'list --status UNHEALTHY --sort name'],
    ['/hc', `show ${check.uuid}`],
    ['/hc', `show ${check.name}`],
    ['/hc', 'help'],
    ['/hc', `history ${check.name}`],
    ['/hc', `lst ${random.below(1e9)}`],
    ['/threat', threat],
    ['/threat', `find ${threat}`],
    ['/cert-order', 'list'],
    ['/hc', 'audit'],
  ] as const)
}

interface Acted {
  ok: boolean
  deliveryId: string | null
  seq: number
}

/** Like the driver's `command`, but without reading the whole conversation first, which would be long after an hour. */
export async function typeAndRead(
  { url, channelId }: Playing,
  user: string,
  [command, text]: readonly [command: string, text: string],
): Promise<void> {
  const body = JSON.stringify({ user, channel: channelId, command, text })
  const headers = { 'x-playground': '1', 'content-type': 'application/json' }
  const said = await fetch(`${url}/_playground/command`, { method: 'POST', headers, body })
  // The playground answers with its Outcome.
  const outcome = (await said.json()) as Acted
  if (!outcome.ok) throw new Error(`${command} ${text} was not acknowledged: ${JSON.stringify(outcome)}`)
  const until = performance.now() + PATIENCE_MS
  for (let after = outcome.seq; performance.now() < until; ) {
    const query = new URLSearchParams({ user, after: String(after), wait: '5000' })
    const page = (await (await fetch(`${url}/_playground/events?${query}`)).json()) as {
      seq: number
      events: { event: { type: string; message?: { cause: string | null; text: string } } }[]
    }
    after = page.seq
    for (const { event } of page.events) {
      if (event.message?.cause !== outcome.deliveryId || /^Still working/.test(event.message.text)) continue
      if (BROKEN.test(event.message.text)) throw new Error(`${command} ${text}: ${event.message.text}`)
      return
    }
  }
  throw new Error(`${command} ${text} was not answered within ${PATIENCE_MS / 1000} s.`)
}

/** A window may open with a placeholder, and a card of the watch may arrive before either. */
const hasForm = ({ view }: Answer): boolean => Boolean(view?.view.submit)

/** One action after another, like a person would. At the end there are as many checks as before. */
export const ACTS: readonly ((playing: Playing, turn: number) => Promise<unknown>)[] = [
  async ({ member }, turn) => {
    const name = `passing-${turn}`
    const options = `--name ${name} --target www.example.com --protocol HTTPS --customer 1`
    await member.command('/hc', `create ${options}`, { until: hasForm })
    await member.submit({}, { until: inView('Created') })
    await member.close({ all: true })
    await member.command('/hc', `edit ${name}`, { until: hasForm })
    await member.submit({ 'Seconds between checks': '90' }, { until: inView('Saved') })
    await member.close({ all: true })
    await member.command('/hc', `delete ${name}`, { until: hasForm })
    await member.submit({ name }, { until: `Deleted “${name}”` })
    await member.close({ all: true })
  },
  async ({ member }, turn) => {
    const name = FLEET[turn % FLEET.length]
    await member.command('/hc', `mute ${name} 30m`)
    await member.command('/hc', `unmute ${name}`)
  },
  async ({ member }) => void (await member.openHome()),
  async ({ service, checks, random }) => {
    const fallen = checks.filter(({ name }) => FLEET.includes(name)).filter(() => random.next() < 0.2)
    for (const { uuid } of fallen) await service.hold(uuid, 'UNHEALTHY')
  },
  async ({ member }, turn) => {
    const button = `Change ${FLEET.length}`
    const isPreview = (message: Message) => JSON.stringify(message.blocks).includes(button)
    // A card of the watch may arrive in between.
    const until = ({ messages }: Answer) => messages.some(isPreview)
    const line = `edit fleet-* --frequency ${turn % 2 === 0 ? 30 : 90}`
    const { messages } = await member.command('/hc', line, { until })
    await member.click(messages.find(isPreview), button, { until: 'Started.' })
  },
  async ({ service, checks }) => {
    for (const { uuid } of checks) await service.hold(uuid, 'HEALTHY')
  },
  async ({ member, admin }, turn) => {
    const name = `shop-${turn}.example.com`
    await askFor(member, await makeCsr({ names: [{ type: 'dns', value: name }] }))
    await admin.see(name)
    const card = (await admin.messages('dm')).findLast((message) => readText(message).includes(name))
    await admin.click(card, 'Review and approve', { until: hasForm })
    await admin.submit({}, { until: inView('is placed') })
    await admin.close({ all: true })
  },
]
