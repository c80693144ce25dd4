import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { AuditEvent } from '../../../../packages/durable/src/audit/row.ts'
import type { Database } from '../../../../packages/durable/src/database/database.ts'
import { openStore, type Store } from '../../../../src/app/store.ts'
import type { JobRun } from '../../../../src/bot/routes/routes.ts'
import { createAccountProof } from '../../../../src/bot/workspaces/account-proof.ts'
import { CHANGES_KIND, changesJob } from '../../../../src/features/health-checks/jobs/changes-job.ts'
import { readStepsInState } from '../../../../src/features/health-checks/jobs/job-result.ts'
import { countPlanned, toJobSteps } from '../../../../src/features/health-checks/jobs/start-job.ts'
import { createKnownAddresses } from '../../../../src/features/health-checks/rows/known-addresses.ts'
import {
  type Edit,
  STEP_STATES,
  type StepRecord,
  type StepState,
} from '../../../../src/features/health-checks/rules/change.ts'
import type { ChangesDetails } from '../../../../src/features/health-checks/rules/job.ts'
import type { AlertBody } from '../../../../src/service/alerts.ts'
import { ApiError } from '../../../../src/service/errors.ts'
import type { HealthCheck, HealthCheckBody } from '../../../../src/service/health-checks.ts'
import type { Api } from '../../../../src/service/service.ts'
import { SHARED_DATABASES } from '../../../databases/databases.ts'
import { openDatabase } from '../../../databases/open.ts'
import { eitherOf, quickOrLong } from '../../../long.ts'
import { createRandom, type Random, readSeed } from '../../../random.ts'
import { simulateProcess } from '../../../simulated-process.ts'

// Many writers of each kind change the same checks at the same time, from two workspaces, in processes that die or are suspended. The
// fake service logs each write with its writer, so a write that undoes another one shows.

const RUNS = quickOrLong('WRITER_RUNS', { quick: 2, long: 1000 })
const SEED = readSeed()
/**
 * Longer than any call to the service, also on a busy machine. If it were shorter, writers would take over each other's holds all the
 * time, and none would ever write.
 */
const SETTLE_MS = 200
const MAX_CALL_MS = 8
/**
 * A client gives up a request long before it counts as over, and the service doesn't carry it out after that. Otherwise, a busy machine
 * would make requests arrive that nobody expects anymore.
 */
const MAX_ARRIVAL_MS = SETTLE_MS / 2
const ACCOUNT = 'A'
/** Runs wait most of the time, so several run at once on one SQLite file. They share no checks. */
const RUNS_AT_ONCE = 4

/** What becomes of a request that writes. */
const FATES = [
  ...Array.from({ length: 56 }, () => 'is answered' as const),
  'its answer is lost',
  'its answer is lost',
  'never arrives',
  'arrives late',
] as const

interface StoredCheck {
  /** Changes with each update, but not with the alerts. */
  readonly version: number
  readonly body: HealthCheckBody
  readonly alerts: readonly { readonly id: string; readonly recipients: readonly string[] }[]
}
interface Write {
  readonly by: string
  readonly uuid: string
  readonly before: StoredCheck
  readonly after: StoredCheck
}

/**
 * A service in memory. Requests take a random time, arrive even if their sender dies or gives up meanwhile, and some answers are lost.
 */
