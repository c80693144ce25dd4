import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'vitest'
import type { AuditEntry } from '../../src/store/store.ts'
import type { Fault } from '../sandbox-control.ts'
import type { ActKind, Prepared } from './kinds.ts'
import type { Random } from './random.ts'
import { newIn, pageOf, type Verdict, verdictsIn } from './reading.ts'
import { type Stage, WORKSPACE } from './stage.ts'

/** How one act went: what was wrong with it, and what it was. */
export interface Went {
  faults: string[]
  /** For the figures of a run. */
  outcome: string
  acknowledgedMs: number
  tookMs: number
}

/** How long a kind takes when nobody is killed. */
export type Usual = Pick<Went, 'acknowledgedMs' | 'tookMs'>

export interface Trouble {
  since: 'sent' | 'acknowledged' | 'at the service'
  afterMs: number
  what: string
  /** What it leaves to be waited for, when the act is over. */
  make(stage: Stage): Promise<{ left?: Promise<void> }>
}

interface Plan {
  /** What happens to it meanwhile; undefined: nothing. */
  trouble?: Trouble
  fault?: Omit<Fault, 'method' | 'path'> | undefined
  /** The process that had the service's answer lives. */
  isNeverUnknown?: boolean
}

/** What the service does wrong: it takes its time before, is not heard, or cuts the connection before it does anything. */
const FAULTS: readonly Pick<Plan, 'fault'>[] = [
  {},
  {},
  { fault: { kind: 'delay', ms: 120 } },
  { fault: { kind: 'drop-reply' } },
  { fault: { kind: 'reset', ms: 20 } },
]

/** Any moment from the submission to the end; most of them after Slack has its answer, where most can go wrong. */
export function momentOf(
  random: Random,
  { acknowledgedMs, tookMs }: Usual,
  slowMs = 0,
): Pick<Trouble, 'since' | 'afterMs'> {
  const stage = random.below(6)
  if (stage === 0) return { since: 'sent', afterMs: random.below(acknowledgedMs) }
  if (stage < 3) return { since: 'at the service', afterMs: random.below(slowMs || 20) }
  // A process that has done nothing yet is slower than one that has.
  return { since: 'acknowledged', afterMs: random.below(1.5 * (tookMs - acknowledgedMs) + slowMs) }
}

export function killOf(random: Random, usual: Usual): Plan {
  const { fault } = random.oneOf(FAULTS)
  const which = random.below(4) === 0 ? 'all' : 'first'
  async function make(stage: Stage) {
    await stage.kill(which)
    const starting = stage.start()
    if (which === 'all') await starting
    stage.point()
    return { left: starting }
  }
  return { trouble: { ...momentOf(random, usual, fault?.ms), what: `SIGKILL to ${which}`, make }, fault }
}

/** Sends the act in, lets it be killed as planned, waits until it is over, and looks at everything that must then hold. */
export async function actOnce(stage: Stage, kind: ActKind, name: string, plan: Plan = {}): Promise<Went> {
  const { slack, service, store, rows } = stage
  const act = await kind.prepare(stage, name)
  const { trouble, fault } = plan
  await service.forgetRequests()
  await service.faults(...(fault && act.writes ? [{ ...act.writes, ...fault, times: 1 }] : []))
  const [page, acts, audited] = [await pageOf(slack), await rows.acts(), await lastOf(stage)]

  const started = performance.now()
  let acknowledgedMs = 0
  let left: Promise<void> | undefined
  const sent = act.send().finally(() => {
    acknowledgedMs = performance.now() - started
  })
  if (trouble) {
    if (trouble.since !== 'sent') await sent
    if (trouble.since === 'at the service') await reached(stage, act)
    await pause(trouble.afterMs)
    left = (await trouble.make(stage)).left
  }
  const { outcome } = await sent
  await stage.settled()
  const tookMs = performance.now() - started
  await service.faults()

  const now = await rows.acts()
  const taken = now.all - acts.all
  const isResumed = now.attempts - acts.attempts > taken
  const who = act.isByAdmin ? 'admin' : 'member'
  const read = newIn(page, await pageOf(slack), who)
  const effect = await act.effect(read)
  const verdicts = verdictsIn(read, act.says)
  const log = (await store.audit.search({ workspaceId: WORKSPACE, withIntents: true, limit: 1000 })).filter(
    ({ sequence }) => sequence > audited,
  )
  const faults = [
    ...(taken > 1 ? [`${taken} acts were written down`] : []),
    ...(taken > 0 || outcome.ok ? faultsOfTelling(act, effect, verdicts) : []),
    ...(plan.isNeverUnknown && verdicts.includes('unknown') ? ['a known answer was lost'] : []),
    ...(taken > 0 ? [] : faultsOfNothing(effect, log, act)),
    ...(await faultsAtService(stage, act)),
    ...faultsOfLog(log),
    ...(taken > 0 ? faultsOfOutcome(log, act, effect) : []),
    ...((await rows.openSteps()) > 0 ? ['a step was left without an outcome'] : []),
  ]
  await left
  for (const person of [slack.member, slack.admin])
    if ((await person.views()).length > 0) await person.close({ all: true })
  const about = `${kind.name} ${JSON.stringify(plan)} acknowledged: ${outcome.ok}, effect: ${effect}, read: ${read.replaceAll('\n', ' ').slice(0, 400)}`
  return {
    faults: faults.map(
      (words) =>
        `${words} · ${about} · log: ${log
          .map((row) => `${row.verb} ${row.object} ${row.outcome}`)
          .reverse()
          .join('; ')}`,
    ),
    outcome:
      taken === 0
        ? `not taken, read: ${verdicts.join(' and ') || 'nothing'}`
        : `${isResumed ? 'taken over: ' : ''}${effect}, read: ${verdicts.join(' and ') || 'nothing'}`,
    acknowledgedMs,
    tookMs,
  }
}

