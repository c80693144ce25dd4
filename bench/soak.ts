import { randomInt } from 'node:crypto'
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { startPlayground } from '@signalman/playground'
import { createDriver } from '@signalman/playground/driver'
import { startSandbox } from '@signalman/sandbox/src/index.ts'
import { MODEL } from '../src/app/model.ts'
import { seeded, seedOf } from '../test/random.ts'
import { createSandboxControl } from '../test/sandbox-control.ts'
import { ACTS, FLEET, type Playing, pickLine, READERS, typeAndRead } from './load/people.ts'
import { startChild } from './parts/child.ts'
import { makeFolder } from './parts/folder.ts'
import { formatReport } from './parts/report.ts'
import type { Holding, SoakedSettings } from './servers/soaked.ts'

const ROOT = join(import.meta.dirname, '..')
const RESULTS = join(import.meta.dirname, 'soak.json')
const MANIFEST = join(ROOT, 'manifest.yml')
const SIGNING_SECRET = 'the signing secret of the soak'
const MEGABYTE = 1024 * 1024
const MINUTE_MS = 60_000
/** From then on, everything is warm: caches are full, and everything has happened several times. */
const WARM = 10
/** The pause between two acts. */
const ACT_EVERY_MS = 3000
/** How much more than when it was warm is allowed at the end. */
const MOST_GROWTH = 1.1

/** The state at one minute. */
interface Sample extends Holding {
  minute: number
  commands: number
  failed: number
  /** The size of each file in bytes; a folder counts with its content. */
  files: Record<'signalman.db' | 'signalman.db-wal' | 'journal' | 'log', number>
  /** The number of rows in each table. */
  rows: Record<string, number>
}

export interface SoakOptions {
  minutes: number
  /** Commands per second that only read. */
  perSecond: number
}

/**
 * People type and press at a fixed rate, checks go down and recover, and jobs run. The app's resources are measured every minute.
 */
export async function soak({ minutes, perSecond }: SoakOptions): Promise<void> {
  const seed = seedOf(process.env.SEED ?? String(randomInt(2 ** 31)))
  process.stdout.write(`${minutes} min of ${perSecond} readings a second; SEED=${seed} repeats it\n`)
  await using running = new AsyncDisposableStack()
  const folder = running.use(await makeFolder())
  const at = dirname(folder.file('signalman.db'))
  const sandbox = running.use(await startSandbox({ checking: false }))
  const playground = running.use(
    await startPlayground({
      appUrl: 'http://127.0.0.1:9',
      signingSecret: SIGNING_SECRET,
      manifestPath: MANIFEST,
      levels: ['slack', 'careful'],
    }),
  )
  await mkdir(join(at, 'journal'))
  const settings: SoakedSettings = {
    folder: at,
    environment: {
      SLACK_SIGNING_SECRET: SIGNING_SECRET,
      SLACK_BOT_TOKEN: playground.botToken,
      SLACK_API_URL: playground.apiUrl,
      API_BASE_URL: sandbox.productionUrl,
      API_OTE_BASE_URL: sandbox.oteUrl,
      API_TOKEN: sandbox.token,
      API_OTE_TOKEN: sandbox.token,
      WATCH_INTERVAL_SECONDS: '5',
      DIAGNOSE_FORBID: 'all',
    },
  }
  const app = running.use(await startChild('servers/soaked.ts', settings))
  // `servers/soaked.ts` returns its address.
  playground.setAppUrl(app.ready as string)
  const playing = await populate(playground.url, createSandboxControl(sandbox), seed)

  const count = { commands: 0, failed: 0 }
  const failures = new Map<string, number>()
  const over = new AbortController()
  const tried = async (work: () => Promise<unknown>): Promise<void> => {
    count.commands += 1
    await work().catch((error: unknown) => {
      if (over.signal.aborted) return
      count.failed += 1
      const said = (error instanceof Error ? error.message : String(error)).slice(0, 300)
      failures.set(said, (failures.get(said) ?? 0) + 1)
    })
  }
  const people = Promise.all([
    typing(playing, perSecond, over.signal, tried),
    acting(playing, over.signal, tried),
  ])
  const samples: Sample[] = []
  const startedAt = performance.now()
  for (let minute = 1; minute <= minutes; minute += 1) {
    await pause(Math.max(0, startedAt + minute * MINUTE_MS - performance.now()))
    const holding = (await app.call('hold')) as Holding
    samples.push({ minute, ...count, ...holding, files: await measureFiles(at), rows: countRows(at) })
    process.stdout.write(`${formatSample(samples.at(-1))}\n`)
  }
  over.abort()
  await people
  for (const [said, times] of failures) process.stdout.write(`failed ${times} times: ${said}\n`)
  await app.call('stop')
  const judged = judge(samples)
  process.stdout.write(`\n${formatReport(judged)}\n\n${judged.grown.join('\n')}\n`)
  const machine = { cores: availableParallelism(), node: process.versions.node }
  // `grown` summarizes the sizes of the tables.
  const held = samples.map(({ rows: _, ...sample }) => sample)
  const told = Object.fromEntries(failures)
  const result = { machine, minutes, perSecond, seed, ...judged, failures: told, samples: held }
  if (minutes > WARM) await writeFile(RESULTS, `${JSON.stringify(result, undefined, 1)}\n`)
}

