import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findFreePort } from '../free-port.ts'
import { runFile } from '../process.ts'
import { connect, SECRET, startProcessWorld } from '../process-world.ts'
import { makeBuiltProjectCopy, type ProjectCopy } from '../project-copy.ts'
import { startCollector } from '../tracing/collector.ts'

describe('npm start', () => {
  let installation: ProjectCopy
  beforeAll(async () => {
    installation = await makeBuiltProjectCopy()
  })
  afterAll(() => installation[Symbol.asyncDispose]())

  it('lists all configuration errors together, and exits with 1', async () => {
    await using app = runFile(installation.signalman, {
      args: ['serve'],
      env: { PORT: 'eighty', SLACK_BOT_TOKEN: 'nonsense' },
    })
    expect(await app.ended).toBe(1)
    expect(app.output()).toContain('The configuration has 4 problems')
    expect(app.output()).not.toContain('    at ')
  })

  it('explains a problem with the database or the port, and exits with 1', async () => {
    await using world = await startProcessWorld(installation.signalman)
    const { app, url } = await world.start()
    const env = {
      SLACK_SIGNING_SECRET: SECRET,
      SLACK_BOT_TOKEN: 'xoxb-1',
      API_BASE_URL: world.sandbox.productionUrl,
      DATABASE_URL: 'sqlite::memory:',
      HOST: '127.0.0.1',
      PORT: new URL(url).port,
    }
    await using second = runFile(installation.signalman, { args: ['serve'], env })
    expect(await second.ended).toBe(1)
    expect(second.output()).toContain('EADDRINUSE')
    await using third = runFile(installation.signalman, {
      args: ['serve'],
      env: { ...env, DATABASE_URL: 'sqlite:/dev/null/x.db' },
    })
    expect(await third.ended).toBe(1)
    expect(third.output()).not.toContain('    at ')
    await app[Symbol.asyncDispose]()
  })

  it('reports that it is alive and ready', async () => {
    await using world = await startProcessWorld(installation.signalman)
    const { app, url } = await world.start()
    expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ status: 'alive' })
    const ready = await fetch(`${url}/readyz`)
    expect([ready.status, await ready.json()]).toEqual([
      200,
      {
        status: 'ready',
        database: 'ok',
        keys: 'ok',
        journal: 'ok',
        polls: 'ok',
        slack: 'ok',
        accepting: 'ok',
      },
    ])
    expect((await fetch(`${url}/elsewhere`)).status).toBe(404)
    await app[Symbol.asyncDispose]()
  })

  it('reports on both ports, also over IPv6, that it isn’t ready if Slack rejects its token', async () => {
    await using world = await startProcessWorld(installation.signalman)
    const metrics = await findFreePort()
    const broken = { SLACK_BOT_TOKEN: 'xoxb-nobody', METRICS_PORT: String(metrics) }
    Object.assign(world.env, { ...broken, HOST: '::1' })
    const { app, url } = await world.start()
    expect(url).toMatch(/^http:\/\/\[::1\]:\d+$/)
    for (const baseUrl of [url, `http://[::1]:${metrics}`])
      expect((await fetch(`${baseUrl}/readyz`)).status).toBe(503)
    await app[Symbol.asyncDispose]()
  })

  it('finishes running work on SIGTERM, and then exits with 0', async () => {
    await using world = await startProcessWorld(installation.signalman)
    const { app } = await world.start()
    await connect(world)
    await world.service.clearRequests()
    await world.service.faults({ path: '/healthcheck', kind: 'hold' })
    const expectedText = 'There are no health checks'
    const answer = world.slack.member.command('/hc', '', { until: expectedText })
    await expect.poll(() => world.service.requests('GET')).not.toEqual([])
    app.child.kill('SIGTERM')
    await world.service.faults()
    expect((await answer).text).toContain(expectedText)
    expect(await app.ended).toBe(0)
  })

  it('sends its traces with the configured headers and service name before it exits', async () => {
    await using collector = await startCollector()
    await using world = await startProcessWorld(installation.signalman)
    Object.assign(world.env, {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=planted',
      OTEL_SERVICE_NAME: 'signalman-eu',
    })
    for (const behavior of ['accept', 'hang'] as const) {
      collector.behave(behavior)
      const { app } = await world.start()
      expect((await world.slack.member.command('/hc', 'whoami')).text).toContain('viewer')
      app.child.kill('SIGTERM')
      expect(await app.ended).toBe(0)
      expect(app.output()).not.toContain('planted')
    }
    expect(collector.headers[0]).toMatchObject({ 'x-collector-key': 'planted' })
    const named = collector.spans.find(({ name }) => name === 'command /hc whoami')
    expect(named).toMatchObject({ service: 'signalman-eu', attributes: { 'signalman.outcome': 'done' } })
  })

  it('doesn’t lose an acknowledged token when it is killed', async () => {
    await using world = await startProcessWorld(installation.signalman)
    for (let round = 0; round < 6; round += 1) {
      const { app } = await world.start()
      const stored = await world.slack.member.command('/hc', 'list')
      expect(stored.text).toContain(round === 0 ? 'no token' : 'There are no health checks')
      await connect(world)
      app.child.kill('SIGKILL')
      await app.ended
    }
  })
})
