import type { Fields, HostPanel } from '@signalman/playground'
import type { Driver } from '@signalman/playground/driver'
import type { Call, Check } from './sandbox-calls.ts'
import type { Targets } from './targets.ts'

const ORDERS = '/ssl/v2/orders'

interface Request {
  method: string
  path: string
  status: number | null
  time: string
  fault?: string
}

/** Something that can go wrong, with a button that makes it happen. */
interface Fault {
  id: string
  /** The text of the button. */
  title: string
  text: string
  /** Makes it happen. Returns a sentence that describes what happened. */
  trigger(): Promise<string>
}

/** The maximum number of requests in the panel, and of characters of each. */
const MAX_REQUESTS = 40
const MAX_REQUEST_LENGTH = 80

/** A panel with buttons that make the sandbox service or Slack fail, and with the requests to the service. */
export function createFaultPanel(call: Call, targets: Targets, setSlackFaults: Driver['faults']): HostPanel {
  const groups: [name: string, faults: readonly Fault[]][] = [
    ['What the checks watch', targetFaults(targets)],
    ['The service', serviceFaults(call)],
    ['Slack', slackFaults(setSlackFaults)],
  ]
  return {
    name: 'Faults',
    async blocks() {
      const requests = await call<Request[]>('GET', '/_sandbox/requests')
      return [
        ...groups.flatMap(([name, faults]) => [heading(name), ...faults.map(faultBlock)]),
        ...requestBlocks(requests.slice(-MAX_REQUESTS).toReversed()),
      ]
    },
    async press(id) {
      const fault = groups.flatMap(([, faults]) => faults).find((candidate) => candidate.id === id)
      return { statusText: (await fault?.trigger()) ?? 'This fault doesn’t exist.' }
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
    cell([status ?? '…', fault].filter((value) => value !== undefined).join(' ')),
    cell(`${method} ${path}`.slice(0, MAX_REQUEST_LENGTH)),
  ])
  const head = ['At (UTC)', 'Response', 'Request'].map(cell)
  return [heading('Requests to the service'), { type: 'table', rows: [head, ...rows] }]
}

/** Enough simultaneous outages to count as a storm. */
const STORM_SIZE = 8

function targetFaults(targets: Targets): Fault[] {
  const describeChecks = (checks: readonly Check[]): string =>
    checks.length === 1 ? `“${checks[0]?.name}”` : `The servers of ${checks.length} health checks`
  const stop = async (limit: number): Promise<string> => {
    const checks = (await targets.listRunning()).slice(0, limit)
    if (checks.length === 0) return 'No server is left to stop.'
    await targets.stop(checks)
    return `${describeChecks(checks)} stopped.`
  }
  return [
    {
      id: 'check-down',
      title: 'Stop a server',
      text: 'A health check goes down: /hc shows it first, and Signalman posts in #operations.',
      trigger: () => stop(1),
    },
    {
      id: 'storm',
      title: 'Stop many servers',
      text: `${STORM_SIZE} health checks go down together. Signalman doesn’t post ${STORM_SIZE} messages about it.`,
      trigger: () => stop(STORM_SIZE),
    },
    {
      id: 'checks-restored',
      title: 'Start them again',
      text: 'All stopped servers start again, and the health checks recover.',
      async trigger() {
        const checks = await targets.restart()
        return checks.length === 0 ? 'No server is stopped.' : `${describeChecks(checks)} started again.`
      },
    },
  ]
}

interface FaultTexts extends Pick<Fault, 'id' | 'title' | 'text'> {
  /** Shown after the button was pressed. By default, `text` is repeated. */
  done?: string
}

const createFault = ({ done, ...fault }: FaultTexts, trigger: () => Promise<unknown>): Fault => ({
  ...fault,
  trigger: () => trigger().then(() => done ?? fault.text),
})

function serviceFaults(call: Call): Fault[] {
  const injectFault = (fault: object) => () => call('PUT', '/_sandbox/faults', [fault])
  return [
    createFault(
      {
        id: 'lose-order',
        title: 'Lose the response to an order',
        text: 'The service gets the next certificate order, but the response is lost. Signalman must not send the order twice.',
        done: 'Approve an order now. The response to it will be lost.',
      },
      injectFault({ kind: 'drop-reply', method: 'POST', path: ORDERS, times: 1 }),
    ),
    createFault(
      {
        id: 'service-slow',
        title: 'Slow the service down',
        text: 'The next 5 requests take 4 s each.',
      },
      injectFault({ kind: 'delay', ms: 4000, times: 5 }),
    ),
    createFault(
      { id: 'service-down', title: 'Take the service down', text: 'The next 10 requests get a 503.' },
      injectFault({ kind: 'status', status: 503, times: 10 }),
    ),
    createFault(
      {
        id: 'service-restored',
        title: 'Restore the service',
        text: 'Removes all faults of the service.',
        done: 'The service works again.',
      },
      () => call('DELETE', '/_sandbox/faults'),
    ),
  ]
}

/** Faults of Slack itself. */
const slackFaults = (setSlackFaults: Driver['faults']): Fault[] => [
  createFault(
    {
      id: 'slack-limit',
      title: 'Rate-limit the app',
      text: 'Slack answers the app’s next 3 calls with 429 (retry after 2 s).',
    },
    () => setSlackFaults({ method: '*', kind: 'status', status: 429, retryAfter: 2, times: 3 }),
  ),
  createFault(
    {
      id: 'slack-lost',
      title: 'Lose a response from Slack',
      text: 'Slack carries out the next call, but the response is lost.',
    },
    () => setSlackFaults({ method: '*', kind: 'drop-reply' }),
  ),
  createFault(
    {
      id: 'slack-slow',
      title: 'Slow Slack down',
      text: 'Slack takes 4 s for each of the next 5 calls.',
    },
    () => setSlackFaults({ method: '*', kind: 'delay', ms: 4000, times: 5 }),
  ),
  createFault(
    {
      id: 'slack-restored',
      title: 'Restore Slack',
      text: 'Removes all faults of Slack.',
      done: 'Slack works again.',
    },
    () => setSlackFaults(),
  ),
]
