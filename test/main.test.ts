import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPlayground } from '@signalman/playground'
import { createDriver } from '@signalman/playground/driver'
import { startSandbox } from '@signalman/sandbox'
import { describe, expect, it } from 'vitest'
import { MANIFEST } from './manifest.ts'
import { type Running, run } from './process.ts'
import { createSandboxControl } from './sandbox-control.ts'

const SECRET = 'process-signing-secret'

/** The app in a process of its own, on a database file, between a sandbox and a playground. */
async function startAround() {
  await using started = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'signalman-'))
  started.defer(() => rm(folder, { recursive: true, force: true }))
  const sandbox = started.use(await startSandbox({ seed: false, checking: false }))
  const playground = started.use(
    await startPlayground({
      appUrl: 'http://127.0.0.1:9',
      signingSecret: SECRET,
      manifestPath: MANIFEST,
      limits: { postsPerSecond: 0 },
    }),
  )
  const env = {
    SLACK_SIGNING_SECRET: SECRET,
    SLACK_BOT_TOKEN: playground.botToken,
    SLACK_API_URL: playground.apiUrl,
    API_BASE_URL: sandbox.productionUrl,
    API_OTE_BASE_URL: sandbox.oteUrl,
    DATABASE_URL: `sqlite:${join(folder, 'data', 'signalman.db')}`,
    PORT: '0',
    HOST: '127.0.0.1',
  }
  async function start(): Promise<{ app: Running; url: string }> {
    const app = run('src/main.ts', { env })
    const [, url = ''] = await app.waitFor(/"url":"([^"]+)"/)
    playground.setAppUrl(url)
    return { app, url }
  }
  const slack = await createDriver(playground.url)
  const service = createSandboxControl(sandbox)
  const everything = started.move()
  return { start, slack, service, sandbox, [Symbol.asyncDispose]: () => everything.disposeAsync() }
}

describe('npm start', () => {
  it('lists every fault of the configuration at once and exits 1', async () => {
    await using app = run('src/main.ts', { env: { PORT: 'eighty', SLACK_BOT_TOKEN: 'nonsense' } })
    expect(await app.ended).toBe(1)
    expect(app.output()).toContain('The configuration has 4 faults')
    expect(app.output()).not.toContain('    at ')
  })

  it('says what is wrong with the database, or with the port, and exits 1', async () => {
    await using around = await startAround()
    const { app, url } = await around.start()
    const env = {
      SLACK_SIGNING_SECRET: SECRET,
      SLACK_BOT_TOKEN: 'xoxb-1',
      API_BASE_URL: around.sandbox.productionUrl,
      DATABASE_URL: 'sqlite::memory:',
      HOST: '127.0.0.1',
      PORT: new URL(url).port,
    }
    await using second = run('src/main.ts', { env })
    expect(await second.ended).toBe(1)
    expect(second.output()).toContain('EADDRINUSE')
    await using third = run('src/main.ts', { env: { ...env, DATABASE_URL: 'sqlite:/dev/null/x.db' } })
    expect(await third.ended).toBe(1)
    expect(third.output()).not.toContain('    at ')
    await app[Symbol.asyncDispose]()
  })

  it('is alive and ready, and not ready when Slack refuses its token', async () => {
    await using around = await startAround()
    const { app, url } = await around.start()
    expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ status: 'alive' })
    const ready = await fetch(`${url}/readyz`)
    expect([ready.status, await ready.json()]).toEqual([
      200,
      { status: 'ready', database: 'ok', slack: 'ok', accepting: 'ok' },
    ])
    expect((await fetch(`${url}/elsewhere`)).status).toBe(404)
    await app[Symbol.asyncDispose]()
  })

  it('finishes what runs when it is told to stop, then exits 0', async () => {
    await using around = await startAround()
    const { app } = await around.start()
    await connect(around)
    await around.service.faults({ path: '/healthcheck', kind: 'delay', ms: 700, times: 4 })
    const answer = around.slack.member.command('/hc', '')
    await expect.poll(async () => (await around.slack.deliveries('command')).length).toBe(2)
    app.child.kill('SIGTERM')
    expect((await answer).text).toContain('There are no health checks yet.')
    expect(await app.ended).toBe(0)
  })

  it('keeps every connection it acknowledged, however it is killed', async () => {
    await using around = await startAround()
    for (let round = 0; round < 6; round += 1) {
      const { app } = await around.start()
      const stored = await around.slack.member.command('/hc', 'list')
      expect(stored.text).toContain(round === 0 ? 'No token' : 'No health checks here.')
      await connect(around)
      app.child.kill('SIGKILL')
      await app.ended
    }
  })
})

async function connect({ slack, sandbox }: Awaited<ReturnType<typeof startAround>>): Promise<void> {
  await slack.admin.command('/hc', 'connect')
  await slack.admin.submit({ Token: sandbox.token }, { until: /[Ss]tored/ })
}