function createService(random: Random) {
  const checks = new Map<string, StoredCheck>()
  const writes: Write[] = []
  let ids = 0
  const delay = () => sleep(random.below(MAX_CALL_MS))

  const toCheck = (uuid: string, { body, version }: StoredCheck): HealthCheck => ({
    ...body,
    uuid,
    modifiedAt: new Date(version),
    status: 'HEALTHY',
  })
  function find(uuid: string): StoredCheck {
    const check = checks.get(uuid)
    if (!check) throw new ApiError('not-found', 'Not found.', { status: 404 })
    return check
  }
  async function read<T>(get: () => T): Promise<T> {
    await delay()
    const result = get()
    await delay()
    return result
  }
  async function write(by: string, uuid: string, change: (check: StoredCheck) => StoredCheck): Promise<void> {
    const fate = random.oneOf(FATES)
    const sentAt = performance.now()
    const lost = new ApiError('timeout', 'Lost.', { mayHaveHappened: true })
    const apply = (): void => {
      if (performance.now() - sentAt > MAX_ARRIVAL_MS) throw lost
      const before = find(uuid)
      const after = change(before)
      checks.set(uuid, after)
      writes.push({ by, uuid, before, after })
    }
    if (fate === 'arrives late') {
      setTimeout(() => void Promise.try(apply).catch(() => undefined), random.below(MAX_ARRIVAL_MS))
      throw lost
    }
    await delay()
    if (fate === 'never arrives') throw lost
    apply()
    await delay()
    if (fate === 'its answer is lost') throw lost
  }

  function createApi(by: string): Api {
    return {
      environment: 'production',
      address: 'https://api.example',
      account: ACCOUNT,
      healthChecks: {
        get: (uuid: string) => read(() => toCheck(uuid, find(uuid))),
        async update(uuid: string, body: HealthCheckBody) {
          let version = 0
          await write(by, uuid, (check) => {
            version = check.version + 1
            return { ...check, body, version }
          })
          return toCheck(uuid, { body, alerts: [], version })
        },
      },
      alerts: {
        list: (uuid: string) => read(() => find(uuid).alerts.map((alert) => ({ ...alert, type: 'EMAIL' }))),
        async create(uuid: string, { recipients }: AlertBody) {
          ids += 1
          const alert = { id: String(ids), recipients }
          await write(by, uuid, (check) => ({ ...check, alerts: [...check.alerts, alert] }))
          return { ...alert, type: 'EMAIL' }
        },
        async update(uuid: string, id: string, { recipients }: AlertBody) {
          await write(by, uuid, (check) => ({
            ...check,
            alerts: check.alerts.map((alert) => (alert.id === id ? { id, recipients } : alert)),
          }))
          return { id, recipients, type: 'EMAIL' }
        },
        delete: (uuid: string, id: string) =>
          write(by, uuid, (check) => ({ ...check, alerts: check.alerts.filter((alert) => alert.id !== id) })),
      },
      // The jobs of this test use only these functions.
    } as unknown as Api
  }

  return {
    checks,
    writes,
    createApi,
    add(name: string, recipients: readonly string[][]): string {
      const uuid = `uuid-${name}`
      const body = { name, protocol: 'TCP', target: 'mx.example', port: 25, frequency: 60, customerId: 1 }
      const alerts = recipients.map((each) => {
        ids += 1
        return { id: String(ids), recipients: each }
      })
      checks.set(uuid, { body, alerts, version: 1 })
      return uuid
    },
  }
}

type Service = ReturnType<typeof createService>
type Plan = (uuid: string, line: number, check: StoredCheck) => Edit

const toEdit = (
  uuid: string,
  line: number,
  { body: { name } }: StoredCheck,
  rest: Pick<Edit, 'set'> & Partial<Edit>,
): Edit => ({
  do: 'edit',
  line,
  name,
  uuid,
  expects: {},
  seen: { modifiedAt: undefined, address: { is: 'none' } },
  ...rest,
})

