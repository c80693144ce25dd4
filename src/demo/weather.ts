import type { Fields, HostPanel } from '@signalman/playground'
import type { Driver } from '@signalman/playground/driver'
import type { Sandbox } from '@signalman/sandbox'

const CHECKS = '/healthcheck/v1/healthchecks'
const ORDERS = '/ssl/v2/orders'

interface Check {
  uuid: string
  name: string
}

interface Request {
  method: string
  path: string
  status: number | null
  time: string
  fault?: string
}

/** One thing that can be made to happen behind the app, and what then is to be seen. */
interface Pattern {
  id: string
  title: string
  text: string
  /** Makes it happen; the answer says what was done. */
  play(): Promise<string>
}

/** As many as a panel has room for. */
const MOST_REQUESTS = 40
const MOST_LETTERS = 80

/** What can be made to go wrong with the sandbox service and with Slack, beside the conversation in which it then shows. */
export function createWeather(sandbox: Sandbox, faults: Driver['faults']): HostPanel {
  const call = callsTo(sandbox)
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

type Call = <T>(method: string, path: string, body?: unknown) => Promise<T>

const callsTo =
  ({ productionUrl, token }: Sandbox): Call =>
  async <T>(method: string, path: string, body?: unknown) => {
    const answer = await fetch(`${productionUrl}${path}`, {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(!path.startsWith('/_sandbox') && { authorization: `Bearer ${token}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(5000),
    })
    if (!answer.ok) throw new Error(`${method} ${path} was answered with ${answer.status}.`)
    // The sandbox's own controls and interface, whose shapes its tests hold.
    return (await answer.json()) as T
  }

/** So many at once are a storm to whoever watches them. */
const STORM = 8

function statusPatterns(call: Call): Pattern[] {
  /** What went down together, the latest last. */
  const killed: Check[][] = []
  const setStatus = (checks: readonly Check[], status: string) =>
    Promise.all(checks.map(({ uuid }) => call('PUT', `/_sandbox/health-checks/${uuid}/status`, { status })))
  const names = (checks: readonly Check[]): string =>
    checks.length === 1 ? `“${checks[0]?.name}” is` : `${checks.length} health checks are`
  const kill = async (most: number): Promise<string> => {
    const { data } = await call<{ data: { results: Check[] } }>('GET', `${CHECKS}?status=HEALTHY`)
    const checks = data.results.slice(0, most)
    if (checks.length === 0) return 'No check is healthy any more.'
    await setStatus(checks, 'UNHEALTHY')
    killed.push(checks)
    return `${names(checks)} down.`
  }
  return [
    {
      id: 'kill-check',
      title: 'Kill a check',
      text: 'A healthy check goes down: /hc shows it first, and #operations is told.',
      play: () => kill(1),
    },
    {
      id: 'storm',
      title: 'Let many fall',
      text: `${STORM} healthy checks go down together: #operations is told on one card.`,
      play: () => kill(STORM),
    },
    {
      id: 'revive-check',
      title: 'Revive it',
      text: 'What went down last is up again.',
      async play() {
        const checks = killed.pop()
        if (!checks) return 'None was killed here.'
        await setStatus(checks, 'HEALTHY')
        return `${names(checks)} up again.`
      },
    },
  ]
}

function faultPatterns(call: Call): Pattern[] {
  const fault = (one: object) => call('PUT', '/_sandbox/faults', [one])
  return [
    {
      id: 'lose-order',
      title: 'Lose an order’s reply',
      text: 'The next certificate order is placed, and nobody hears of it: the app must not order twice.',
      async play() {
        await fault({ kind: 'drop-reply', method: 'POST', path: ORDERS, times: 1 })
        return 'Approve an order now: its reply will be lost.'
      },
    },
    {
      id: 'service-slow',
      title: 'Slow the service down',
      text: 'The next 5 requests take 4 s each.',
      async play() {
        await fault({ kind: 'delay', ms: 4000, times: 5 })
        return 'The next 5 requests take 4 s each.'
      },
    },
    {
      id: 'service-down',
      title: 'Take the service down',
      text: 'The next 10 requests are answered with 503.',
      async play() {
        await fault({ kind: 'status', status: 503, times: 10 })
        return 'The next 10 requests are answered with 503.'
      },
    },
    {
      id: 'service-calm',
      title: 'Let the service be',
      text: 'No more faults.',
      async play() {
        await call('DELETE', '/_sandbox/faults')
        return 'The service is well again.'
      },
    },
  ]
}

/** What Slack itself can be made to do to the app. */
function slackPatterns(faults: Driver['faults']): Pattern[] {
  const of = (id: string, title: string, text: string, ...wanted: Parameters<Driver['faults']>): Pattern => ({
    ...{ id, title, text },
    async play() {
      await faults(...wanted)
      return text
    },
  })
  const any = { method: '*' }
  return [
    of('slack-limit', 'Rate-limit the app', 'Slack answers its next 3 calls with 429, try again in 2 s.', {
      ...{ ...any, kind: 'status', status: 429, retryAfter: 2, times: 3 },
    }),
    of(
      'slack-lost',
      'Lose an answer of Slack',
      'Slack does the next call, and its answer is lost on the way.',
      {
        ...{ ...any, kind: 'drop-reply' },
      },
    ),
    of('slack-slow', 'Slow Slack down', 'Slack takes 4 s for each of the next 5 calls.', {
      ...{ ...any, kind: 'delay', ms: 4000, times: 5 },
    }),
    of('slack-calm', 'Let Slack be', 'Slack is well again.'),
  ]
}
