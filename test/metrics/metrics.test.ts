import { createHook } from 'node:async_hooks'
import { expect, it } from 'vitest'
import { createMetrics } from '../../src/metrics/metrics.ts'
import { findFreePort } from '../free-port.ts'
import { listFiles, readSource } from '../source-files.ts'
import { startWorld } from '../world.ts'

/** A line of Prometheus's text format: https://prometheus.io/docs/instrumenting/exposition_formats (November 2026). */
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (-?[\d.e+-]+|\+Inf|[Nn]a[Nn])$/

async function readMetrics(url: string): Promise<string> {
  const answer = await fetch(`${url}/metrics`)
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
  return answer.text()
}

/** The rules of `promtool check metrics`: names end in a unit or `_total`, each metric has a help text and a type, and none is a duplicate. */
function findFaults(text: string): string[] {
  const types = new Map(
    [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type]),
  )
  const helps = new Set([...text.matchAll(/^# HELP (\S+) \S/gm)].map(([, name]) => name))
  const seen = new Set<string>()
  const faults: string[] = []
  for (const line of text.split('\n').filter((textLine) => textLine !== '' && !textLine.startsWith('#'))) {
    const [, sample = '', labels = ''] = SAMPLE.exec(line) ?? []
    const name = types.has(sample) ? sample : sample.replace(/_(bucket|sum|count)$/, '')
    const type = types.get(name)
    if (sample === '' || type === undefined || !helps.has(name)) faults.push(`unreadable: ${line}`)
    if (seen.has(`${sample}{${labels}}`)) faults.push(`twice: ${line}`)
    seen.add(`${sample}{${labels}}`)
    faults.push(...findNamingFaults(name, type))
  }
  return faults
}

const findNamingFaults = (name: string, type: string | undefined): string[] => [
  ...((type === 'counter') === name.endsWith('_total') ? [] : [`no total: ${name}`]),
  ...(type === 'histogram' && !name.endsWith('_seconds') ? [`no unit: ${name}`] : []),
  ...(/_(milliseconds|minutes|min|sec|ms|us|ns|s|m|h|d|b|kb|mb|gb)(_|$)/.test(name)
    ? [`no base unit: ${name}`]
    : []),
  ...(/_(counter|gauge|histogram|summary)(_|$)/.test(name) ? [`named for its type: ${name}`] : []),
]

const readSample = (text: string, sample: string): number | undefined => {
  const line = text.split('\n').find((textLine) => textLine.startsWith(`${sample} `))
  return line === undefined ? undefined : Number(line.slice(sample.length + 1))
}

it('follows Prometheus naming, counts requests that Slack didn’t sign, and names no workspace, person, or check', async () => {
  await using world = await startWorld({ checks: [{ name: 'secret-check', status: 'UNHEALTHY' }] })
  await world.slack.member.command('/hc', 'show secret-check')
  await fetch(`${world.app.url}/slack/events`, { method: 'POST', body: '{}' })
  const text = await readMetrics(world.app.url)
  expect(findFaults(text)).toEqual([])
  expect(text).not.toContain('signalman_slack_sockets')
  expect(readSample(text, 'signalman_slack_signatures_refused_total')).toBe(1)
  expect(text).not.toMatch(/T0PLAYGRND|U0|secret-check/)
  expect(readSample(text, 'signalman_database_up')).toBe(1)
  expect(readSample(text, 'signalman_orders_unknown')).toBe(0)
  expect(readSample(text, 'signalman_slack_acknowledgement_seconds_count{way="http"}')).toBe(1)
  expect(readSample(text, 'signalman_request_duration_seconds_count{kind="command",outcome="done"}')).toBe(1)
})

it('shows on the next scrape that the service or the database is down', async () => {
  await using world = await startWorld({ serviceLimits: { retry: { attempts: 1 } } })
  await world.service.faults({ path: '/healthcheck', kind: 'status', status: 503, times: 10 })
  await world.slack.member.command('/hc', 'list')
  const text = await readMetrics(world.app.url)
  expect(
    readSample(text, 'signalman_service_call_duration_seconds_count{method="GET",outcome="unavailable"}'),
  ).toBeGreaterThan(0)
  expect(readSample(text, 'signalman_request_duration_seconds_count{kind="command",outcome="problem"}')).toBe(
    1,
  )
  // If the database doesn't respond either, the metrics don't have its values.
  await world.app.store[Symbol.asyncDispose]()
  const without = await readMetrics(world.app.url)
  expect(findFaults(without)).toEqual([])
  expect(readSample(without, 'signalman_database_up')).toBe(0)
  expect(readSample(without, 'signalman_orders_unknown')).toBeUndefined()
})

it('serves metrics only on the metrics port if one is configured', async () => {
  const port = await findFreePort()
  await using world = await startWorld({ environment: { METRICS_PORT: String(port) } })
  expect((await fetch(`${world.app.url}/metrics`)).status).toBe(404)
  expect(await readMetrics(`http://127.0.0.1:${port}`)).toContain('signalman_requests_running 0')
})

it('logs a debug line for each outgoing call, and the command and duration of each request', async () => {
  await using world = await startWorld()
  await world.slack.member.command('/hc', 'list')
  await world.slack.member.command('/hc', 'show nothing-of-the-kind')
  const lines = world.log.map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(lines).toContainEqual(
    expect.objectContaining({
      level: 'debug',
      to: 'service',
      method: 'GET',
      path: expect.stringContaining('/healthcheck'),
      outcome: 'ok',
      ms: expect.any(Number),
    }),
  )
  expect(lines).toContainEqual(
    expect.objectContaining({ level: 'debug', to: 'slack', method: 'response_url' }),
  )
  for (const verb of ['/hc list', '/hc show']) {
    const requestLine = lines.find((line) => line.kind === 'command' && line.verb === verb)
    expect(requestLine).toMatchObject({ reference: expect.any(String), ms: expect.any(Number) })
    const calls = lines.filter((line) => line.to === 'service' && line.reference === requestLine?.reference)
    expect(calls.length).toBeGreaterThan(0)
    for (const call of calls)
      expect(call).toMatchObject({ verb, ms: expect.any(Number), status: 200, attempt: 1 })
  }
  // A row of the audit log may be one that the world stored before the commands.
  const linesWithoutVerb = lines.filter(
    (line) =>
      line.reference !== undefined && line.audit === undefined && !(line.verb && line.ms !== undefined),
  )
  expect(linesWithoutVerb).toEqual([])
})

it('follows Prometheus naming in Socket Mode too', async () => {
  await using world = await startWorld({ environment: { SLACK_APP_TOKEN: 'xapp-playground' } })
  const text = await readMetrics(world.app.url)
  expect(findFaults(text)).toEqual([])
  expect(text).toContain('# TYPE signalman_slack_sockets ')
})

it.each(['docs/prometheus/alerts.yml', 'docs/prometheus/dashboard.json'])(
  'names only existing metrics in %s',
  (file) => {
    const sources = listFiles('src/metrics').map(readSource).join('')
    const existing = new Set(
      [...sources.matchAll(/'(?:signalman_)?([a-z]+(?:_[a-z]+)+)'/g)].map(([, name]) => `signalman_${name}`),
    )
    const mentioned = [...readSource(file).matchAll(/signalman_[a-z_]+/g)].map(([name]) =>
      name.replace(/_(bucket|sum|count)$/, ''),
    )
    expect(mentioned.length).toBeGreaterThan(5)
    expect(mentioned.filter((name) => !existing.has(name))).toEqual([])
  },
)

it('registers each metric once per process, even if several apps run in it one after another', async () => {
  await createMetrics().text()
  const resources: string[] = []
  const hook = createHook({ init: (_id, type) => void resources.push(type) }).enable()
  const second = createMetrics()
  const text = await second.text()
  hook.disable()
  expect(resources.filter((type) => type === 'Timeout' || type === 'ELDHISTOGRAM')).toEqual([])
  expect(findFaults(text)).toEqual([])
  expect(text).toContain('nodejs_gc_duration_seconds')
})
