import type { CommandContext } from '../../../bot/routes/command-context.ts'
import { type EventReader, readEvent } from '../event-ids/read-events.ts'
import { isMember } from '../members-only.ts'
import type { Memory } from '../memory/remember.ts'
import { type AboutCase, findSeverity } from '../rules/about-case.ts'
import type { Pictures } from '../screenshots/screenshots.ts'
import { toStoredCard } from '../views/card.ts'

/** Reads the event of a new case from the service and prepares what the case stores about it. */
export async function prepareCase(
  tools: {
    reader: EventReader
    pictures: Pictures
    memory: Pick<Memory, 'seenWith'>
    getOrigin(environment: CommandContext['environment']): string
  },
  context: CommandContext,
  id: string,
): Promise<{ about: AboutCase; severity: number }> {
  // Reading the event gets its own audit row, separate from the case's step.
  const reading = await readEvent(tools.reader, context, '/threat', id)
  const { facts, forMembers, readAt } = reading
  const { event } = forMembers
  const hasPicture =
    (await isMember(context)) && event.observedData?.website?.screenshotResourceUrl !== undefined
  const origin = tools.getOrigin(context.environment)
  const [picture, seenWith] = await Promise.all([
    hasPicture ? tools.pictures.get(context, { id, reading, origin }) : undefined,
    tools.memory.seenWith(context, id, reading),
  ])
  return {
    about: {
      domain: facts.event.domain,
      reportedAt: event.date?.toISOString(),
      card: toStoredCard(facts, { id, now: context.now, readAt, seenWith }),
      picture: picture && { fileId: picture.fileId, altText: picture.altText },
    },
    severity: findSeverity(event),
  }
}
