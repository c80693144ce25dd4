import type { CheckLocks } from '@signalman/durable'
import { describe, expect, it } from 'vitest'
import { openStore } from '../../../../src/app/store.ts'
import type { JobRun } from '../../../../src/bot/routes/routes.ts'
import { changesJob } from '../../../../src/features/health-checks/many/job.ts'
import type { ChangesDetails } from '../../../../src/features/health-checks/rules/plan.ts'
import type { Row } from '../../../../src/features/health-checks/rules/row.ts'
import type { AlertBody } from '../../../../src/service/alerts.ts'
import { ApiError } from '../../../../src/service/errors.ts'
import type { HealthCheckBody } from '../../../../src/service/health-checks.ts'
import { SHARED_DATABASES } from '../../../databases/databases.ts'
import { eitherOf } from '../../../long.ts'

const WEB: HealthCheckBody = {
  name: 'web',
  protocol: 'TCP',
  target: 'www.example.com',
  port: 443,
  frequency: 60,
  customerId: 1,
}
const alert = (...recipients: string[]): AlertBody => ({ type: 'EMAIL', recipients })
const ANN = { id: '1', ...alert('ann') }

const seen = (name: string) => ({ settings: { ...WEB, name }, alerts: [ANN] })
const ROWS: readonly Row[] = [
  { do: 'create', line: 1, name: 'new', to: { ...WEB, name: 'new' }, alerts: [alert('ann'), alert('bob')] },
  { do: 'edit', line: 2, name: 'edited', uuid: 'edited', before: seen('edited'), set: { frequency: 30 } },
  {
    do: 'edit',
    line: 3,
    name: 'people',
    uuid: 'people',
    before: seen('people'),
    set: { port: 8443 },
    alerts: [alert('bob'), alert('cat')],
  },
  { do: 'delete', line: 4, name: 'deleted', uuid: 'deleted', before: seen('deleted') },
]

/** A service whose checks have their names as UUIDs. */
function createService() {
  const checks = new Map(
    ['edited', 'people', 'deleted'].map((name) => [
      name,
      {
        check: { uuid: name, ...WEB, name },
        alerts: [{ ...ANN }] as { id: string; type: string; recipients: string[] }[],
      },
    ]),
  )
  const posted: string[] = []
  let lastId = 1
  const find = (uuid: string) => {
    const found = checks.get(uuid)
    if (!found) throw new ApiError('not-found', 'There is no such check.', { status: 404 })
    return found
  }
  const api = {
    address: 'https://service',
    account: 'A',
    healthChecks: {
      get: async (uuid: string) => ({ ...find(uuid).check }),
      async *listAll() {
        yield { results: [...checks.values()].map(({ check }) => check), total: checks.size, unreadable: 0 }
      },
      async create(body: HealthCheckBody) {
        posted.push(body.name)
        const check = { uuid: body.name, ...body }
        checks.set(body.name, { check, alerts: [] })
        return check
      },
      async update(uuid: string, body: HealthCheckBody) {
        find(uuid).check = { uuid, ...body }
        return { uuid, ...body }
      },
      async delete(uuid: string) {
        find(uuid)
        checks.delete(uuid)
      },
    },
    alerts: {
      list: async (uuid: string) => structuredClone(find(uuid).alerts),
      async create(uuid: string, { type, recipients }: AlertBody) {
        lastId += 1
        find(uuid).alerts.push({ id: String(lastId), type, recipients: [...recipients] })
      },
      async update(uuid: string, id: string, { recipients }: AlertBody) {
        const found = find(uuid).alerts.find((each) => each.id === id)
        if (found) found.recipients = [...recipients]
      },
      async delete(uuid: string, id: string) {
        const { alerts } = find(uuid)
        alerts.splice(
          alerts.findIndex((each) => each.id === id),
          1,
        )
      },
    },
  }
  return { api, checks, posted }
}

const NEVER = new Promise<never>(() => undefined)

