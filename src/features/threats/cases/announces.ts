import { UserError } from '@signalman/runtime'
import type { Messaging, Requester } from '../../../bot/routes/command-context.ts'
import type { ThreatCases } from '../rows/cases.ts'
import { listPossibleSteps } from '../rules/case-steps.ts'
import type { ShownCase } from '../views/case.ts'
import { createTakeSuggestion } from '../views/case-words.ts'
import { type CardPlaceDeps, isAnnounced } from './card-location.ts'

/** The case of an event as the person sees it now. */
export async function readShownCase(
  deps: CardPlaceDeps & { threatCases: Pick<ThreatCases, 'find'> },
  context: Requester & Messaging,
  eventId: string,
): Promise<ShownCase> {
  const { workspaceId, environment, userId: viewerId, now } = context
  const event = { workspaceId, environment, eventId }
  const threatCase = await deps.threatCases.find(event)
  // Slack is asked only if the window has the button.
  const canTake = listPossibleSteps(threatCase?.state).includes('take')
  const isTakeAnnounced = canTake && (await isAnnounced(deps, context, event))
  return { eventId, environment, threatCase, viewerId, now, isTakeAnnounced }
}

/** The button that takes an event. It says if that is announced. */
export async function suggestTake(deps: CardPlaceDeps, context: Requester & Messaging, eventId: string) {
  const { workspaceId, environment } = context
  return createTakeSuggestion(
    eventId,
    await isAnnounced(deps, context, { workspaceId, environment, eventId }),
  )
}

/** The error for a step that only a case can have. `next`: what to do once the event is taken. */
export async function createNotTakenError(
  deps: CardPlaceDeps,
  context: Requester & Messaging,
  eventId: string,
  next: string,
): Promise<UserError> {
  const place = context.environment === 'ote' ? ' in OTE' : ''
  return new UserError(`Nobody has taken this threat event${place} yet. Take it first, then ${next}.`, [
    await suggestTake(deps, context, eventId),
  ])
}
