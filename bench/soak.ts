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
import { createRandom, readSeed } from '../test/random.ts'
import { createSandboxControl } from '../test/sandbox-control.ts'
import { ACTIONS, FLEET, type LoadWorld, pickCommand, READERS, typeAndRead } from './load/people.ts'
import { startChild } from './parts/child.ts'
import { makeFolder } from './parts/folder.ts'
import { formatReport } from './parts/report.ts'
import type { Resources, SoakAppSettings } from './servers/soak-app.ts'

const ROOT = join(import.meta.dirname, '..')
const RESULTS = join(import.meta.dirname, 'soak.json')
const MANIFEST = join(ROOT, 'manifest.yml')
const SIGNING_SECRET = 'the signing secret of the soak'
const MEGABYTE = 1024 * 1024
const MINUTE_MS = 60_000
/** After this many minutes, the app is warm: caches are full, and every action has run several times. */
const WARM_UP_MINUTES = 10
/** The pause between two changes. */
const CHANGE_INTERVAL_MS = 3000
/** How much a resource may grow: the maximum of its value at the end ÷ its value after the warm-up. */
const MAX_GROWTH = 1.1

/** The resources after one minute. */
interface Sample extends Resources {
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
  /** Read-only commands per second. */
  perSecond: number
}

/**
 * The soak test: simulates people who send commands at a fixed rate, checks that go down and recover, and bulk changes. Measures the
 * app's resources every minute.
 */
