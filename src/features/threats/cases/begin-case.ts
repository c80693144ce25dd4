import type { CommandContext } from '../../../bot/routes/command-context.ts'
import { type EventReader, readEvent } from '../event-ids/read-events.ts'
import { isMember } from '../members-only.ts'
import type { Memory } from '../memory/remember.ts'
import { type AboutCase, findSeverity } from '../rules/about-case.ts'
import type { Pictures } from '../screenshots/screenshots.ts'
import { stillCard } from '../views/card.ts'

/** Reads the event of a case from the service. The case stores its card, which may be posted in a channel. */
export async function beginCase(
  threats: {
    reader: EventReader
    pictures: Pictures
    memory: Pick<Memory, 'seenWith'>
    originOf(environment: CommandContext['environment']): string
  },
  context: CommandContext,
  id: string,
): Promise<{ about: AboutCase; severity: number }> {
  // Audited under its own verb. The case's step is a separate row of the audit log.
  const reading = await readEvent(threats.reader, context, '/threat', id)
  const { facts, forMembers, readAt } = reading
  const { event } = forMembers
  const hasPicture =
    (await isMember(context)) && event.observedData?.website?.screenshotResourceUrl !== undefined
  const origin = threats.originOf(context.environment)
  const [picture, seenWith] = await Promise.all([
    hasPicture ? threats.pictures.of(context, { id, reading, origin }) : undefined,
    threats.memory.seenWith(context, id, reading),
  ])
  return {
    about: {
      domain: facts.event.domain,
      reportedAt: event.date?.toISOString(),
      card: stillCard(facts, { id, now: context.now, readAt, seenWith }),
      picture: picture && { fileId: picture.fileId, altText: picture.altText },
    },
    severity: findSeverity(event),
  }
}
