import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'vitest'
import type { AuditEntry } from '../../packages/durable/src/audit/row.ts'
import type { ActKind, Prepared } from './act-kind.ts'
import { newIn, pageOf, verdictsIn } from './reading.ts'
import { type Stage, WORKSPACE } from './stage.ts'
import type { Plan, Usual } from './trouble.ts'
import { faultsOf, type Seen } from './what-must-hold.ts'

/** The result of one act: its faults, and its outcome. */
export interface Went extends Usual {
  faults: string[]
  /** A summary for the statistics of a run. */
  outcome: string
}

/** Sends the act, causes the planned trouble, waits for the end, and checks all invariants. */
export async function actOnce(stage: Stage, kind: ActKind, name: string, plan: Plan = {}): Promise<Went> {
  const { slack, service, rows } = stage
  const act = await kind.prepare(stage, name)
  const { fault } = plan
  await service.forgetRequests()
  await service.faults(...(fault && act.writes ? [{ ...act.writes, ...fault, times: 1 }] : []))
  const [page, acts, audited] = [await pageOf(slack), await rows.acts(), await lastOf(stage)]

  const { isAcknowledged, left, ...times } = await sendIn(stage, act, plan)
  await service.faults()

  const readNow = async () => newIn(page, await pageOf(slack), act.isByAdmin ? 'admin' : 'member')
  if (plan.isNeverUnknown) await toldOfBeginning(stage, act, readNow)
  const now = await rows.acts()
  const taken = now.all - acts.all
  const read = await readNow()
  const verdicts = verdictsIn(read, act.says)
  const seen: Seen = {
    isAcknowledged,
    taken,
    effect: await act.effect(read),
    read,
    verdicts,
    log: await logSince(stage, audited),
    requests: act.writes ? await service.requests(act.writes.method) : [],
    openSteps: await rows.openSteps(),
  }
  const faults = faultsOf(act, seen)
  if (plan.isNeverUnknown && verdicts.includes('unknown')) faults.push('a known answer was lost')
  await left
  for (const person of [slack.member, slack.admin])
    if ((await person.views()).length > 0) await person.close({ all: true })
  const isResumed = now.attempts - acts.attempts > taken
  const came = taken === 0 ? 'not taken' : `${isResumed ? 'taken over: ' : ''}${seen.effect}`
  return {
    faults: faults.map((words) => `${words} · ${kind.name} ${JSON.stringify(plan)} ${wordsOf(seen)}`),
    outcome: `${came}, read: ${verdicts.join(' and ') || 'nothing'}`,
    ...times,
  }
}

async function sendIn(stage: Stage, act: Prepared, { trouble }: Plan) {
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
  return { isAcknowledged: outcome.ok, acknowledgedMs, tookMs: performance.now() - started, left }
}

/**
 * A person who was told that the start is uncertain is promised an answer later: the database may be reachable but not answer
 * yet.
 */
async function toldOfBeginning(stage: Stage, act: Prepared, readNow: () => Promise<string>): Promise<void> {
  const isOpen = (read: string) => read.includes('not known yet') && verdictsIn(read, act.says).length === 0
  await expect.poll(async () => isOpen(await readNow())).toBe(false)
  await stage.settled()
}

function wordsOf({ isAcknowledged, effect, read, log }: Seen): string {
  const rows = log.toReversed().map(({ verb, object, outcome }) => `${verb} ${object} ${outcome}`)
  const words = read.replaceAll('\n', ' ').slice(0, 400)
  return `acknowledged: ${isAcknowledged}, effect: ${effect}, read: ${words}, log: ${rows.join('; ')}`
}

async function logSince({ store }: Stage, sequence: number): Promise<AuditEntry[]> {
  const rows = await store.audit.search({ workspaceId: WORKSPACE, withIntents: true, limit: 1000 })
  return rows.filter((row) => row.sequence > sequence)
}

/** Waits until the service has the act's request, unless there is none or the act is over. */
async function reached({ service, rows }: Stage, { writes }: Prepared): Promise<void> {
  for (let isOpen = writes !== undefined; isOpen; isOpen = (await rows.acts()).open > 0)
    if ((await service.requests(writes?.method)).length > 0) return
}

async function lastOf({ store }: Stage): Promise<number> {
  const [last] = await store.audit.search({ workspaceId: WORKSPACE, withIntents: true, limit: 1 })
  return last?.sequence ?? 0
}

/** How long each kind of act takes without trouble. */
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
