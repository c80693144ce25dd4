import type { WeatherSource } from '@signalman/playground'
import type { Sandbox } from '@signalman/sandbox'

const CHECKS = '/healthcheck/v1/healthchecks'
const ORDERS = '/ssl/v2/orders'

interface Check {
  uuid: string
  name: string
}

/** What can be made to go wrong with the sandbox service, from the demo's page. */
export function sandboxWeather(sandbox: Sandbox): WeatherSource {
  const call = callsTo(sandbox)
  return {
    name: 'The service',
    patterns: [...statusPatterns(call), ...faultPatterns(call)],
    async requests() {
      const all = await call<
        { method: string; path: string; status: number | null; time: string; fault?: string }[]
      >('GET', '/_sandbox/requests')
      return all.slice(-100).map(({ time, ...request }) => ({ at: time, ...request }))
    },
  }
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

function statusPatterns(call: Call): WeatherSource['patterns'] {
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

function faultPatterns(call: Call): WeatherSource['patterns'] {
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