/** What each kind of writer does. Jobs change every check, windows only one. */
const KINDS: Readonly<Record<string, { isWindow: boolean; plan: (index: number, random: Random) => Plan }>> =
  {
    'bulk edit': {
      isWindow: false,
      plan: (index) => (uuid, line, check) =>
        toEdit(uuid, line, check, { set: { frequency: 30 + 30 * index } }),
    },
    import: {
      isWindow: false,
      plan: (index) => (uuid, line, check) =>
        toEdit(uuid, line, check, {
          set: { port: 1000 + index },
          ...(line % 2 === 0 && { alerts: { add: [`import${index}@example.com`], remove: [] } }),
        }),
    },
    recipients: {
      isWindow: false,
      plan: (index) => (uuid, line, check) =>
        toEdit(uuid, line, check, {
          set: {},
          alerts: { add: [`job${index}@example.com`], remove: [`job${index - 1}@example.com`] },
        }),
    },
    'edit window': {
      isWindow: true,
      plan: (index, random) => (uuid, line, check) =>
        toEdit(uuid, line, check, {
          set: random.oneOf<Edit['set']>([{ port: 2000 + index }, { target: `t${index}.example` }]),
          ...(random.below(3) === 0 && { expects: { port: check.body.port } }),
        }),
    },
    'alert window': {
      isWindow: true,
      plan: (index, random) => (uuid, line, check) => {
        const [from] = check.alerts.map(({ recipients }) => ({ type: 'EMAIL', recipients }))
        const added = { type: 'EMAIL', recipients: [`window${index}@example.com`] }
        const changed = from && { ...from, recipients: [...from.recipients, `more${index}@example.com`] }
        const alert = random.oneOf([{ to: added }, { from, to: changed }, { from }])
        return toEdit(uuid, line, check, { set: {}, alerts: { alert } })
      },
    },
  }

interface Writer {
  readonly name: string
  readonly workspaceId: string
  readonly jobId: string
  readonly edits: readonly Edit[]
  readonly details: ChangesDetails
}

async function addWriters(
  store: Store,
  service: Service,
  random: Random,
  writersPerKind: number,
): Promise<Writer[]> {
  const writers: Writer[] = []
  for (const [kind, { isWindow, plan }] of Object.entries(KINDS))
    for (let index = 0; index < writersPerKind; index += 1) {
      const workspaceId = `T${1 + (index % 2)}`
      const toStep = plan(index, random)
      const all = [...service.checks].map(([uuid, check], position) => toStep(uuid, position + 1, check))
      const edits = isWindow ? [random.oneOf(all)] : all
      const details: ChangesDetails = {
        verb: `/hc ${kind}`,
        title: kind,
        planned: countPlanned(edits),
        account: ACCOUNT,
        startedBy: 'U1',
        inWindow: isWindow,
      }
      const jobId = await store.work.add({ workspaceId, kind: CHANGES_KIND, body: { details } }, 'prepared')
      await store.workSteps.add(jobId, toJobSteps(edits))
      writers.push({ name: `${kind} ${index}`, workspaceId, jobId, edits, details })
    }
  return writers
}

/** Makes this process the owner of the job, as a take-over does. */
const takeOver = (database: Database, jobId: string, owner: string) =>
  database.rows.updateTable('work').set({ owner, state: 'running' }).where('id', '=', jobId).execute()

