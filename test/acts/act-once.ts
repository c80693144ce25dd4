import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'vitest'
import type { AuditEntry } from '../../packages/durable/src/audit/row.ts'
import type { ActKind, PreparedAct } from './act-kind.ts'
import { findVerdicts, newTexts, readAllTexts } from './reading.ts'
import { type Stage, WORKSPACE } from './stage.ts'
import type { Plan, UsualTimes } from './trouble.ts'
import { findFaults, type Observation } from './what-must-hold.ts'

/** The result of one act: how long it took, its faults, and its outcome. */
export interface ActResult extends UsualTimes {
  faults: string[]
  /** A summary for the statistics of a run. */
  outcome: string
}

/** Sends the act, causes the planned trouble, waits for the end, and checks all invariants. */
export async function actOnce(
  stage: Stage,
  kind: ActKind,
  name: string,
  plan: Plan = {},
): Promise<ActResult> {
  const { slack, service, rows } = stage
  const act = await kind.prepare(stage, name)
  const { fault } = plan
  await service.clearRequests()
  await service.faults(...(fault && act.writes ? [{ ...act.writes, ...fault, times: 1 }] : []))
  const [textsBefore, actsBefore, lastSequence] = [
    await readAllTexts(slack),
    await rows.acts(),
    await findLastSequence(stage),
  ]

  const { isAcknowledged, replacement, ...times } = await sendWithTrouble(stage, act, plan)
  await service.faults()

  const readNow = async () =>
    newTexts(textsBefore, await readAllTexts(slack), act.isByAdmin ? 'admin' : 'member')
  if (plan.isNeverUnknown) await waitForPromisedOutcome(stage, act, readNow)
  const actsAfter = await rows.acts()
  const storedCount = actsAfter.all - actsBefore.all
  const read = await readNow()
  const verdicts = findVerdicts(read, act.says)
  const seen: Observation = {
    isAcknowledged,
    taken: storedCount,
    effect: await act.effect(read),
    read,
    verdicts,
    log: await logSince(stage, lastSequence),
    requests: act.writes ? await service.requests(act.writes.method) : [],
    openSteps: await rows.openSteps(),
  }
  const faults = findFaults(act, seen)
  if (plan.isNeverUnknown && verdicts.includes('unknown')) faults.push('a known answer was lost')
  await replacement
  for (const person of [slack.member, slack.admin])
    if ((await person.views()).length > 0) await person.close({ all: true })
  const isResumed = actsAfter.attempts - actsBefore.attempts > storedCount
  const ending = storedCount === 0 ? 'not taken' : `${isResumed ? 'taken over: ' : ''}${seen.effect}`
  return {
    faults: faults.map(
      (words) => `${words} · ${kind.name} ${JSON.stringify(plan)} ${describeObservation(seen)}`,
    ),
    outcome: `${ending}, read: ${verdicts.join(' and ') || 'nothing'}`,
    ...times,
  }
}

async function sendWithTrouble(stage: Stage, act: PreparedAct, { trouble }: Plan) {
  const started = performance.now()
  let acknowledgedMs = 0
  let replacement: Promise<void> | undefined
  const sent = act.send().finally(() => {
    acknowledgedMs = performance.now() - started
  })
  if (trouble) {
    if (trouble.since !== 'sent') await sent
    if (trouble.since === 'at the service') await waitUntilReceived(stage, act)
    await pause(trouble.afterMs)
    replacement = (await trouble.make(stage)).replacement
  }
  const { outcome } = await sent
  await stage.settled()
  return { isAcknowledged: outcome.ok, acknowledgedMs, tookMs: performance.now() - started, replacement }
}

/**
 * Waits for the outcome if the app told the person that the outcome isn't known yet. It promised an answer, but the database may not
 * respond yet.
 */
async function waitForPromisedOutcome(
  stage: Stage,
  act: PreparedAct,
  readNow: () => Promise<string>,
): Promise<void> {
  const isOpen = (read: string) =>
    read.includes('isn’t clear yet') && findVerdicts(read, act.says).length === 0
  await expect.poll(async () => isOpen(await readNow())).toBe(false)
  await stage.settled()
}

function describeObservation({ isAcknowledged, effect, read, log }: Observation): string {
  const rows = log.toReversed().map(({ verb, object, outcome }) => `${verb} ${object} ${outcome}`)
  const words = read.replaceAll('\n', ' ').slice(0, 400)
  return `acknowledged: ${isAcknowledged}, effect: ${effect}, read: ${words}, log: ${rows.join('; ')}`
}

async function logSince({ store }: Stage, sequence: number): Promise<AuditEntry[]> {
  const rows = await store.audit.search({ workspaceId: WORKSPACE, withIntents: true, limit: 1000 })
  return rows.filter((row) => row.sequence > sequence)
}

/** Waits until the service has received the act's request, or until the act is over. */
async function waitUntilReceived({ service, rows }: Stage, { writes }: PreparedAct): Promise<void> {
  for (let isOpen = writes !== undefined; isOpen; isOpen = (await rows.acts()).open > 0)
    if ((await service.requests(writes?.method)).length > 0) return
}

async function findLastSequence({ store }: Stage): Promise<number> {
  const [last] = await store.audit.search({ workspaceId: WORKSPACE, withIntents: true, limit: 1 })
  return last?.sequence ?? 0
}

/** Measures how long each kind of act takes without trouble. */
export async function measureUsualTimes(
  stage: Stage,
  kinds: readonly ActKind[],
): Promise<Map<ActKind, UsualTimes>> {
  const times = new Map<ActKind, UsualTimes>()
  const faults: string[] = []
  for (const [nth, kind] of kinds.entries()) {
    const result = await actOnce(stage, kind, `usual-${nth}`)
    faults.push(...result.faults)
    if (!result.outcome.includes('read: done')) faults.push(`${kind.name}: ${result.outcome}`)
    times.set(kind, result)
  }
  expect(faults).toEqual([])
  return times
}
