import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'vitest'
import type { AuditEntry } from '../../packages/durable/src/audit/row.ts'
import type { ActKind, PreparedAct } from './act-kind.ts'
import { type Deployment, WORKSPACE } from './deployment.ts'
import type { Plan, UndisturbedTimes } from './disruptions.ts'
import { findViolations, type Observation } from './invariants.ts'
import { findVerdicts, newTexts, readAllTexts } from './verdicts.ts'

/** The result of one act: its times, the invariants that it violated, and its outcome. */
export interface ActResult extends UndisturbedTimes {
  faults: string[]
  /** The act's effect, and what its sender read about it, such as `done, read: done`. */
  outcome: string
}

/** Sends the act, causes the planned disruption, waits for the end, and checks all invariants. */
export async function actOnce(
  deployment: Deployment,
  kind: ActKind,
  name: string,
  plan: Plan = {},
): Promise<ActResult> {
  const { slack, service, rows } = deployment
  const act = await kind.prepare(deployment, name)
  const { fault } = plan
  await service.clearRequests()
  await service.faults(
    ...(fault && act.serviceRequest ? [{ ...act.serviceRequest, ...fault, times: 1 }] : []),
  )
  const [textsBefore, actsBefore, lastSequence] = [
    await readAllTexts(slack),
    await rows.acts(),
    await findLastSequence(deployment),
  ]

  const { isAcknowledged, replacement, ...times } = await sendAndDisrupt(deployment, act, plan)
  await service.faults()

  const readNow = async () =>
    newTexts(textsBefore, await readAllTexts(slack), act.isByAdmin ? 'admin' : 'member')
  if (plan.requiresKnownOutcome) await waitForPromisedOutcome(deployment, act, readNow)
  const actsAfter = await rows.acts()
  const storedCount = actsAfter.all - actsBefore.all
  const seenText = await readNow()
  const verdicts = findVerdicts(seenText, act.donePattern)
  const seen: Observation = {
    isAcknowledged,
    storedCount,
    effect: await act.readEffect(seenText),
    seenText,
    verdicts,
    log: await readLogSince(deployment, lastSequence),
    requests: act.serviceRequest ? await service.requests(act.serviceRequest.method) : [],
    openSteps: await rows.openSteps(),
  }
  const faults = findViolations(act, seen)
  if (plan.requiresKnownOutcome && verdicts.includes('unknown')) faults.push('the service’s answer was lost')
  await replacement
  for (const person of [slack.member, slack.admin])
    if ((await person.views()).length > 0) await person.close({ all: true })
  const isResumed = actsAfter.attempts - actsBefore.attempts > storedCount
  const result = storedCount === 0 ? 'not stored' : `${isResumed ? 'taken over: ' : ''}${seen.effect}`
  return {
    faults: faults.map(
      (fault) => `${fault} · ${kind.name} ${JSON.stringify(plan)} ${describeObservation(seen)}`,
    ),
    outcome: `${result}, read: ${verdicts.join(' and ') || 'nothing'}`,
    ...times,
  }
}

async function sendAndDisrupt(deployment: Deployment, act: PreparedAct, { disruption }: Plan) {
  const started = performance.now()
  let acknowledgedMs = 0
  let replacement: Promise<void> | undefined
  const sent = act.send().finally(() => {
    acknowledgedMs = performance.now() - started
  })
  if (disruption) {
    if (disruption.phase !== 'sent') await sent
    if (disruption.phase === 'at the service') await waitUntilReceived(deployment, act)
    await pause(disruption.delayMs)
    replacement = (await disruption.cause(deployment)).replacement
  }
  const { outcome } = await sent
  await deployment.waitUntilSettled()
  return { isAcknowledged: outcome.ok, acknowledgedMs, tookMs: performance.now() - started, replacement }
}

/**
 * If the app has told the person that the outcome isn't clear yet, waits until it reports the outcome. That can take longer than the
 * act, because the database may still be down.
 */
async function waitForPromisedOutcome(
  deployment: Deployment,
  act: PreparedAct,
  readNow: () => Promise<string>,
): Promise<void> {
  const isPending = (text: string) =>
    text.includes('isn’t clear yet') && findVerdicts(text, act.donePattern).length === 0
  await expect.poll(async () => isPending(await readNow())).toBe(false)
  await deployment.waitUntilSettled()
}

function describeObservation({ isAcknowledged, effect, seenText, log }: Observation): string {
  const rows = log.toReversed().map(({ verb, object, outcome }) => `${verb} ${object} ${outcome}`)
  const shortText = seenText.replaceAll('\n', ' ').slice(0, 400)
  return `acknowledged: ${isAcknowledged}, effect: ${effect}, read: ${shortText}, log: ${rows.join('; ')}`
}

async function readLogSince({ store }: Deployment, sequence: number): Promise<AuditEntry[]> {
  const rows = await store.audit.search({ workspaceId: WORKSPACE, withIntents: true, limit: 1000 })
  return rows.filter((row) => row.sequence > sequence)
}

/** Waits until the service has received the act's request, or until the act is over. */
async function waitUntilReceived(
  { service, rows }: Deployment,
  { serviceRequest }: PreparedAct,
): Promise<void> {
  if (!serviceRequest) return
  do {
    if ((await service.requests(serviceRequest.method)).length > 0) return
  } while ((await rows.acts()).open > 0)
}

async function findLastSequence({ store }: Deployment): Promise<number> {
  const [last] = await store.audit.search({ workspaceId: WORKSPACE, withIntents: true, limit: 1 })
  return last?.sequence ?? 0
}

/** Measures how long each kind of act takes without a disruption. */
export async function measureUndisturbedTimes(
  deployment: Deployment,
  kinds: readonly ActKind[],
): Promise<Map<ActKind, UndisturbedTimes>> {
  const times = new Map<ActKind, UndisturbedTimes>()
  const faults: string[] = []
  for (const [index, kind] of kinds.entries()) {
    const result = await actOnce(deployment, kind, `usual-${index}`)
    faults.push(...result.faults)
    if (!result.outcome.includes('read: done')) faults.push(`${kind.name}: ${result.outcome}`)
    times.set(kind, result)
  }
  expect(faults).toEqual([])
  return times
}