/** Creates the people, the checks, and the watch. */
async function populate(url: string, service: Playing['service'], seed: number): Promise<Playing> {
  const slack = createDriver(url)
  await slack.load({ people: READERS.map((name) => ({ name })) })
  const { people, channels } = await slack.member.state()
  const channelId = channels.find(({ name }) => name === 'general')?.id ?? ''
  const readers = people.filter(({ name }) => READERS.includes(name)).map(({ id }) => id)
  for (const id of readers) await slack.user(id).join(channelId)
  for (const name of FLEET) await service.addCheck({ name, status: 'HEALTHY', alerts: [['ann@example.com']] })
  const checks = (await service.checksNamed('*')).map(({ name, uuid }) => ({ name, uuid }))
  const threats = (await service.threats()).slice(0, 6).map(({ id }) => id)
  const { member, admin } = slack
  // Written as given, so that the log says so.
  await admin.command('/hc', `grant <@${member.id}> operator 8h`)
  await admin.command('/hc', `grant <@${admin.id}> approver 8h`)
  await member.command('/hc', 'watch fleet-*', { channel: 'operations' })
  return { url, member, admin, readers, channelId, service, checks, threats, random: seeded(seed) }
}

type Tried = (work: () => Promise<unknown>) => Promise<void>

/** The readers take turns at the given rate, even if earlier answers are missing. */
async function typing(playing: Playing, perSecond: number, over: AbortSignal, tried: Tried): Promise<void> {
  const under = new Set<Promise<void>>()
  const startedAt = performance.now()
  for (let turn = 0; !over.aborted; turn += 1) {
    const waitMs = startedAt + (turn * 1000) / perSecond - performance.now()
    await pause(Math.max(0, waitMs), undefined, { signal: over }).catch(() => undefined)
    const user = playing.readers[turn % playing.readers.length] ?? ''
    const one = tried(() => typeAndRead(playing, user, pickLine(playing)))
    under.add(one)
    void one.then(() => under.delete(one))
  }
  await Promise.all(under)
}

async function acting(playing: Playing, over: AbortSignal, tried: Tried): Promise<void> {
  for (let turn = 0; !over.aborted; turn += 1) {
    const act = ACTS[turn % ACTS.length]
    if (act) await tried(() => act(playing, turn))
    await pause(ACT_EVERY_MS, undefined, { signal: over }).catch(() => undefined)
  }
}

async function measureFiles(folder: string): Promise<Sample['files']> {
  const bytes = async (name: string): Promise<number> => {
    const found = await stat(join(folder, name)).catch(() => undefined)
    if (!found?.isDirectory()) return found?.size ?? 0
    const inside = await Promise.all((await readdir(join(folder, name))).map((one) => bytes(join(name, one))))
    return inside.reduce((sum, one) => sum + one, 0)
  }
  return {
    'signalman.db': await bytes('signalman.db'),
    'signalman.db-wal': await bytes('signalman.db-wal'),
    journal: await bytes('journal'),
    log: await bytes('log'),
  }
}

function countRows(folder: string): Sample['rows'] {
  using database = new DatabaseSync(join(folder, 'signalman.db'), { readOnly: true })
  const count = (name: string) =>
    Number(database.prepare(`select count(*) as count from "${name}"`).get()?.count)
  return Object.fromEntries(MODEL.tables.map(({ name }) => [name, count(name)]))
}

const inMegabytes = (bytes: number): number => Number((bytes / MEGABYTE).toFixed(1))

const toValues = (one: Sample): number[] => [
  inMegabytes(one.residentBytes),
  inMegabytes(one.heapBytes),
  one.handles,
  ...Object.values(one.files).map(inMegabytes),
  one.commands,
  one.failed,
  one.errors,
]

const COLUMNS = [
  'RSS MB',
  'heap MB',
  'handles',
  'database MB',
  'WAL MB',
  'journal MB',
  'log MB',
  'asked',
  'failed',
  'errors',
]
const formatSample = (one: Sample | undefined): string =>
  one
    ? `minute ${one.minute}: ${toValues(one)
        .map((value, at) => `${COLUMNS[at]} ${value}`)
        .join(', ')}`
    : ''

/** The median of five minutes, so that a single garbage collection makes no difference. */
const around = (samples: readonly Sample[], of: (one: Sample) => number): number =>
  samples.map(of).toSorted((left, right) => left - right)[Math.floor(samples.length / 2)] ?? 0

function judge(samples: readonly Sample[]) {
  const warm = samples.slice(Math.min(WARM, samples.length) - 1).slice(0, 5)
  const end = samples.slice(-5)
  const growth = (of: (one: Sample) => number): number => around(end, of) / Math.max(1, around(warm, of))
  const [first, last] = [warm[0], samples.at(-1)]
  const shown = samples.filter(({ minute }) => minute % 5 === 0 || minute === samples.length)
  return {
    tables: [
      {
        title: 'What the app holds',
        columns: COLUMNS,
        rows: shown.map((one) => [`minute ${one.minute}`, ...toValues(one)] as const),
      },
    ],
    goals: [
      ...(
        [
          ['Memory at the end ÷ at minute 10', (one: Sample) => one.residentBytes],
          ['Heap after a collection, the same', (one: Sample) => one.heapBytes],
          ['Open handles, the same', (one: Sample) => one.handles],
          ['Write-ahead log, the same', (one: Sample) => one.files['signalman.db-wal']],
          ['Journal, the same', (one: Sample) => one.files.journal],
        ] as const
      ).map(([goal, of]) => ({ goal, bound: { atMost: MOST_GROWTH }, reached: growth(of) })),
      { goal: 'Commands that failed', bound: { atMost: 0 }, reached: last?.failed ?? 0 },
      { goal: 'Errors in the log', bound: { atMost: 0 }, reached: last?.errors ?? 0 },
    ],
    /** What makes the database grow, and what limits it, from the declarations of the tables. */
    grown: MODEL.tables.flatMap(({ name, bound }) => {
      const [before = 0, after = 0] = [first?.rows[name], last?.rows[name]]
      return after > before ? [`${name}: ${before} → ${after} rows. What bounds it: ${bound}`] : []
    }),
  }
}
