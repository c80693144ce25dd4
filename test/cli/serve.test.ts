import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findFreePort } from '../free-port.ts'
import { runFile } from '../process.ts'
import { connect, SECRET, startProcessWorld } from '../process-world.ts'
import { makeBuiltProjectCopy, type ProjectCopy } from '../project-copy.ts'

describe('npm start', () => {
  let installation: ProjectCopy
  beforeAll(async () => {
    installation = await makeBuiltProjectCopy()
  })
  afterAll(() => installation[Symbol.asyncDispose]())

  it('explains a problem with the configuration or the database, and exits with 1', async () => {
    const configuration = { PORT: 'eighty', SLACK_BOT_TOKEN: 'nonsense' }
    const database = {
      SLACK_SIGNING_SECRET: SECRET,
      SLACK_BOT_TOKEN: 'xoxb-1',
      API_BASE_URL: 'http://127.0.0.1:9',
      DATABASE_URL: 'sqlite:/dev/null/x.db',
    }
    for (const { env, expectedText } of [
      { env: configuration, expectedText: 'The configuration has 4 problems' },
      { env: database, expectedText: '/dev/null' },
    ]) {
      await using app = runFile(installation.signalman, { args: ['serve'], env })
      expect(await app.ended).toBe(1)
      expect(app.output()).toContain(expectedText)
      expect(app.output()).not.toContain('    at ')
    }
  })

  it('says that a signing secret isn’t used in Socket Mode', async () => {
    await using world = await startProcessWorld(installation.signalman)
    const { app } = await world.start({ SLACK_APP_TOKEN: 'xapp-playground' })
    await app.waitFor(/SLACK_SIGNING_SECRET isn’t used, because SLACK_APP_TOKEN turns on Socket Mode/)
    app.child.kill('SIGTERM')
    expect(await app.ended).toBe(0)
  })

  it('reports that it is alive and ready, keeps a token when killed, and finishes running work on SIGTERM', async () => {
    await using world = await startProcessWorld(installation.signalman)
    const killed = await world.start()
    expect(await (await fetch(`${killed.url}/healthz`)).json()).toEqual({ status: 'alive' })
    const ready = await fetch(`${killed.url}/readyz`)
    expect([ready.status, await ready.json()]).toEqual([
      200,
      {
        status: 'ready',
        database: 'ok',
        slack: 'ok',
        accepting: 'ok',
      },
    ])
    expect((await fetch(`${killed.url}/elsewhere`)).status).toBe(404)
    await world.slack.member.command('/hc', 'list', { until: 'no token' })
    await connect(world)
    killed.app.child.kill('SIGKILL')
    await killed.app.ended

    const { app } = await world.start()
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
})
