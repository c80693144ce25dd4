import { setTimeout as pause } from 'node:timers/promises'
import { startPlayground } from '@signalman/playground'
import { createDriver } from '@signalman/playground/driver'
import { startSandbox } from '@signalman/sandbox'
import { expect, it } from 'vitest'
import { EVERYONE } from '../../src/domain/roles.ts'
import { openStore } from '../../src/store/store.ts'
import { MANIFEST } from '../manifest.ts'
import { type Running, runSignalman } from '../process.ts'
import { createSandboxControl } from '../sandbox-control.ts'
import { makeFolder, SHARED_DATABASES } from '../store/databases.ts'
import { findHaproxy, freePort, startHaproxy } from './haproxy.ts'

const SECRET = 'replicas-signing-secret'
const WORKSPACE = 'T0PLAYGRND'
const EVERY_MS = Number(process.env.REPLICAS_EVERY_MS ?? 100)

const haproxy = findHaproxy()
const postgres = SHARED_DATABASES.find(({ name }) => name === 'PostgreSQL')

async function startReplicas(program: string) {
  await using started = new AsyncDisposableStack()
  const folder = started.use(makeFolder()).path
  const database = started.use(
    (await postgres?.start()) ?? { url: '', keys: '', [Symbol.asyncDispose]: async () => undefined },
  )
  const sandbox = started.use(await startSandbox({ seed: false, checking: false }))
  const ports = [await freePort(), await freePort()] as const
  const proxy = started.use(await startHaproxy(program, folder, ports))
  const playground = started.use(
    await startPlayground({
      appUrl: proxy.url,
      signingSecret: SECRET,
      manifestPath: MANIFEST,
      limits: { postsPerSecond: 0 },
    }),
  )
  {
    await using store = await openStore(database)
    await store.grants.add(WORKSPACE, 'operator', EVERYONE, 'U0ADMIN001', new Date())
  }
  const alive = new Set<Running>()
  started.defer(async () => void (await Promise.all([...alive].map((app) => app[Symbol.asyncDispose]()))))
  /** Runs a replica, until it is ready. */
  async function start(which: 0 | 1): Promise<Running> {
    const app = runSignalman(['serve'], {
      env: {
        SLACK_SIGNING_SECRET: SECRET,
        SLACK_BOT_TOKEN: playground.botToken,
        SLACK_API_URL: playground.apiUrl,
        API_BASE_URL: sandbox.productionUrl,
        API_TOKEN: sandbox.token,
        DATABASE_URL: database.url,
        ENCRYPTION_KEYS: database.keys,
        PORT: String(ports[which]),
        HOST: '127.0.0.1',
      },
      cwd: folder,
    })
    alive.add(app)
    await app.waitFor(/"url":"([^"]+)"/)
    await expect.poll(async () => (await fetch(`http://127.0.0.1:${ports[which]}/readyz`)).status).toBe(200)
    // The proxy looks every half second.
    await pause(700)
    return app
  }
  const everything = started.move()
  return {
    start,
    slack: createDriver(playground.url),
    service: createSandboxControl(sandbox),
    [Symbol.asyncDispose]: () => everything.disposeAsync(),
  }
}

type Replicas = Awaited<ReturnType<typeof startReplicas>>

/** Commands at a steady rate, and one form after the other that creates a check. */
function startLoad({ slack }: Replicas) {
  const failed: string[] = []
  let during = 'starting'
  const fail = (what: string) => void failed.push(`while ${during}: ${what}`)
  const underWay = new Set<Promise<unknown>>()
  let isOver = false
  let created = 0
  async function read(): Promise<void> {
    const { outcome } = await slack.member.command('/hc', 'help', { until: () => true })
    if (!outcome.ok) fail(`help: ${outcome.error} ${outcome.message}`)
  }
  async function create(): Promise<void> {
    while (!isOver) {
      const name = `check-${created}`
      const opened = await slack.admin.command('/hc', 'create', {
        until: ({ view, outcome }) => !outcome.ok || view !== undefined,
      })
      const sent = await slack.admin.submit(
        { Name: name, Target: 'a.example.com', 'Customer ID': '1' },
        { until: /Created\.|may have/, waitMs: 30_000 },
      )
      if (!opened.outcome.ok || !sent.outcome.ok) fail(`${name}: ${sent.outcome.ok}`)
      created += 1
    }
  }
  const track = (work: Promise<unknown>) => {
    const one = work.catch((error: unknown) => fail(String(error))).finally(() => underWay.delete(one))
    underWay.add(one)
  }
  const steady = setInterval(() => track(read()), EVERY_MS)
  track(create())
  return {
    /** What happens to the replicas from now on, for whoever reads what failed. */
    meanwhile(what: string) {
      during = what
    },
    async stop() {
      isOver = true
      clearInterval(steady)
      await Promise.all(underWay)
      return { failed, created }
    },
  }
}

it.skipIf(haproxy === undefined)(
  'two replicas behind a proxy are restarted one by one, killed and paused: no command fails, no act is done twice',
  async () => {
    await using replicas = await startReplicas(haproxy ?? '')
    const apps = [await replicas.start(0), await replicas.start(1)]
    const load = startLoad(replicas)
    for (const which of [0, 1] as const) {
      load.meanwhile(`replica ${which} is restarted`)
      apps[which]?.child.kill('SIGTERM')
      expect(await apps[which]?.ended).toBe(0)
      apps[which] = await replicas.start(which)
    }
    const [one, two] = apps
    load.meanwhile('one is killed')
    one?.child.kill('SIGKILL')
    await one?.ended
    await replicas.start(0)
    load.meanwhile('two is paused')
    two?.child.kill('SIGSTOP')
    await pause(2500)
    two?.child.kill('SIGCONT')
    await pause(1000)
    const { failed, created } = await load.stop()
    expect(failed).toEqual([])
    expect(created).toBeGreaterThan(3)
    for (let nth = 0; nth < created; nth += 1)
      expect(await replicas.service.checksNamed(`check-${nth}`)).toHaveLength(1)
  },
  120_000,
)
