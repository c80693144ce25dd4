import type { CommandContext } from '../../../bot/routes/command-context.ts'
import { type EventReader, readEvent } from '../event-ids/read-events.ts'
import { isMember } from '../members-only.ts'
import { type EventSnapshot, rankSeverity } from '../rules/event-snapshot.ts'
import { listReportedTargets } from '../rules/takedown-check.ts'
import type { Pictures } from '../screenshots/screenshots.ts'
import { toStoredCard } from '../views/card.ts'

/** Reads a threat event from the service, and returns the snapshot of it that a new case stores. */
export async function prepareCase(
  dependencies: {
    reader: EventReader
    pictures: Pictures
    getOrigin(environment: CommandContext['environment']): string
  },
  context: CommandContext,
  id: string,
): Promise<{ eventSnapshot: EventSnapshot; severity: number }> {
  // Reading the event gets its own audit row, separate from the case's step.
  const loadedEvent = await readEvent(dependencies.reader, context, '/threat', id)
  const { facts, forMembers, fullEvent, readAt } = loadedEvent
  const { event } = forMembers
  const hasPicture =
    (await isMember(context)) && event.observedData?.website?.screenshotResourceUrl !== undefined
  const origin = dependencies.getOrigin(context.environment)
  const picture = hasPicture
    ? await dependencies.pictures.get(context, { id, loadedEvent, origin })
    : undefined
  return {
    eventSnapshot: {
      domain: facts.event.domain,
      reportedAt: event.date?.toISOString(),
      targets: listReportedTargets(fullEvent),
      card: toStoredCard(facts, { id, now: context.now, readAt }),
      picture: picture && { fileId: picture.fileId, altText: picture.altText },
    },
    severity: rankSeverity(event),
  }
}