/** Runs the writer's job in one process after another. Some processes die, others are suspended until their job is someone else's. */
async function runWriter(
  {
    store,
    database,
    service,
    random,
    signal,
  }: { store: Store; database: Database; service: Service; random: Random; signal: AbortSignal },
  writer: Writer,
): Promise<void> {
  const { workspaceId, details, jobId } = writer
  const zombies: Promise<unknown>[] = []
  for (let life = 1; ; life += 1) {
    const owner = `${writer.name} ${life}`
    await takeOver(database, jobId, owner)
    const ending = life > 3 ? 'lives' : random.oneOf(['lives', 'lives', 'dies', 'is suspended'])
    const lastCall = random.below(30)
    const process = simulateProcess(
      () => undefined,
      ending === 'dies' ? { afterCalls: lastCall, isBefore: random.below(2) === 0 } : undefined,
    )
    const suspended = Promise.withResolvers<void>()
    const stopping = new AbortController()
    let calls = 0
    const suspendOnce = <T extends object>(part: T): T =>
      new Proxy(part, {
        get: (target, name) => {
          const value: unknown = Reflect.get(target, name)
          if (typeof value !== 'function') return value
          return async (...args: unknown[]) => {
            calls += 1
            if (ending === 'is suspended' && calls === lastCall) {
              suspended.resolve()
              await sleep(2 * SETTLE_MS)
              // It finds out soon that its job is someone else's.
              setTimeout(() => stopping.abort(), SETTLE_MS / 4)
            }
            return await Reflect.apply(value, target, args)
          }
        },
      })
    const api = service.createApi(writer.name)
    const mortal = {
      ...api,
      healthChecks: process.wrapCalls(api.healthChecks),
      alerts: process.wrapCalls(api.alerts),
    }
    const kind = changesJob({
      steps: suspendOnce(process.wrapCalls(store.workSteps)),
      ephemeralState: process.wrapCalls(store.ephemeralState),
      moveToReplacements: async () => ({ watches: 0, silences: 0 }),
      knownAddresses: createKnownAddresses(process.wrapCalls(store.ephemeralState), {
        production: 'all',
        ote: 'all',
      }),
      accountProof: createAccountProof(process.wrapCalls(store.ephemeralState)),
    })
    const run = {
      id: jobId,
      leaseOwner: owner,
      details,
      context: {
        workspaceId,
        userId: 'U1',
        environment: 'production',
        now: new Date(),
        api: async () => mortal,
      },
      signal: AbortSignal.any([stopping.signal, signal]),
      auditEvent: (target: { verb: string; object: string }, outcome: AuditEvent['outcome']) => ({
        ...target,
        workspaceId,
        at: new Date(),
        actor: { userId: 'U1' },
        outcome,
        reference: `R ${writer.name}`,
      }),
      recheckAccess: async () => undefined,
      isStopped: () => false,
      settleMs: SETTLE_MS,
      now: () => new Date(),
      showProgress: async () => undefined,
      upload: async () => undefined,
      // The job uses only these properties.
    } as unknown as JobRun<ChangesDetails>
    const running = kind.run(run).then(() => 'ended' as const)
    const end = await Promise.race([
      running,
      process.died.then(() => 'died' as const),
      suspended.promise.then(() => 'suspended' as const),
    ])
    if (end === 'ended') break
    if (end === 'suspended') zombies.push(running.catch(() => undefined))
    // Nobody takes over the jobs of some dead processes, so that their holds are abandoned.
    if (end === 'died' && random.below(4) === 0) break
  }
  await Promise.all(zombies)
}

interface Told {
  readonly state: StepState
  readonly record: StepRecord | undefined
}

async function readTold({ workSteps }: Store, { jobId }: Writer): Promise<Map<number, Told>> {
  const told = new Map<number, Told>()
  for (const state of STEP_STATES)
    for await (const { line, record } of readStepsInState(workSteps, jobId, state))
      told.set(line, { state, record })
  return told
}

/** The parts of a check that a write may change without undoing someone else's. */
const omitEdited = ({ body, alerts }: StoredCheck, { set, alerts: change }: Edit) => ({
  body: Object.fromEntries(Object.entries(body).filter(([field]) => !(field in set))),
  // The requests of one step are for one alert each. The others must stay.
  alertCount: change ? undefined : alerts.length,
  recipients: change ? undefined : alerts.map(({ recipients }) => recipients),
})

function findViolations(service: Service, writer: Writer, told: ReadonlyMap<number, Told>): string[] {
  return writer.edits.flatMap((edit) => {
    const own = service.writes.filter(({ by, uuid }) => by === writer.name && uuid === edit.uuid)
    const { state = 'lost', record } = told.get(edit.line) ?? {}
    const where = `${writer.name}, line ${edit.line} (${state}, ${record?.reason ?? ''})`
    const updates = own.filter(({ before, after }) => before.body !== after.body)
    return [
      ...own.flatMap(({ before, after }) =>
        JSON.stringify(omitEdited(before, edit)) === JSON.stringify(omitEdited(after, edit))
          ? []
          : [`${where}: undid ${JSON.stringify({ before, after })}`],
      ),
      ...(updates.length > 1 ? [`${where}: written ${updates.length} times`] : []),
      ...(state === 'skipped' || state === 'refused'
        ? own.map(() => `${where}: told that nothing was saved, but it was`)
        : []),
      ...(state === 'done' && own.length === 0 ? [`${where}: told that it was saved, but nothing was`] : []),
    ]
  })
}

