import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { modalShows, requestOrder, startOrders } from '../features/cert-orders/order-helpers.ts'
import { startWorld, type World } from '../world.ts'
import { type CollectedSpan, type Collector, startCollector } from './collector.ts'

const CLIENT = 3
const CHECK = { name: 'secret-check', status: 'UNHEALTHY' }

const exportTo = ({ url }: Collector) => ({ environment: { OTEL_EXPORTER_OTLP_ENDPOINT: url } })

const readLines = ({ log }: World) => log.map((line) => JSON.parse(line) as Record<string, unknown>)

const findRoot = (spans: readonly CollectedSpan[], name: string): CollectedSpan => {
  const found = spans.find((span) => span.name === name && span.parentSpanId === undefined)
  if (!found) throw new Error(`No trace begins with ${name}: ${spans.map((span) => span.name).join(', ')}`)
  return found
}

/** The names of a span and its ancestors, up to the root of the trace. */
function listAncestors(spans: readonly CollectedSpan[], span: CollectedSpan): string[] {
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId)
  return parent ? [parent.name, ...listAncestors(spans, parent)] : []
}

it('records one trace per request that includes its outgoing calls, and adds the trace ID to log lines', async () => {
  await using collector = await startCollector()
  const world = await startWorld({ ...exportTo(collector), checks: [CHECK] })
  await world.slack.member.command('/hc', 'show secret-check')
  await world[Symbol.asyncDispose]()
  const { spans } = collector
  const root = findRoot(spans, 'command /hc show')
  expect(root.attributes).toMatchObject({
    'signalman.request.kind': 'command',
    'signalman.verb': '/hc show',
    'signalman.outcome': 'done',
  })
  expect(root.service).toBe('signalman')
  const calls = spans.filter(({ traceId, kind }) => traceId === root.traceId && kind === CLIENT)
  const names = calls.map(({ name }) => name)
  expect(names).toContain('GET /healthcheck/v1/healthchecks/{uuid}')
  expect(names).toContain('slack response_url')
  for (const call of calls) expect(listAncestors(spans, call).at(-1)).toBe(root.name)
  expect(calls.find(({ name }) => name.endsWith('{uuid}'))?.attributes).toMatchObject({
    'http.request.method': 'GET',
    'url.template': '/healthcheck/v1/healthchecks/{uuid}',
    'http.response.status_code': 200,
  })
  const requestLines = readLines(world).filter(
    ({ reference }) => reference === root.attributes['signalman.reference'],
  )
  expect(requestLines.length).toBeGreaterThan(calls.length)
  expect(new Set(requestLines.map(({ trace_id }) => trace_id))).toEqual(new Set([root.traceId]))
  // A trace contains no person, no personal data, and no ID.
  expect(collector.bodies.join()).not.toMatch(/T0PLAYGRND|[UC]0[A-Z]|secret-check|[\da-f]{8}-[\da-f]{4}-/)
  expect(collector.bodies.join()).not.toContain(world.config.service.tokens.production)
})

it('continues a trace in queued work, including its waiting time, and in each step of an operation', async () => {
  await using collector = await startCollector()
  const world = await startOrders({}, exportTo(collector))
  const { member, admin } = world.slack
  await requestOrder(member)
  await admin.command('/cert-order', 'approve 1', { until: modalShows('Approve order 1') })
  await admin.submit({}, { until: modalShows('was received') })
  await world[Symbol.asyncDispose]()
  const { spans } = collector
  const post = spans.find(({ name }) => name === 'POST /ssl/v2/orders')
  if (!post) throw new Error('No POST was traced.')
  expect(listAncestors(spans, post)).toEqual([
    'work order.submit',
    'step /cert-order approve',
    'act',
    'submission cert-orders.approve',
  ])
  const notices = spans.filter(({ name }) => name === 'work order.notice')
  expect(notices.length).toBeGreaterThan(0)
  for (const notice of notices) expect(notice.parentSpanId).toBeDefined()
  expect(readLines(world)).toContainEqual(
    expect.objectContaining({
      method: 'POST',
      route: '/ssl/v2/orders',
      verb: 'order.submit',
      trace_id: post.traceId,
    }),
  )
})

it('records error codes, retries, and the request’s outcome when the service is down', async () => {
  await using collector = await startCollector()
  const world = await startWorld({
    ...exportTo(collector),
    serviceLimits: { retry: { attempts: 2, baseMs: 1 } },
  })
  await world.service.faults({
    path: '/healthcheck',
    kind: 'status',
    status: 503,
    body: 'planted',
    times: 20,
  })
  await world.slack.member.command('/hc', 'list')
  await world[Symbol.asyncDispose]()
  const root = findRoot(collector.spans, 'command /hc list')
  expect(root).toMatchObject({ failed: false, attributes: { 'signalman.outcome': 'problem' } })
  const calls = collector.spans.filter(({ name }) => name === 'GET /healthcheck/v1/healthchecks')
  expect(calls.every(({ failed, attributes }) => failed && attributes['error.type'] === '503')).toBe(true)
  expect(calls.map(({ attributes }) => attributes['http.request.resend_count'])).toContain(1)
  expect(collector.bodies.join()).not.toContain('planted')
})

it.each(['dead', 'refuse', 'hang'] as const)(
  'doesn’t slow anything down with a broken collector: %s',
  async (failure) => {
    const collector = await startCollector()
    if (failure === 'dead') await collector[Symbol.asyncDispose]()
    else collector.behave(failure)
    const world = await startWorld({ ...exportTo(collector), checks: [CHECK] })
    for (let count = 0; count < 3; count += 1)
      expect((await world.slack.member.command('/hc', '')).text).toContain('secret-check')
    // Shutdown waits for the remaining spans only for a limited time.
    await Promise.race([
      world[Symbol.asyncDispose](),
      setTimeout(60_000).then(() => Promise.reject(new Error('It hung.'))),
    ])
    const warnings = world.log.filter((line) => line.includes('Traces cannot be exported'))
    // The exporter tries for 10 s before it reports that the collector doesn't respond.
    expect(warnings.length).toBeLessThanOrEqual(1)
    if (failure === 'refuse') expect(warnings).toHaveLength(1)
    expect(warnings.join()).not.toContain('planted')
    if (failure === 'refuse')
      expect(JSON.parse(warnings[0] ?? '{}')).toMatchObject({ level: 'warn', fault: 'status 400' })
    await collector[Symbol.asyncDispose]()
  },
)

it('doesn’t load OpenTelemetry without a collector, and no log line has a trace ID', async () => {
  await using world = await startWorld({ checks: [CHECK] })
  await world.slack.member.command('/hc', 'list')
  expect(readLines(world).filter(({ trace_id }) => trace_id !== undefined)).toEqual([])
  expect(world.config.tracing).toBeUndefined()
})
