import type { Fields, HostPanel } from '@signalman/playground'
import type { Driver } from '@signalman/playground/driver'
import type { Sandbox } from '@signalman/sandbox/src/index.ts'
import { type Call, type Check, createCall, listChecks, setStatus } from './sandbox-calls.ts'

const ORDERS = '/ssl/v2/orders'

interface Request {
  method: string
  path: string
  status: number | null
  time: string
  fault?: string
}

/** A fault that someone can trigger, and its expected effect. */
interface Pattern {
  id: string
  title: string
  text: string
  /** Triggers it, and returns what was done. */
  play(): Promise<string>
}

/** Fits into the panel. */
const MOST_REQUESTS = 40
const MOST_LETTERS = 80

/** A panel that triggers faults of the sandbox service and of Slack. */
export function createWeather(sandbox: Sandbox, faults: Driver['faults']): HostPanel {
  const call = createCall(sandbox)
  const sources: [name: string, patterns: readonly Pattern[]][] = [
    ['The service', [...statusPatterns(call), ...faultPatterns(call)]],
    ['Slack', slackPatterns(faults)],
  ]
  return {
    name: 'Weather',
    async blocks() {
      const requests = await call<Request[]>('GET', '/_sandbox/requests')
      return [
        ...sources.flatMap(([name, patterns]) => [heading(name), ...patterns.map(patternBlock)]),
        ...requestBlocks(requests.slice(-MOST_REQUESTS).toReversed()),
      ]
    },
    async press(id) {
      const pattern = sources.flatMap(([, patterns]) => patterns).find((one) => one.id === id)
      return { text: (await pattern?.play()) ?? 'There is no such weather here.' }
    },
  }
}

const heading = (text: string): Fields => ({ type: 'header', text: { type: 'plain_text', text }, level: 3 })

const patternBlock = ({ id, title, text }: Pattern): Fields => ({
  type: 'section',
  text: { type: 'plain_text', text },
  accessory: { type: 'button', action_id: id, text: { type: 'plain_text', text: title } },
})

function requestBlocks(requests: readonly Request[]): Fields[] {
  if (requests.length === 0) return []
  const cell = (text: string): Fields => ({ type: 'raw_text', text })
  const rows = requests.map(({ time, method, path, status, fault }) => [
    cell(time.slice(11, 19)),
    cell([status ?? '…', fault].filter((part) => part !== undefined).join(' ')),
    cell(`${method} ${path}`.slice(0, MOST_LETTERS)),
  ])
  const head = ['At (UTC)', 'Answer', 'Request'].map(cell)
  return [heading('What the service was asked'), { type: 'table', rows: [head, ...rows] }]
}

/** Enough simultaneous outages to count as a storm. */
const STORM = 8

function statusPatterns(call: Call): Pattern[] {
  /** The checks that went down together, the latest last. */
  const killed: Check[][] = []
  const names = (checks: readonly Check[]): string =>
    checks.length === 1 ? `“${checks[0]?.name}” is` : `${checks.length} health checks are`
  const kill = async (most: number): Promise<string> => {
    const checks = (await listChecks(call, 'status=HEALTHY')).slice(0, most)
    if (checks.length === 0) return 'No check is healthy anymore.'
    await setStatus(call, checks, 'UNHEALTHY')
    killed.push(checks)
    return `${names(checks)} down.`
  }
  return [
    {
      id: 'kill-check',
      title: 'Kill a check',
      text: 'A healthy check goes down: /hc shows it first, and Signalman posts in #operations.',
      play: () => kill(1),
    },
    {
      id: 'storm',
      title: 'Let many fall',
      text: `${STORM} healthy checks go down together: Signalman posts one card in #operations.`,
      play: () => kill(STORM),
    },
    {
      id: 'revive-check',
      title: 'Revive it',
      text: 'What went down last is up again.',
      async play() {
        const checks = killed.pop()
        if (!checks) return 'None was killed here.'
        await setStatus(call, checks, 'HEALTHY')
        return `${names(checks)} up again.`
      },
    },
  ]
}

/** Responds with its text unless overridden. */
const pattern = (
  [id, title, text]: readonly [id: string, title: string, text: string],
  cause: () => Promise<unknown>,
  said = text,
): Pattern => ({ id, title, text, play: () => cause().then(() => said) })

function faultPatterns(call: Call): Pattern[] {
  const fault = (one: object) => () => call('PUT', '/_sandbox/faults', [one])
  return [
    pattern(
      [
        'lose-order',
        'Lose an order’s reply',
        'The next certificate order is placed, but the response is lost. The app must not order twice.',
      ],
      fault({ kind: 'drop-reply', method: 'POST', path: ORDERS, times: 1 }),
      'Approve an order now: its reply will be lost.',
    ),
    pattern(
      ['service-slow', 'Slow the service down', 'The next 5 requests take 4 s each.'],
      fault({ kind: 'delay', ms: 4000, times: 5 }),
    ),
    pattern(
      ['service-down', 'Take the service down', 'The next 10 requests are answered with 503.'],
      fault({ kind: 'status', status: 503, times: 10 }),
    ),
    pattern(
      ['service-calm', 'Let the service be', 'No more faults.'],
      () => call('DELETE', '/_sandbox/faults'),
      'The service is well again.',
    ),
  ]
}

/** Faults of Slack itself. */
const slackPatterns = (faults: Driver['faults']): Pattern[] => [
  pattern(
    ['slack-limit', 'Rate-limit the app', 'Slack answers its next 3 calls with 429, try again in 2 s.'],
    () => faults({ method: '*', kind: 'status', status: 429, retryAfter: 2, times: 3 }),
  ),
  pattern(
    ['slack-lost', 'Lose an answer of Slack', 'Slack does the next call, and its answer is lost on the way.'],
    () => faults({ method: '*', kind: 'drop-reply' }),
  ),
  pattern(['slack-slow', 'Slow Slack down', 'Slack takes 4 s for each of the next 5 calls.'], () =>
    faults({ method: '*', kind: 'delay', ms: 4000, times: 5 }),
  ),
  pattern(['slack-calm', 'Let Slack be', 'Slack is well again.'], () => faults()),
]
