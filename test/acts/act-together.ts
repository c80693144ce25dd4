import { expect } from 'vitest'
import type { AuditEntry } from '../../packages/durable/src/audit/row.ts'
import { splitChunks } from '../../packages/durable/src/database/batches.ts'
import type { ActKind, PreparedAct } from './act-kind.ts'
import { type Deployment, WORKSPACE } from './deployment.ts'
import { findViolations, type Observation } from './invariants.ts'
import { findVerdicts, newTexts, readAllTexts } from './verdicts.ts'

/** The result of one act: the invariants that it violated, and its outcome. */
interface ActResult {
  faults: string[]
  /** The act's effect, and what its sender read about it, such as `done, read: done`. */
  outcome: string
}

async function readBefore(deployment: Deployment) {
  const { slack, rows } = deployment
  return {
    texts: await readAllTexts(slack),
    acts: await rows.acts(listPeople(deployment)),
    sequence: await findLastSequence(deployment),
  }
}

const listPeople = ({ slack }: Deployment): string[] => [slack.member.id, slack.admin.id]

async function closeViews({ slack }: Deployment): Promise<void> {
  for (const person of [slack.member, slack.admin])
    if ((await person.views()).length > 0) await person.close({ all: true })
}

interface SentAct {
  /** Whether a text is about the act of somebody else. */
  isOthers?: (text: string) => boolean
  act: PreparedAct
  before: Awaited<ReturnType<typeof readBefore>>
  isAcknowledged: boolean
}

/** Reads what became of an act of these people, and checks all invariants. */
async function judge(deployment: Deployment, { act, before, isAcknowledged, isOthers }: SentAct) {
  const { service, rows } = deployment
  const actsAfter = await rows.acts(listPeople(deployment))
  const storedCount = actsAfter.all - before.acts.all
  const seenText = await readNewTexts(deployment, act, before, isOthers)
  const verdicts = findVerdicts(seenText, act.donePattern)
  const seen: Observation = {
    isAcknowledged,
    storedCount,
    effect: await act.readEffect(seenText),
    seenText,
    verdicts,
    log: await readLogSince(deployment, before.sequence),
    requests: act.serviceRequest ? await service.requests(act.serviceRequest.method) : [],
    openSteps: await rows.openSteps(),
  }
  const isResumed = actsAfter.attempts - before.acts.attempts > storedCount
  const result = storedCount === 0 ? 'not stored' : `${isResumed ? 'taken over: ' : ''}${seen.effect}`
  return {
    faults: findViolations(act, seen).map((fault) => `${fault} ${describeObservation(seen)}`),
    outcome: `${result}, read: ${verdicts.join(' and ') || 'nothing'}`,
    verdicts,
  }
}

const readNewTexts = async (
  { slack }: Deployment,
  act: PreparedAct,
  before: SentAct['before'],
  isOthers?: (text: string) => boolean,
) => newTexts(before.texts, await readAllTexts(slack), act.isByAdmin ? 'admin' : 'member', isOthers)

/**
 * If the app has told the person that it isn't clear yet whether the act was stored, waits until it reports the outcome. That can take
 * longer than the act, because the database may still be down. Returns false if it wasn't stored, so that nothing more is reported.
 */
async function waitForPromisedOutcome(
  deployment: Deployment,
  { act, before, isOthers }: Omit<SentAct, 'isAcknowledged'>,
): Promise<boolean> {
  const isPending = async () => {
    const text = await readNewTexts(deployment, act, before, isOthers)
    return text.includes('isn’t clear yet') && findVerdicts(text, act.donePattern).length === 0
  }
  const isStored = async () => (await deployment.rows.acts(listPeople(deployment))).all > before.acts.all
  await expect.poll(async () => (await isPending()) && (await isStored())).toBe(false)
  await deployment.waitUntilSettled()
  return !(await isPending())
}

function describeObservation({ isAcknowledged, effect, seenText, log }: Observation): string {
  const rows = log.toReversed().map(({ verb, object, outcome }) => `${verb} ${object} ${outcome}`)
  const shortText = seenText.replaceAll('\n', ' ').slice(0, 400)
  return `acknowledged: ${isAcknowledged}, effect: ${effect}, read: ${shortText}, log: ${rows.join('; ')}`
}

async function readLogSince(deployment: Deployment, sequence: number): Promise<AuditEntry[]> {
  const people = listPeople(deployment)
  const search = { workspaceId: WORKSPACE, withIntents: true, limit: 1000 }
  const rows = await deployment.store.audit.search(search)
  return rows.filter((row) => row.sequence > sequence && people.includes(row.actor.userId))
}

async function findLastSequence({ store }: Deployment): Promise<number> {
  const [last] = await store.audit.search({ workspaceId: WORKSPACE, withIntents: true, limit: 1 })
  return last?.sequence ?? 0
}

/**
 * Prepares one act of another kind for each pair of people. `disrupt` sends them, some at a time, and disturbs them meanwhile. Then waits
 * for the end of all acts, and checks all invariants of each. With `requiresKnownOutcomes`, the app must report definite outcomes, because
 * the process that got the service's answer survives.
 */
export async function actTogether(
  pairs: readonly Deployment[],
  kinds: readonly ActKind[],
  name: string,
  disrupt: (sendNext: () => void) => Promise<void>,
  { requiresKnownOutcomes = false } = {},
): Promise<ActResult[]> {
  const [deployment] = pairs
  if (!deployment) throw new Error('There are no people.')
  // Letters of equal length, so that none is a part of another.
  const names = kinds.map((_, index) => `${name}-${String.fromCharCode(97 + index)}`)
  async function prepare(kind: ActKind, index: number) {
    const pair = pairs[index]
    const ownName = names[index]
    if (!pair || ownName === undefined) throw new Error('There are more acts than people.')
    const isOthers = (text: string): boolean =>
      !text.includes(ownName) && names.some((other) => text.includes(other))
    return { pair, kind, isOthers, act: await kind.prepare(pair, ownName) }
  }
  const acts: Awaited<ReturnType<typeof prepare>>[] = []
  // A few at a time, because a busy machine would let the requests of all of them time out.
  for (const some of splitChunks([...kinds.entries()], 4))
    acts.push(...(await Promise.all(some.map(([index, kind]) => prepare(kind, index)))))
  await deployment.waitUntilSettled()
  await deployment.service.clearRequests()
  const ready = await Promise.all(
    acts.map(async (each) => ({ ...each, before: await readBefore(each.pair) })),
  )
  const sent: (Omit<(typeof ready)[number], 'act'> & {
    act: PreparedAct
    sending: ReturnType<PreparedAct['send']>
  })[] = []
  const left = ready.values()
  await disrupt(() => {
    for (const each of left.take(1)) sent.push({ ...each, sending: each.act.send() })
  })
  for (const each of left) sent.push({ ...each, sending: each.act.send() })
  await Promise.all(sent.map(({ sending }) => sending))
  await deployment.waitUntilSettled()
  return Promise.all(
    sent.map(async ({ pair, kind, sending, ...each }) => {
      const { outcome: sent } = await sending
      const isAcknowledged = sent.ok && (!requiresKnownOutcomes || (await waitForPromisedOutcome(pair, each)))
      const { faults, outcome, verdicts } = await judge(pair, { ...each, isAcknowledged })
      if (requiresKnownOutcomes && verdicts.includes('unknown')) faults.push('the service’s answer was lost')
      await closeViews(pair)
      return { faults: faults.map((fault) => `${fault} · ${kind.name}`), outcome }
    }),
  )
}