export async function soak({ minutes, perSecond }: SoakOptions): Promise<void> {
  const seed = readSeed(process.env.SEED ?? String(randomInt(2 ** 31)))
  process.stdout.write(
    `${minutes} min with ${perSecond} commands a second. To repeat this run, set SEED=${seed}.\n`,
  )
  await using running = new AsyncDisposableStack()
  const folder = running.use(await makeFolder())
  const path = dirname(folder.file('signalman.db'))
  const sandbox = running.use(await startSandbox({ checking: false }))
  const playground = running.use(
    await startPlayground({
      appUrl: 'http://127.0.0.1:9',
      signingSecret: SIGNING_SECRET,
      manifestPath: MANIFEST,
      levels: ['slack', 'careful'],
    }),
  )
  await mkdir(join(path, 'journal'))
  const settings: SoakAppSettings = {
    folder: path,
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
  const app = running.use(await startChild('servers/soak-app.ts', settings))
  // `servers/soak-app.ts` returns its address.
  playground.setAppUrl(app.ready as string)
  const world = await populate(playground.url, createSandboxControl(sandbox), seed)

  const count = { commands: 0, failed: 0 }
  const failures = new Map<string, number>()
  const end = new AbortController()
  const runAndCount = async (name: string, work: () => Promise<unknown>): Promise<void> => {
    count.commands += 1
    await work().catch((error: unknown) => {
      // Stopping the test interrupts commands.
      if (end.signal.aborted) return
      count.failed += 1
      const text = error instanceof Error ? error.message : String(error)
      // The driver's errors end with what the person saw last.
      const message = `${name}: ${text.length > 1200 ? `${text.slice(0, 300)} … ${text.slice(-900)}` : text}`
      failures.set(message, (failures.get(message) ?? 0) + 1)
    })
  }
  const people = Promise.all([
    sendCommands(world, perSecond, end.signal, runAndCount),
    makeChanges(world, end.signal, runAndCount),
  ])
  const samples: Sample[] = []
  const startedAt = performance.now()
  for (let minute = 1; minute <= minutes; minute += 1) {
    await pause(Math.max(0, startedAt + minute * MINUTE_MS - performance.now()))
    const resources = (await app.call('measure')) as Resources
    const sample = { minute, ...count, ...resources, files: await measureFiles(path), rows: countRows(path) }
    samples.push(sample)
    process.stdout.write(`${formatSample(sample)}\n`)
  }
  end.abort()
  await people
  for (const [message, times] of failures) process.stdout.write(`failed ${times} times: ${message}\n`)
  await app.call('stop')
  const findings = toFindings(samples)
  process.stdout.write(`\n${formatReport(findings)}\n\n${findings.grown.join('\n')}\n`)
  const machine = { cores: availableParallelism(), node: process.versions.node }
  // Leave out the row counts, because `grown` summarizes them.
  const savedSamples = samples.map(({ rows: _, ...sample }) => sample)
  const result = {
    machine,
    minutes,
    perSecond,
    seed,
    ...findings,
    failures: Object.fromEntries(failures),
    samples: savedSamples,
  }
  if (minutes > WARM_UP_MINUTES) await writeFile(RESULTS, `${JSON.stringify(result, undefined, 1)}\n`)
}

/** Creates people, checks, and a watch. */
async function populate(url: string, service: LoadWorld['service'], seed: number): Promise<LoadWorld> {
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
  // Grant the roles with commands, so that the audit log has entries for them.
  await admin.command('/hc', `grant <@${member.id}> operator 8h`)
  await admin.command('/hc', `grant <@${admin.id}> approver 8h`)
  await member.command('/hc', 'watch fleet-*', { channel: 'operations' })
  return { url, member, admin, readers, channelId, service, checks, threats, random: createRandom(seed) }
}

type RunAndCount = (name: string, work: () => Promise<unknown>) => Promise<void>

/** The readers take turns sending commands at the given rate, without waiting for earlier answers. */
async function sendCommands(
  world: LoadWorld,
  perSecond: number,
  endSignal: AbortSignal,
  runAndCount: RunAndCount,
): Promise<void> {
  const pending = new Set<Promise<void>>()
  const startedAt = performance.now()
  for (let turn = 0; !endSignal.aborted; turn += 1) {
    const waitMs = startedAt + (turn * 1000) / perSecond - performance.now()
    await pause(Math.max(0, waitMs), undefined, { signal: endSignal }).catch(() => undefined)
    const user = world.readers[turn % world.readers.length] ?? ''
    const command = runAndCount('read', () => typeAndRead(world, user, pickCommand(world)))
    pending.add(command)
    void command.then(() => pending.delete(command))
  }
  await Promise.all(pending)
}

async function makeChanges(
  world: LoadWorld,
  endSignal: AbortSignal,
  runAndCount: RunAndCount,
): Promise<void> {
  const actions = Object.entries(ACTIONS)
  for (let turn = 0; !endSignal.aborted; turn += 1) {
    const [name, act] = actions[turn % actions.length] ?? []
    if (name && act) await runAndCount(name, () => act(world, turn))
    await pause(CHANGE_INTERVAL_MS, undefined, { signal: endSignal }).catch(() => undefined)
  }
}

async function measureFiles(folder: string): Promise<Sample['files']> {
  const bytes = async (name: string): Promise<number> => {
    const found = await stat(join(folder, name)).catch(() => undefined)
    if (!found?.isDirectory()) return found?.size ?? 0
    const inside = await Promise.all(
      (await readdir(join(folder, name))).map((child) => bytes(join(name, child))),
    )
    return inside.reduce((sum, size) => sum + size, 0)
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

const toValues = (sample: Sample): number[] => [
  inMegabytes(sample.residentBytes),
  inMegabytes(sample.heapBytes),
  sample.handles,
  ...Object.values(sample.files).map(inMegabytes),
  sample.commands,
  sample.failed,
  sample.errors,
]

const COLUMNS = [
  'RSS MB',
  'heap MB',
  'handles',
  'database MB',
  'WAL MB',
  'journal MB',
  'log MB',
  'commands',
  'failed',
  'errors',
]

function formatSample(sample: Sample): string {
  const values = toValues(sample).map((value, index) => `${COLUMNS[index]} ${value}`)
  return `minute ${sample.minute}: ${values.join(', ')}`
}

/** The median, so that a single garbage collection makes no difference. */
const median = (samples: readonly Sample[], getValue: (sample: Sample) => number): number =>
  samples.map(getValue).toSorted((left, right) => left - right)[Math.floor(samples.length / 2)] ?? 0

function toFindings(samples: readonly Sample[]) {
  const warm = samples.slice(Math.min(WARM_UP_MINUTES, samples.length) - 1).slice(0, 5)
  const end = samples.slice(-5)
  const growth = (getValue: (sample: Sample) => number): number =>
    median(end, getValue) / Math.max(1, median(warm, getValue))
  const [first, last] = [warm[0], samples.at(-1)]
  const shownSamples = samples.filter(({ minute }) => minute % 5 === 0 || minute === samples.length)
  return {
    tables: [
      {
        title: 'Resources of the app',
        columns: COLUMNS,
        rows: shownSamples.map((sample) => [`minute ${sample.minute}`, ...toValues(sample)] as const),
      },
    ],
    goals: [
      ...(
        [
          ['Memory, end ÷ minute 10', (sample: Sample) => sample.residentBytes],
          ['Heap after a garbage collection, end ÷ minute 10', (sample: Sample) => sample.heapBytes],
          ['Open handles, end ÷ minute 10', (sample: Sample) => sample.handles],
          ['Write-ahead log, end ÷ minute 10', (sample: Sample) => sample.files['signalman.db-wal']],
          ['Journal, end ÷ minute 10', (sample: Sample) => sample.files.journal],
        ] as const
      ).map(([goal, getValue]) => ({ goal, bound: { atMost: MAX_GROWTH }, reached: growth(getValue) })),
      { goal: 'Commands that failed', bound: { atMost: 0 }, reached: last?.failed ?? 0 },
      { goal: 'Errors in the log', bound: { atMost: 0 }, reached: last?.errors ?? 0 },
    ],
    /** Which tables have grown, and what limits each of them according to the data model. */
    grown: MODEL.tables.flatMap(({ name, bound }) => {
      const [before = 0, after = 0] = [first?.rows[name], last?.rows[name]]
      return after > before ? [`${name}: ${before} → ${after} rows. Limit: ${bound}`] : []
    }),
  }
}
