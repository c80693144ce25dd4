import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { startPlayground } from '@signalman/playground'
import { type Answer, createDriver, type User } from '@signalman/playground/driver'
import { startSandbox } from '@signalman/sandbox/src/index.ts'
import { expect, it } from 'vitest'
import { openStore } from '../../src/app/store.ts'
import { EVERYONE } from '../../src/domain/roles.ts'
import { makeFolder, SHARED_DATABASES } from '../databases/databases.ts'
import { findFreePort } from '../free-port.ts'
import { addGrant } from '../give-role.ts'
import { MANIFEST } from '../manifest.ts'
import { type RunningProcess, runSignalman } from '../process.ts'
import { LONG_SLACK_TIMEOUTS } from '../relaxed-limits.ts'
import { createSandboxControl } from '../sandbox-control.ts'
import { findHaproxy, startHaproxy } from './haproxy.ts'

const SECRET = 'replicas-signing-secret'
const WORKSPACE = 'T0PLAYGRND'
const READ_EVERY_MS = Number(process.env.REPLICAS_EVERY_MS ?? 200)
const MAX_PENDING = 8
const CREATE_EVERY_MS = 250
/** There are enough people that nobody exceeds two requests per second. */
const CROWD = Array.from({ length: 12 }, (_, nth) => `crowd-${nth}`)

const haproxy = findHaproxy()
const postgres = SHARED_DATABASES.find(({ name }) => name === 'PostgreSQL')