/** Who each check mails, and who it must mail by what people were told. */
function findLostRecipients(
  service: Service,
  all: readonly (readonly [Writer, ReadonlyMap<number, Told>])[],
): string[] {
  return [...service.checks].flatMap(([uuid, check]) => {
    const mailed = new Set(check.alerts.flatMap(({ recipients }) => recipients))
    return all.flatMap(([writer, told]) => {
      const edit = writer.edits.find((each) => each.uuid === uuid)
      const change = edit?.alerts
      if (!edit || !change || told.get(edit.line)?.state !== 'done') return []
      const added = 'alert' in change && !change.alert.from ? (change.alert.to?.recipients ?? []) : []
      const imported = 'add' in change && writer.name.startsWith('import') ? change.add : []
      return [...added, ...imported].flatMap((address) => {
        const alertWithIt = service.writes.some(
          ({ by, uuid: written, before, after }) =>
            written === uuid &&
            by !== writer.name &&
            JSON.stringify(before.alerts).includes(address) &&
            !JSON.stringify(after.alerts).includes(address),
        )
        // Someone may remove an alert that they saw. Then they named it.
        return mailed.has(address) || alertWithIt
          ? []
          : [`${writer.name}: ${address} isn’t mailed by ${uuid}`]
      })
    })
  })
}

/** Runs all writers at once, until `signal` aborts. Returns what they were told, and every violation. */
async function runOnce(
  store: Store,
  database: Database,
  seed: number,
  size: { checks: number; writersPerKind: number },
  signal: AbortSignal,
): Promise<{ states: StepState[]; violations: string[] }> {
  const random = createRandom(seed)
  const service = createService(random)
  for (let index = 0; index < size.checks; index += 1)
    service.add(`web-${seed}-${index}`, [['ann@example.com'], ['job-1@example.com']])
  const writers = await addWriters(store, service, random, size.writersPerKind)
  await Promise.all(writers.map((writer) => runWriter({ store, database, service, random, signal }, writer)))
  await sleep(MAX_ARRIVAL_MS)
  const all = await Promise.all(
    writers.map(async (writer) => [writer, await readTold(store, writer)] as const),
  )
  return {
    states: all.flatMap(([, told]) => [...told.values()].map(({ state }) => state)),
    violations: [
      ...all.flatMap(([writer, told]) => findViolations(service, writer, told)),
      ...findLostRecipients(service, all),
    ],
  }
}

describe.each(eitherOf(SHARED_DATABASES))('writers of the same checks, on $name', ({ name, start }) => {
  it(`never undo each other, and nobody is told “saved” of what wasn’t (SEED=${SEED})`, async ({
    signal,
  }) => {
    await using address = await start()
    await using store = await openStore(address)
    await using database = await openDatabase(address.url)
    // Transactions on PostgreSQL take longer.
    const isPostgres = name === 'PostgreSQL'
    const size = isPostgres ? { checks: 4, writersPerKind: 2 } : { checks: 10, writersPerKind: 5 }
    const counts: Partial<Record<StepState, number>> = {}
    const runs = isPostgres ? Math.ceil(RUNS / 4) : RUNS
    // More would need more connections than the pool of one process has.
    const atOnce = isPostgres ? 1 : RUNS_AT_ONCE
    for (let first = 0; first < runs; first += atOnce) {
      const seeds = Array.from({ length: Math.min(atOnce, runs - first) }, (_, index) => SEED + first + index)
      const results = await Promise.all(seeds.map((seed) => runOnce(store, database, seed, size, signal)))
      results.forEach(({ states, violations }, index) => {
        expect(violations, `SEED=${seeds[index]} WRITER_RUNS=1`).toEqual([])
        for (const state of states) counts[state] = (counts[state] ?? 0) + 1
      })
    }
    expect(counts.done).toBeGreaterThan(0)
  })
})
