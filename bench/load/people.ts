import type { Message } from '@signalman/playground'
import { type Answer, readText, type User } from '@signalman/playground/driver'
import { makeCsr } from '../../test/features/cert-orders/csr/make-csr.ts'
import { modalShows, requestOrder } from '../../test/features/cert-orders/order-helpers.ts'
import type { Random } from '../../test/random.ts'
import type { SandboxControl } from '../../test/sandbox-control.ts'

/** Simulated people who only send read-only commands. There are enough of them that nobody reaches the rate limit. */
export const READERS = Array.from({ length: 8 }, (_, index) => `reader-${index}`)
/** The names of the health checks that the simulated people work with. */
export const FLEET = Array.from({ length: 20 }, (_, index) => `fleet-${String(index).padStart(2, '0')}`)

/** How long a person waits for an answer. */
const ANSWER_TIMEOUT_MS = 20_000
/** Matches an answer that reports an error. */
const ERROR_TEXT = /went wrong|did not answer|try again/i

export interface LoadWorld {
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

/** Picks a random command for a reader. None of the commands changes anything. */
export function pickCommand({
  checks,
  threats,
  random,
}: LoadWorld): readonly [command: string, text: string] {
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

interface CommandOutcome {
  ok: boolean
  deliveryId: string | null
  /** The number of the latest event at that time. Only later ones can be the answer. */
  seq: number
}

/** Like the driver's `command`, but without reading the whole conversation first, which would be long after an hour. */
export async function typeAndRead(
  { url, channelId }: LoadWorld,
  user: string,
  [command, text]: readonly [command: string, text: string],
): Promise<void> {
  const body = JSON.stringify({ user, channel: channelId, command, text })
  const headers = { 'x-playground': '1', 'content-type': 'application/json' }
  const response = await fetch(`${url}/_playground/command`, { method: 'POST', headers, body })
  // The playground responds with this type.
  const outcome = (await response.json()) as CommandOutcome
  if (!outcome.ok) throw new Error(`${command} ${text} was not acknowledged: ${JSON.stringify(outcome)}`)
  const deadline = performance.now() + ANSWER_TIMEOUT_MS
  for (let after = outcome.seq; performance.now() < deadline; ) {
    const query = new URLSearchParams({ user, after: String(after), wait: '5000' })
    const page = (await (await fetch(`${url}/_playground/events?${query}`)).json()) as {
      seq: number
      events: { event: { type: string; message?: { cause: string | null; text: string } } }[]
    }
    after = page.seq
    for (const { event } of page.events) {
      if (event.message?.cause !== outcome.deliveryId || /^Still working/.test(event.message.text)) continue
      if (ERROR_TEXT.test(event.message.text)) throw new Error(`${command} ${text}: ${event.message.text}`)
      return
    }
  }
  throw new Error(`${command} ${text} was not answered within ${ANSWER_TIMEOUT_MS / 1000} s.`)
}

/** Whether a form is open. The window may show a placeholder first, and an outage card may arrive even before that. */
const hasForm = ({ view }: Answer): boolean => Boolean(view?.view.submit)

/** The label of the field in which a person confirms a deletion. */
const CONFIRMATION_FIELD = 'Type the name of the health check'

/** Actions that people take, one after the other. Together, they leave the number of checks unchanged. */
export const ACTIONS: Readonly<Record<string, (world: LoadWorld, turn: number) => Promise<unknown>>> = {
  'create, edit, and delete a check': async ({ member }, turn) => {
    const name = `passing-${turn}`
    const options = `--name ${name} --target www.example.com --protocol HTTPS --customer 1`
    await member.command('/hc', `create ${options}`, { until: hasForm })
    await member.submit({}, { until: modalShows('Created') })
    await member.close({ all: true })
    await member.command('/hc', `edit ${name}`, { until: hasForm })
    await member.submit({ 'Seconds between checks': '90' }, { until: modalShows('Saved') })
    await member.close({ all: true })
    await member.command('/hc', `delete ${name}`, { until: hasForm })
    // Found by its label, because the block_id differs if the window opened with a placeholder.
    await member.submit({ [CONFIRMATION_FIELD]: name }, { until: `Deleted “${name}”` })
    await member.close({ all: true })
  },
  'mute and unmute': async ({ member }, turn) => {
    const name = FLEET[turn % FLEET.length]
    await member.command('/hc', `mute ${name} 30m`)
    await member.command('/hc', `unmute ${name}`)
  },
  'open Home': async ({ member }) => void (await member.openHome()),
  'an outage': async ({ service, checks, random }) => {
    const down = checks.filter(({ name }) => FLEET.includes(name)).filter(() => random.next() < 0.2)
    for (const { uuid } of down) await service.setStatus(uuid, 'UNHEALTHY')
  },
  'change many checks': async ({ member }, turn) => {
    const button = `Change ${FLEET.length}`
    const isPreview = (message: Message) => JSON.stringify(message.blocks).includes(button)
    // An outage card may arrive in between.
    const until = ({ messages }: Answer) => messages.some(isPreview)
    const line = `edit fleet-* --frequency ${turn % 2 === 0 ? 30 : 90}`
    const { messages } = await member.command('/hc', line, { until })
    await member.click(messages.find(isPreview), button, { until: 'Started.' })
  },
  'a recovery': async ({ service, checks }) => {
    for (const { uuid } of checks) await service.setStatus(uuid, 'HEALTHY')
  },
  'order and approve a certificate': async ({ member, admin }, turn) => {
    const name = `shop-${turn}.example.com`
    await requestOrder(member, await makeCsr({ names: [{ type: 'dns', value: name }] }))
    await admin.see(name)
    const card = (await admin.messages('dm')).findLast((message) => readText(message).includes(name))
    await admin.click(card, 'Review and approve', { until: hasForm })
    await admin.submit({}, { until: modalShows('was sent') })
    await admin.close({ all: true })
  },
}