/** Until the service has the act's request; not for what asks it nothing, or is over. */
async function reached({ service, rows }: Stage, { writes }: Prepared): Promise<void> {
  for (let isOpen = writes !== undefined; isOpen; isOpen = (await rows.acts()).open > 0)
    if ((await service.requests(writes?.method)).length > 0) return
}

async function lastOf({ store }: Stage): Promise<number> {
  const [last] = await store.audit.search({ workspaceId: WORKSPACE, withIntents: true, limit: 1 })
  return last?.sequence ?? 0
}

/** What an effect lets a person read. */
const FITS: Readonly<Record<string, readonly Verdict[]>> = {
  done: ['done', 'unknown', 'lost'],
  absent: ['not done', 'unknown'],
  partly: ['unknown', 'lost'],
}

function faultsOfTelling(act: Prepared, effect: string, verdicts: readonly Verdict[]): string[] {
  const fitting = FITS[effect]
  if (!fitting) return [`the service has it ${effect}`]
  if (verdicts.length === 0) return ['its person has read no outcome']
  const wrong = verdicts.filter((verdict) => !fitting.includes(verdict))
  const vague =
    !act.isBlind && effect !== 'partly' && !verdicts.some((one) => one === 'done' || one === 'not done')
  return [
    ...wrong.map((verdict) => `its person has read that it was ${verdict}, and it is ${effect}`),
    ...(vague ? ['a look could have told, and its person has read that nobody can'] : []),
  ]
}

function faultsOfNothing(effect: string, log: readonly AuditEntry[], { verb }: Prepared): string[] {
  return [
    ...(effect === 'absent' ? [] : [`nothing was written down, and it is ${effect}`]),
    ...(log.some((row) => row.verb === verb) ? ['nothing was written down, and the log has rows of it'] : []),
  ]
}

/** No look of ours would have seen what was cut off before it was done, so that it may be sent again. */
async function faultsAtService({ service }: Stage, { writes, verb }: Prepared): Promise<string[]> {
  if (!writes || verb === '/hc undelete') return []
  const all = await service.requests(writes.method)
  const worked = all.filter(({ path, fault }) =>
    path.startsWith(writes.path) === false ? false : fault !== 'reset',
  )
  return worked.length > 1 ? [`${worked.length} requests ${writes.method} ${writes.path} were sent`] : []
}

/** Each intent has one outcome, after it. */
function faultsOfLog(log: readonly AuditEntry[]): string[] {
  const open = new Map<string, number>()
  const faults: string[] = []
  for (const { reference, verb, object, outcome } of log.toReversed()) {
    const key = `${reference} ${verb} ${object}`
    const count = open.get(key)
    if (outcome === 'begun') open.set(key, (count ?? 0) + 1)
    else if (count !== undefined) {
      if (count === 0) faults.push(`${key} has two outcomes`)
      open.set(key, count - 1)
    }
  }
  return [...faults, ...[...open].flatMap(([key, count]) => (count > 0 ? [`${key} has no outcome`] : []))]
}

function faultsOfOutcome(log: readonly AuditEntry[], { verb }: Prepared, effect: string): string[] {
  const outcomes = log.filter((row) => row.verb === verb && row.outcome !== 'begun').map((row) => row.outcome)
  const fitting = { done: ['done', 'unknown'], absent: ['failed', 'unknown', 'refused'] }[effect]
  if (!fitting) return []
  if (effect === 'done' && outcomes.length === 0) return ['it was done, and the log does not say so']
  // Of several steps the last ones may have failed, although what counts was done.
  const wrong = verb === '/hc undelete' ? [] : outcomes.filter((outcome) => !fitting.includes(outcome))
  return wrong.map((outcome) => `the log says ${outcome}, and it is ${effect}`)
}

/** How long each kind takes when nobody is killed. */
export async function usualTimes(stage: Stage, kinds: readonly ActKind[]): Promise<Map<ActKind, Usual>> {
  const times = new Map<ActKind, Usual>()
  const faults: string[] = []
  for (const [nth, kind] of kinds.entries()) {
    const went = await actOnce(stage, kind, `usual-${nth}`)
    faults.push(...went.faults)
    if (!went.outcome.includes('read: done')) faults.push(`${kind.name}: ${went.outcome}`)
    times.set(kind, went)
  }
  expect(faults).toEqual([])
  return times
}
