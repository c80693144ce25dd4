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

/** A fault to trigger, and its expected effect. */
interface Fault {
  id: string
  title: string
  text: string
  /** Triggers it, and returns a sentence that describes what happened. */
  trigger(): Promise<string>
}

/** How much fits into the panel. */
const MAX_REQUESTS = 40
const MAX_LENGTH = 80

/** A panel that triggers faults of the sandbox service and of Slack. */
export function createWeather(sandbox: Sandbox, setSlackFaults: Driver['faults']): HostPanel {
  const call = createCall(sandbox)
  const groups: [name: string, groupFaults: readonly Fault[]][] = [
    ['The service', [...statusFaults(call), ...serviceFaults(call)]],
    ['Slack', slackFaults(setSlackFaults)],
  ]
  return {
    name: 'Weather',
    async blocks() {
      const requests = await call<Request[]>('GET', '/_sandbox/requests')
      return [
        ...groups.flatMap(([name, groupFaults]) => [heading(name), ...groupFaults.map(faultBlock)]),
        ...requestBlocks(requests.slice(-MAX_REQUESTS).toReversed()),
      ]
    },
    async press(id) {
      const chosen = groups.flatMap(([, groupFaults]) => groupFaults).find((one) => one.id === id)
      return { text: (await chosen?.trigger()) ?? 'This fault doesn’t exist.' }
    },
  }
}

const heading = (text: string): Fields => ({ type: 'header', text: { type: 'plain_text', text }, level: 3 })

const faultBlock = ({ id, title, text }: Fault): Fields => ({
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
    cell(`${method} ${path}`.slice(0, MAX_LENGTH)),
  ])
  const head = ['At (UTC)', 'Response', 'Request'].map(cell)
  return [heading('Requests to the service'), { type: 'table', rows: [head, ...rows] }]
}

/** Enough simultaneous outages to count as a storm. */
const STORM_SIZE = 8

function statusFaults(call: Call): Fault[] {
  /** The checks that each press took down, the latest press last. */
  const outages: Check[][] = []
  const describeChecks = (checks: readonly Check[]): string =>
    checks.length === 1 ? `“${checks[0]?.name}” is` : `${checks.length} health checks are`
  const takeDown = async (limit: number): Promise<string> => {
    const checks = (await listChecks(call, 'status=HEALTHY')).slice(0, limit)
    if (checks.length === 0) return 'No check is healthy anymore.'
    await setStatus(call, checks, 'UNHEALTHY')
    outages.push(checks)
    return `${describeChecks(checks)} down.`
  }
  return [
    {
      id: 'kill-check',
      title: 'Take a check down',
      text: 'A healthy check goes down: /hc shows it first, and Signalman posts in #operations.',
      trigger: () => takeDown(1),
    },
    {
      id: 'storm',
      title: 'Take many checks down',
      text: `${STORM_SIZE} healthy checks go down together: Signalman posts one card in #operations.`,
      trigger: () => takeDown(STORM_SIZE),
    },
    {
      id: 'revive-check',
      title: 'Bring them back',
      text: 'The checks that went down last are up again.',
      async trigger() {
        const checks = outages.pop()
        if (!checks) return 'No check was taken down here.'
        await setStatus(call, checks, 'HEALTHY')
        return `${describeChecks(checks)} up again.`
      },
    },
  ]
}

/** `response` is the response to pressing the button. */
const createFault = (
  [id, title, text]: readonly [id: string, title: string, text: string],
  trigger: () => Promise<unknown>,
  response = text,
): Fault => ({ id, title, text, trigger: () => trigger().then(() => response) })

function serviceFaults(call: Call): Fault[] {
  const injectFault = (one: object) => () => call('PUT', '/_sandbox/faults', [one])
  return [
    createFault(
      [
        'lose-order',
        'Lose an order’s reply',
        'The next certificate order is placed, but the response is lost. The app must not order twice.',
      ],
      injectFault({ kind: 'drop-reply', method: 'POST', path: ORDERS, times: 1 }),
      'Approve an order now: its reply will be lost.',
    ),
    createFault(
      ['service-slow', 'Slow the service down', 'The next 5 requests take 4 s each.'],
      injectFault({ kind: 'delay', ms: 4000, times: 5 }),
    ),
    createFault(
      ['service-down', 'Take the service down', 'The next 10 requests get a 503.'],
      injectFault({ kind: 'status', status: 503, times: 10 }),
    ),
    createFault(
      ['service-calm', 'Restore the service', 'No more faults.'],
      () => call('DELETE', '/_sandbox/faults'),
      'The service works again.',
    ),
  ]
}

/** Faults of Slack itself. */
const slackFaults = (setSlackFaults: Driver['faults']): Fault[] => [
  createFault(
    ['slack-limit', 'Rate-limit the app', 'Slack responds to its next 3 calls with 429 (retry after 2 s).'],
    () => setSlackFaults({ method: '*', kind: 'status', status: 429, retryAfter: 2, times: 3 }),
  ),
  createFault(
    [
      'slack-lost',
      'Lose a response from Slack',
      'Slack carries out the next call, but the response is lost.',
    ],
    () => setSlackFaults({ method: '*', kind: 'drop-reply' }),
  ),
  createFault(['slack-slow', 'Slow Slack down', 'Slack takes 4 s for each of the next 5 calls.'], () =>
    setSlackFaults({ method: '*', kind: 'delay', ms: 4000, times: 5 }),
  ),
  createFault(['slack-calm', 'Restore Slack', 'Slack works again.'], () => setSlackFaults()),
]
