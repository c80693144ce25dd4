// This folder has the cases of threat events: take, note, and close.

import { UserError } from '@signalman/runtime'
import { type Message, oneLine } from '@signalman/slack'
import { explainChannelRefusal } from '../../../bot/posts/channel-refusals.ts'
import type { CommandContext, Requester } from '../../../bot/routes/command-context.ts'
import { capitalize } from '../../../domain/wording.ts'
import { findCardPermission } from '../audience.ts'
import type { StoredThreats, ThreatDependencies } from '../dependencies.ts'
import { readEvent } from '../event-ids/read-events.ts'
import type { NewCase } from '../rows/cases.ts'
import { defang } from '../rules/defang.ts'
import { rankSeverity } from '../rules/event-snapshot.ts'
import { writeEventCommand } from '../rules/ids.ts'
import type { LoadedEvent } from '../rules/shown-event.ts'
import { toDomainKey } from '../rules/signals.ts'
import type { CaseStepKind, Refusal, ThreatCase } from '../rules/threat-case.ts'
import { toSnapshot } from '../views/card.ts'
import { askAboutOthersCase, caseView, describeState, type ShownCase } from '../views/case.ts'

interface Step {
  eventId: string
  kind: CaseStepKind
  verb: string
  text?: string | undefined
  /** For someone else's case: the version that the person saw. */
  seenVersion?: number | undefined
}

const eventKey = ({ workspaceId, environment }: Requester, eventId: string) => ({
  workspaceId,
  environment,
  eventId,
})

/** The case of an event as the person sees it now. */
export async function readShownCase(
  { threatCases }: StoredThreats,
  context: Requester,
  eventId: string,
): Promise<ShownCase> {
  const { environment, userId: viewerId } = context
  return { eventId, environment, viewerId, threatCase: await threatCases.find(eventKey(context, eventId)) }
}

export const toNewCase = ({ facts, fullEvent }: LoadedEvent, id: string, now: Date): NewCase => ({
  event: toSnapshot(facts, { id, now }),
  severity: rankSeverity(fullEvent),
  domainKey: toDomainKey(facts.event.domain),
})

const ANSWERS: Readonly<Record<CaseStepKind, string>> = {
  take: 'This case is yours now.',
  note: 'Note added.',
  down: 'Recorded as taken down. The case is closed.',
  'false-positive': 'Marked as a false positive. The case is closed.',
  other: 'The case is closed.',
}

/** Takes a step of a case if its state allows it, and posts it in the thread of the case's card. */
export async function takeStep(
  deps: ThreatDependencies,
  context: CommandContext,
  { eventId, kind, verb, text, seenVersion }: Step,
): Promise<Message> {
  const { threatCases, wake } = deps
  const { userId, channelId, now } = context
  const event = eventKey(context, eventId)
  const { name = userId } = context.actor
  const known = await threatCases.find(event)
  const permission = known?.card ? undefined : await findCardPermission(context)
  // If Slack can't be asked now, the work that posts asks again.
  const mayPost = permission === 'yes' || permission === 'unknown'
  const newCase =
    known || kind === 'note' ? undefined : toNewCase(await readEvent(context, verb, eventId), eventId, now)
  await context.decide<Pick<ThreatCase, 'state' | 'holder'> | undefined>(
    {
      verb,
      object: `threat event ${eventId}`,
      objectName: (known ?? newCase)?.event.lines[0],
      before: (before = known) => before && { state: before.state, holder: before.holder?.userId },
      after: { case: kind },
    },
    async (decisions) => {
      const { find, step } = threatCases.within(decisions)
      const found = await find(event)
      const outcome = await step({
        ...event,
        kind,
        by: { userId, name },
        text,
        now,
        seenVersion,
        newCase,
        card: channelId && mayPost ? { channelId } : undefined,
      })
      // Thrown inside the decision, so the audit log records the step as not done.
      if ('refusal' in outcome) throw explainRefusal(context, found, outcome.refusal, { eventId, kind, text })
      return found && { state: found.state, holder: found.holder }
    },
  )
  wake()
  const shown = await readShownCase(deps, context, eventId)
  if (!permission || mayPost || shown.threatCase?.card) return caseView(ANSWERS[kind], shown)
  const { problem } = explainChannelRefusal(permission)
  return caseView(`${ANSWERS[kind]} ${capitalize(problem)}, so nobody here sees it.`, shown)
}

function explainRefusal(
  { environment }: Requester,
  found: ThreatCase | undefined,
  refusal: Refusal,
  { eventId, kind, text }: Pick<Step, 'eventId' | 'kind' | 'text'>,
): Error {
  const take = { label: 'Take', line: writeEventCommand('take', eventId) }
  if (refusal === 'no-case' || !found)
    return new UserError(
      `There’s no case with this ID${environment === 'ote' ? ' in OTE' : ''} yet. Take the event first${text ? `, and then add the note again: ${defang(oneLine(text))}` : '.'}`,
      [take],
    )
  if (refusal === 'yours-already') return new UserError('You already have this case.')
  if (refusal === 'held-by-other' && kind !== 'note') return askAboutOthersCase(found, kind, text)
  return new UserError(`This case has ended: ${describeState(found)}. To work on it again, reopen it.`, [
    { ...take, label: 'Reopen' },
  ])
}