/** A process that dies at its nth call of anything outside: before the call has any effect, or before it returns. */
function createMortal(diesAt: number, when: 'before' | 'after') {
  let calls = 0
  let isDead = false
  const inFlight: Promise<unknown>[] = []
  const { promise: death, resolve: die } = Promise.withResolvers<'died'>()
  const wrapCall = <Args extends unknown[]>(call: (...args: Args) => unknown) =>
    async function mortalCall(...args: Args): Promise<unknown> {
      if (isDead) return NEVER
      calls += 1
      const isLast = calls === diesAt
      if (isLast && when === 'before') {
        isDead = true
        die('died')
        return NEVER
      }
      const running = Promise.resolve(call(...args))
      inFlight.push(running)
      const result = await running
      if (isLast) {
        isDead = true
        die('died')
      }
      return isDead ? NEVER : result
    }
  function wrap<T extends object>(target: T, names: readonly string[]): T {
    return new Proxy(target, {
      get(_, name) {
        // Cast: the proxied objects have only functions.
        const value = Reflect.get(target, name) as (...args: unknown[]) => unknown
        return names.includes(String(name)) ? wrapCall(value.bind(target)) : value
      },
    })
  }
  const step = wrapCall(async () => undefined)
  /** It may die while it waits for a lock, has it, or releases it. Nobody releases the lock of a dead process: it lapses. */
  const wrapLocks = (locks: CheckLocks): CheckLocks => ({
    async hold(key, options, work) {
      await step()
      return locks.hold(key, options, async (renew) => {
        await step()
        const result = await work(async () => {
          await step()
          await renew()
        })
        await step()
        return result
      })
    },
  })
  /** What was under way when it died may still take effect. */
  const waitForOthers = () => Promise.allSettled(inFlight)
  return { death, wrap, wrapLocks, waitForOthers }
}

const STEPS = ['list', 'begin', 'recordOutcome', 'countByState']
const CALLS = ['get', 'list', 'create', 'update', 'delete']

type Service = ReturnType<typeof createService>
/** What somebody else does in the service while no process runs. */
const OTHERS: Record<string, (service: Service) => void> = {
  'nobody changes anything': () => undefined,
  'somebody changes the same setting, another setting, and a recipient'({ checks }) {
    const edited = checks.get('edited')?.check
    if (edited) Object.assign(edited, { frequency: 15, port: 25 })
    checks.get('people')?.alerts.push({ id: '99', ...alert('eve'), recipients: ['eve'] })
  },
  'somebody renames the checks'({ checks }) {
    for (const { check } of checks.values()) check.name = `${check.name}-2`
  },
}

/** What isn't as it has to be. */
function findFaults(
  { service: { checks, posted }, states }: { service: Service; states: readonly string[] },
  { other, isStopped }: { other: string; isStopped: boolean },
): string[] {
  const [created, edited, people, deleted] = states
  const [isForeign, isRenamed] = [other.includes('same setting'), other.includes('renames')]
  const made = checks.get('new')
  const mailed = (name: string) =>
    checks
      .get(name)
      ?.alerts.map(({ recipients }) => recipients.join('+'))
      .toSorted()
      .join()
  const { frequency, port } = checks.get('edited')?.check ?? {}
  const peopleNow = `${checks.get('people')?.check.port} ${mailed('people')}`
  const rules: Record<string, boolean> = {
    'no row is left open': !states.includes('begun'),
    'a check is created once': posted.length <= 1,
    'a creation that is done has its alerts': created !== 'done' || mailed('new') === 'ann,bob',
    'a creation that wasn’t started didn’t arrive': created !== 'ready' || posted.length === 0,
    'a creation that is unclear isn’t there': created !== 'unclear' || made === undefined || isRenamed,
    'an edit that is done is there': edited !== 'done' || isForeign || frequency === 30,
    'an edit that wasn’t started isn’t there': edited !== 'ready' || frequency !== 30,
    'recipients that are done are there': people !== 'done' || isForeign || peopleNow === '8443 bob,cat',
    'recipients that weren’t started aren’t there':
      people !== 'ready' || isForeign || peopleNow === '443 ann',
    'a deletion that is done is gone': (deleted === 'done') === !checks.has('deleted'),
    'what others set stays':
      !isForeign || (port === 25 && frequency === 15 && mailed('people')?.includes('eve') === true),
    'everything is done that nobody else touched':
      isStopped ||
      isForeign ||
      isRenamed ||
      (states.slice(1).every((state) => state === 'done') && created !== 'ready' && created !== 'skipped'),
  }
  return Object.keys(rules).filter((rule) => !rules[rule])
}

