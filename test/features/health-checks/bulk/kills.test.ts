import type { CheckLocks } from '@signalman/durable'
import { describe, expect, it } from 'vitest'
import { openStore, type Store } from '../../../../src/app/store.ts'
import type { Row } from '../../../../src/features/health-checks/rules/row.ts'
import type { AlertBody } from '../../../../src/service/alerts.ts'
import { simulateProcess } from '../../../simulated-process.ts'
import {
  addJob,
  createJobKind,
  createService,
  createSettings,
  type FakeService,
  listEnds,
} from './changes-run.ts'

const alert = (...recipients: string[]): AlertBody => ({ type: 'EMAIL', recipients })
const ANN = { id: '1', ...alert('ann') }

const seen = (name: string) => ({ settings: createSettings(name), alerts: [ANN] })
const ROWS: readonly Row[] = [
  { do: 'create', line: 1, name: 'new', to: createSettings('new'), alerts: [alert('ann'), alert('bob')] },
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

/**
 * A process that dies at its nth call of anything outside, before the call has any effect. What it has called before may still take effect,
 * so a process that dies after a call leaves the same as one that dies before its next call.
 */
function createMortal(diesAt: number) {
  const pending = { calls: 0 }
  const death = { afterCalls: diesAt - 1, isBefore: true }
  const { died, call, wrapCalls } = simulateProcess(() => undefined, death, pending)
  const step = () => call(async () => undefined)
  /** It may die while it waits for a lock, has it, or releases it. Nobody releases the lock of a dead process: it lapses. */
  const wrapLocks = (locks: CheckLocks): CheckLocks => ({
    async hold(key, options, work) {
      await step()
      return locks.hold(key, options, async (held) => {
        await step()
        const result = await work({
          async send(request) {
            await step()
            return held.send(request)
          },
        })
        await step()
        return result
      })
    },
  })
  const waitForOthers = () => expect.poll(() => pending.calls, { interval: 1 }).toBe(0)
  return { died, wrapCalls, wrapLocks, waitForOthers }
}

/** What somebody else does in the service while no process runs. */
const OTHERS: Record<string, (service: FakeService) => void> = {
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
  { service: { checks, posted }, states }: { service: FakeService; states: readonly string[] },
  { other, isStopped }: Situation,
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
      (states.slice(1).every((state) => state === 'done') && ['done', 'unclear'].includes(String(created))),
  }
  return Object.keys(rules).filter((rule) => !rules[rule])
}

interface Situation {
  other: string
  isStopped: boolean
}

/** Runs the change, lets its process die at a call, and lets another one go on. Undefined if the first one didn't die. */
async function runTwice(store: Store, diesAt: number, { other, isStopped }: Situation) {
  const { steps, checkLocks: locks } = store
  const service = createService(['edited', 'people', 'deleted'], { alerts: [alert('ann')] })
  const mortal = createMortal(diesAt)
  const api = {
    ...service.api,
    // Both the service and the database belong to the outside.
    healthChecks: {
      ...mortal.wrapCalls(service.api.healthChecks),
      listAll: service.api.healthChecks.listAll,
    },
    alerts: mortal.wrapCalls(service.api.alerts),
  }
  const { run } = await addJob(store, ROWS, api)
  const first = createJobKind({ steps: mortal.wrapCalls(steps), checkLocks: mortal.wrapLocks(locks) }).run(
    run,
  )
  const ending = await Promise.race([first.then(() => 'ended'), mortal.died.then(() => 'died')])
  if (ending === 'ended') return undefined
  await mortal.waitForOthers()
  OTHERS[other]?.(service)
  const context = { ...run.context, api: async () => service.api } as unknown as typeof run.context
  await createJobKind(store).run({ ...run, context, isStopped: () => isStopped })
  return { service, states: await listEnds(store, run.id) }
}

/** More calls than a change makes. All deaths are tried at once, because the locks of dead processes have to lapse. */
const MAX_CALLS = 60

describe('a change whose process dies at any step', () => {
  it.each(
    Object.keys(OTHERS).flatMap((other) => [
      { other, isStopped: false },
      { other, isStopped: true },
    ]),
  )('does each row once or says that it isn’t done, if $other (stopped: $isStopped)', async (situation) => {
    await using store = await openStore({ url: 'sqlite::memory:' })
    const calls = Array.from({ length: MAX_CALLS }, (_, index) => index + 1)
    const results = await Promise.all(calls.map((diesAt) => runTwice(store, diesAt, situation)))
    for (const [index, result] of results.entries())
      if (result) expect(findFaults(result, situation), `before call ${index + 1}`).toEqual([])
    const deaths = results.filter(Boolean).length
    expect(deaths).toBeGreaterThan(40)
    expect(deaths).toBeLessThan(MAX_CALLS)
  })
})
