import { Question, type SuggestedCommand, UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import type {
  ActSteps,
  CommandContext,
  Messaging,
  Requester,
  Rights,
  ServiceAccess,
} from '../../../bot/routes/command-context.ts'
import { readPerson } from '../person.ts'
import type { CaseOutcome, EventKey, ThreatCases } from '../rows/cases.ts'
import { listPossibleSteps, type PersonalStep } from '../rules/case-steps.ts'
import { isWatched } from '../rules/case-watch.ts'
import type { EventSnapshot } from '../rules/event-snapshot.ts'
import type { ThreatCase } from '../rules/threat-case.ts'
import { caseView } from '../views/case.ts'
import {
  askToTakeOver,
  describeCardLocation,
  describeRefusal,
  describeTakenStep,
  STEPS,
} from '../views/case-words.ts'
import { describeEndedWatch, describeRemainingCheck } from '../views/watched.ts'
import { compareCheck } from '../watched/compare.ts'
import { endWatch } from '../watched/watch.ts'
import { createNotTakenError, readShownCase, suggestTake } from './announces.ts'
import { type CardChoice, type CardPlaceDeps, chooseCardLocation } from './card-location.ts'

/** Reads the event of a new case from the service, with the permissions of the person who takes the first step. */
type PrepareCase = (
  context: CommandContext,
  eventId: string,
) => Promise<{ eventSnapshot: EventSnapshot; severity: number }>

export interface StepDeps extends CardPlaceDeps {
  threatCases: ThreatCases
  prepareCase: PrepareCase
  /** Wakes the work that notifies people. */
  wake: () => void
}

type TakenStep = Extract<CaseOutcome, { kind: 'stepped' }>

interface StepRequest {
  eventId: string
  kind: PersonalStep
  /** The version of the case that the person saw before taking it over. */
  seenVersion?: number | undefined
  /** What the person typed about the step. */
  typedText?: string | undefined
}

/** Takes a step of a case if its state allows it, and posts it in the case's thread. */
export async function takeStep(
  deps: StepDeps,
  context: CommandContext,
  { eventId, kind, seenVersion, typedText }: StepRequest,
): Promise<Message> {
  const { threatCases, prepareCase, wake } = deps
  const { workspaceId, environment, enterpriseId, userId, now, reference } = context
  const event = { workspaceId, environment, eventId }
  const verb = `/threat ${kind}`
  const by = await readPerson(context)
  const before = await context.remember('before', async () => summarizeCase(await threatCases.find(event)))
  const startsCase = !before && listPossibleSteps(undefined).includes(kind)
  const newCase = startsCase
    ? await context.remember('event', () => prepareCase(context, eventId))
    : undefined
  const watched = await context.remember('watched', async () =>
    findWatchedCheck(await threatCases.find(event)),
  )
  if (watched && (kind === 'down' || kind === 'up')) await stopIfTargetChanged(deps, context, event)
  const cardChoice: CardChoice | undefined = before?.hasCard
    ? undefined
    : await context.remember('cardChoice', () => chooseCardLocation(deps, context, event))
  const { previousHolder } = await context.change<TakenStep>(
    {
      verb,
      object: `threat event ${eventId}`,
      before: before && { state: before.state, ...(before.holderId && { holder: before.holderId }) },
      after: { case: kind },
      isRepeatable: true,
    },
    async () => {
      const outcome = await threatCases.step({
        ...event,
        enterpriseId,
        kind,
        by,
        now,
        reference,
        seenVersion,
        typedText,
        newCase,
        card: cardChoice && 'card' in cardChoice ? cardChoice.card : undefined,
      })
      if (outcome.kind === 'stepped') return outcome
      // Thrown inside the change, so the audit log records the step as not done.
      const take = await suggestTake(deps, context, eventId)
      throw stepError(outcome, await threatCases.find(event), { eventId, kind, typedText, userId, now, take })
    },
  )
  const shown = await readShownCase(deps, context, eventId)
  const { threatCase } = shown
  // Marking a false positive also ends the watch.
  const watchEnded = watched !== null && threatCase?.checkUuid !== watched.checkUuid
  wake()
  return caseView(
    [
      describeTakenStep(kind, { previousHolder, typedText }),
      describeCardLocation(
        threatCase,
        cardChoice && 'noCardReason' in cardChoice ? cardChoice.noCardReason : undefined,
      ),
      ...(threatCase && isWatched(threatCase, now) ? (WATCH_AFTER_STEP[kind] ?? []) : []),
      ...(watchEnded ? [`No longer watched. ${describeRemainingCheck(watched.name)}`] : []),
    ],
    shown,
  )
}

/** What the watch of a case does after a step. */
const WATCH_AFTER_STEP: Partial<Record<PersonalStep, readonly string[]>> = {
  up: ['Signalman asks again once the health check has reached the page and then can’t anymore.'],
  down: ['Signalman reads the health check for seven more days, and asks if it reaches the page again.'],
}

const findWatchedCheck = (threatCase: ThreatCase | undefined) =>
  threatCase?.watched && threatCase.checkUuid
    ? { name: threatCase.watched.name, checkUuid: threatCase.checkUuid }
    : null

/**
 * If someone has changed the watched check's target, its status says nothing about this case. Stops watching then, and throws a
 * Question that asks the person whether the page is down.
 */
async function stopIfTargetChanged(
  deps: StepDeps,
  context: Requester & ServiceAccess & Rights & ActSteps,
  event: EventKey,
): Promise<void> {
  const { eventId } = event
  const edited = await context.remember('edited', async () => {
    const threatCase = await deps.threatCases.find(event)
    if (!threatCase?.watched || !threatCase.checkUuid) return null
    const compared = await compareCheck(await context.api(), threatCase)
    if (compared.kind !== 'edited') return null
    const { watched, checkUuid } = threatCase
    return { name: watched.name, checkUuid, reason: describeEndedWatch(watched, compared.newTarget) }
  })
  if (!edited) return
  await endWatch(deps, context, { eventId, ...edited }, edited.reason)
  deps.wake()
  throw new Question(
    `${edited.reason}. Look at the page yourself. Is it down?`,
    ['down', 'up'].map((step) => ({
      label: STEPS[step as PersonalStep].button,
      line: `/threat ${step} ${eventId}`,
    })),
  )
}

/** Adds a note to a case. It's posted in the case's thread only if the thread shows names. */
export async function addNote(
  deps: Omit<StepDeps, 'prepareCase'>,
  context: Requester & Messaging & Rights & ActSteps,
  { eventId, text }: { eventId: string; text: string },
): Promise<Message> {
  const { threatCases, wake } = deps
  const { workspaceId, environment, enterpriseId, now, reference } = context
  const event = { workspaceId, environment, eventId }
  const by = await readPerson(context)
  await context.change(
    { verb: '/threat note', object: `threat event ${eventId}`, isRepeatable: true },
    async () => {
      const step = { ...event, enterpriseId, kind: 'note', by, now, reference, typedText: text } as const
      const outcome = await threatCases.step(step)
      if (outcome.kind !== 'stepped') throw await createNotTakenError(deps, context, eventId, 'add the note')
    },
  )
  wake()
  return caseView(['Note added.'], await readShownCase(deps, context, eventId))
}

/** Shows the screenshot and names in a case's card and thread to everyone who can read the channel. */
export async function revealCase(
  deps: Omit<StepDeps, 'prepareCase'>,
  context: Requester & Messaging & Rights & ActSteps,
  eventId: string,
): Promise<Message> {
  const { threatCases, wake } = deps
  const { workspaceId, environment, enterpriseId, now, reference } = context
  const event = { workspaceId, environment, eventId }
  const by = await readPerson(context)
  const card = await context.remember('card', async () => (await threatCases.find(event))?.card ?? null)
  if (!card)
    throw new UserError('No channel has the card of this case. Share the card first.', [
      { label: 'Show the card', line: `/threat ${eventId}` },
    ])
  await context.change(
    {
      verb: '/threat reveal',
      object: `threat event ${eventId}`,
      after: { channelId: card.channelId },
      isRepeatable: true,
    },
    () =>
      threatCases.step({
        ...event,
        enterpriseId,
        kind: 'note',
        by,
        now,
        reference,
        noteText: 'Screenshot and names revealed',
        showsNames: true,
      }),
  )
  wake()
  const texts = [
    'Signalman is updating the card in the channel to show the screenshot and names. New replies in its thread show names, too. Earlier ones stay as they are.',
  ]
  return caseView(texts, await readShownCase(deps, context, eventId))
}

const summarizeCase = (threatCase: ThreatCase | undefined) =>
  threatCase && {
    state: threatCase.state,
    holderId: threatCase.holder?.userId,
    hasCard: threatCase.card !== undefined,
  }

/** The error for a step that isn't possible now. It describes the case's state. */
function stepError(
  outcome: Exclude<CaseOutcome, { kind: 'stepped' }>,
  threatCase: ThreatCase | undefined,
  attempt: Pick<StepRequest, 'eventId' | 'kind' | 'typedText'> & {
    userId: string
    now: Date
    take: SuggestedCommand
  },
): Error {
  const { eventId, kind, typedText, userId, now } = attempt
  if (!threatCase) return new UserError(`Nobody has taken ${eventId} yet, so it has no case.`, [attempt.take])
  if (outcome.kind === 'held-by-other') {
    const { message, suggestion } = askToTakeOver(threatCase, now)
    return new Question(message, [suggestion])
  }
  return new UserError(describeRefusal(threatCase, kind, userId, now), [
    ...(typedText ? [{ label: 'Add as a note', line: `/threat note ${eventId} ${typedText}` }] : []),
    { label: 'Case', line: `/threat case ${eventId}` },
  ])
}