async function startReplicas(program: string) {
  await using started = new AsyncDisposableStack()
  const folder = started.use(makeFolder()).path
  const database = started.use(
    (await postgres?.start()) ?? { url: '', keys: '', [Symbol.asyncDispose]: async () => undefined },
  )
  const sandbox = started.use(await startSandbox({ seed: false, checking: false }))
  const ports = [await findFreePort(), await findFreePort()] as const
  const proxy = started.use(await startHaproxy(program, folder, ports))
  const playground = started.use(
    await startPlayground({
      appUrl: proxy.url,
      signingSecret: SECRET,
      manifestPath: MANIFEST,
      limits: LONG_SLACK_TIMEOUTS,
    }),
  )
  {
    await using store = await openStore(database)
    await addGrant(store, WORKSPACE, 'operator', EVERYONE, 'U0ADMIN001', new Date())
  }
  const alive = new Set<RunningProcess>()
  started.defer(async () => void (await Promise.all([...alive].map((app) => app[Symbol.asyncDispose]()))))
  async function start(which: 0 | 1): Promise<RunningProcess> {
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
    await expect.poll(() => proxy.isUsed(which)).toBe(true)
    return app
  }
  const slack = createDriver(playground.url)
  await slack.load({
    people: CROWD.map((name) => ({ name })),
    channels: [{ name: 'general', members: CROWD }],
  })
  const { people } = await slack.member.state()
  const crowd = people.filter(({ name }) => CROWD.includes(name)).map(({ id }) => slack.user(id))
  const resources = started.move()
  return {
    start,
    crowd,
    proxy,
    service: createSandboxControl(sandbox),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

type Replicas = Awaited<ReturnType<typeof startReplicas>>

/** A modal may open with a placeholder. */
const isForm = ({ view }: Answer): boolean => Boolean(view?.view.submit)

/** Sends commands of many people at a steady rate, and one form after another that creates a check. */
function startLoad({ crowd }: Replicas) {
  const failed: string[] = []
  let phase = 'starting'
  let kills = 0
  const fail = (problem: string) => void failed.push(`while ${phase}: ${problem}`)
  const pending = new Set<Promise<unknown>>()
  let isStopped = false
  let created = 0
  let commandCount = 0
  const nextPerson = (): User => {
    commandCount += 1
    const person = crowd[commandCount % crowd.length]
    if (person === undefined) throw new Error('There is nobody in the crowd.')
    return person
  }
  async function read(): Promise<void> {
    const before = kills
    // If its process dies, a read may never be answered. But it must have been acknowledged.
    const until = ({ outcome, text }: Answer) => !outcome.ok || text.includes('/hc list') || kills !== before
    const { outcome, text } = await nextPerson().command('/hc', 'help', { until })
    if (!outcome.ok) fail(`help: ${outcome.error} ${outcome.message}`)
    else if (kills === before && !text.includes('/hc list')) fail(`help: ${text}`)
  }
  /** Opens the form for a new check. If the process dies, opens it again, like a person would. */
  async function openForm(person: User): Promise<void> {
    for (;;) {
      const before = kills
      try {
        const { outcome } = await person.command('/hc', 'create', {
          until: (answer) => !answer.outcome.ok || isForm(answer),
        })
        if (outcome.ok) return
        throw new Error(`create: ${outcome.message}`)
      } catch (error) {
        if (kills === before) throw error
      }
    }
  }
  async function create(): Promise<void> {
    while (!isStopped) {
      const name = `check-${created}`
      const person = nextPerson()
      await openForm(person)
      const { outcome, text } = await person.submit(
        { Name: name, Target: 'a.example.com', 'Customer ID': '1' },
        // The process that takes over looks up a started step after 25 s.
        { until: /Created 1|may have|[Nn]othing was (?:changed|started)/ },
      )
      if (!outcome.ok) fail(`${name}: ${outcome.error} ${outcome.message}`)
      // Told that nothing was changed, a person tries again. If that weren't true, there would be two checks.
      if (!/[Nn]othing was (?:changed|started)/.test(text)) created += 1
      await pause(CREATE_EVERY_MS)
    }
  }
  const track = (work: Promise<unknown>) => {
    const tracked = work.catch((error: unknown) => fail(String(error))).finally(() => pending.delete(tracked))
    pending.add(tracked)
  }
  // On a busy machine, wait for slow replicas instead of overloading them.
  const timer = setInterval(() => pending.size < MAX_PENDING && track(read()), READ_EVERY_MS)
  track(create())
  return {
    /** Records what is happening to the replicas, to explain failures. */
    setPhase(name: string) {
      phase = name
    },
    countKill() {
      kills += 1
    },
    hasEnoughChecks: () => created > 3 || failed.length > 0,
    async stop() {
      isStopped = true
      clearInterval(timer)
      await Promise.all(pending)
      return { failed, created }
    },
  }
}

/** Suspends a process for so long. A shell does it, because on a busy machine a timer of this process would come late. */
async function suspend(app: RunningProcess | undefined, seconds: number): Promise<void> {
  const shell = spawn('sh', [
    '-c',
    `kill -STOP ${app?.child.pid}; sleep ${seconds}; kill -CONT ${app?.child.pid}`,
  ])
  await once(shell, 'exit')
}

it.skipIf(haproxy === undefined)(
  'fails no command and runs no act twice while two replicas behind a proxy are restarted one by one, killed, and paused',
  async () => {
    await using replicas = await startReplicas(haproxy ?? '')
    const apps = [await replicas.start(0), await replicas.start(1)]
    const load = startLoad(replicas)
    for (const which of [0, 1] as const) {
      load.setPhase(`replica ${which} is restarted`)
      apps[which]?.child.kill('SIGTERM')
      expect(await apps[which]?.ended).toBe(0)
      apps[which] = await replicas.start(which)
    }
    const [first, second] = apps
    load.setPhase('the first replica is killed')
    load.countKill()
    first?.child.kill('SIGKILL')
    await first?.ended
    // Half of the 1.5 s after which the proxy gives up, because a busy machine adds to the pause.
    load.setPhase('only the second replica is running, and it is paused for 0.75 s')
    await suspend(second, 0.75)
    await replicas.start(0)
    load.setPhase('both replicas are running, and the second one is paused for 2.5 s')
    await suspend(second, 2.5)
    await expect.poll(load.hasEnoughChecks).toBe(true)
    const { failed, created } = await load.stop()
    expect(failed, replicas.proxy.getOutput()).toEqual([])
    expect(created).toBeGreaterThan(3)
    for (let nth = 0; nth < created; nth += 1)
      expect(await replicas.service.checksNamed(`check-${nth}`)).toHaveLength(1)
  },
)