describe.each(eitherOf(SHARED_DATABASES))(
  'a change whose process dies at any step, on $name',
  ({ start }) => {
    /** Runs the change, lets its process die at a call, and lets another one go on. Undefined if the first one didn't die. */
    async function runTwice(
      store: Awaited<ReturnType<typeof openStore>>,
      {
        diesAt,
        when,
        isStopped,
        other,
      }: { diesAt: number; when: 'before' | 'after'; isStopped: boolean; other: (service: Service) => void },
    ) {
      const { work, steps, checkLocks: locks } = store
      const service = createService()
      const id = await work.add({ workspaceId: 'T1', kind: 'k', body: {} }, 'waiting')
      await steps.add(
        id,
        ROWS.map((row) => ({ line: row.line, body: { row } })),
      )
      await work.claimDue('one', ['k'], 1)
      const audited: string[] = []
      const createRun = (api: Service['api'], stops: boolean) =>
        ({
          id,
          leaseOwner: 'one',
          details: { verb: '/hc import', title: 'checks.csv', account: 'A' } satisfies ChangesDetails,
          context: { api: async () => api, environment: 'production' },
          signal: new AbortController().signal,
          maxInFlightMs: 40,
          isStopped: () => stops,
          recheckAccess: async () => undefined,
          showProgress: async () => undefined,
          upload: async () => undefined,
          auditEvent: ({ object }: { object: string }, outcome: string) => {
            audited.push(`${object} ${outcome}`)
            return {
              workspaceId: 'T1',
              at: new Date(),
              actor: { userId: 'U1' },
              verb: 'v',
              object,
              outcome,
              reference: 'R',
            }
          },
        }) as unknown as JobRun<ChangesDetails>
      const mortal = createMortal(diesAt, when)
      const api = {
        ...service.api,
        // Both the service and the database belong to the outside.
        healthChecks: mortal.wrap(service.api.healthChecks, CALLS),
        alerts: mortal.wrap(service.api.alerts, CALLS),
      }
      const first = changesJob({ steps: mortal.wrap(steps, STEPS), locks: mortal.wrapLocks(locks) }).run(
        createRun(api, false),
      )
      const end = await Promise.race([first.then(() => 'ended'), mortal.death])
      if (end === 'ended') return undefined
      await mortal.waitForOthers()
      other(service)
      await changesJob({ steps, locks }).run(createRun(service.api, isStopped))
      return { service, states: await readStates(store, id) }
    }

    async function readStates({ steps }: Awaited<ReturnType<typeof openStore>>, id: string) {
      const states: string[] = []
      for (const state of ['ready', 'begun', 'done', 'skipped', 'unclear'] as const)
        for (const { line } of await steps.list(id, { state, limit: 9 })) states[line - 1] = state
      return states
    }

    it.each(
      Object.keys(OTHERS).flatMap((other) => [
        { other, isStopped: false },
        { other, isStopped: true },
      ]),
    )(
      'does each row once or says that it isn’t done, if $other (stopped: $isStopped)',
      { timeout: 240_000 },
      async ({ other, isStopped }) => {
        await using database = await start()
        await using store = await openStore(database)
        let deaths = 0
        for (const when of ['before', 'after'] as const)
          for (let diesAt = 1; ; diesAt += 1) {
            const result = await runTwice(store, {
              diesAt,
              when,
              isStopped,
              other: OTHERS[other] ?? (() => undefined),
            })
            if (!result) break
            deaths += 1
            expect(findFaults(result, { other, isStopped }), `${when} call ${diesAt}`).toEqual([])
          }
        process.stdout.write(`${deaths} deaths: ${other}, stopped: ${isStopped}\n`)
        expect(deaths).toBeGreaterThan(40)
      },
    )
  },
)
