import type { CommandContext } from '../../../bot/routes/command-context.ts'
import { stillCard } from '../card/card.ts'
import { readEvent } from '../event-ids/read-events.ts'
import type { EventReader } from '../event-ids/shared-readings.ts'
import type { Memory } from '../memory/remember.ts'
import { isPrivy } from '../privacy/asking.ts'
import type { Pictures } from '../screenshots/picture.ts'
import { type AboutCase, severityOf } from './about-case.ts'

/** Reads the event of a case from the service. Its card, without the domain's owner, is stored with the case. */
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
  // The reading has a verb of its own: the step itself is another row of the audit log.
  const reading = await readEvent(threats.reader, context, '/threat', id)
  const { redacted, readAt } = reading
  const { event } = redacted
  const hasPicture =
    (await isPrivy(context)) && event.observedData?.website?.screenshotResourceUrl !== undefined
  const origin = threats.originOf(context.environment)
  const [picture, seenWith] = await Promise.all([
    hasPicture ? threats.pictures.of(context, { id, reading, origin }) : undefined,
    threats.memory.seenWith(context, id, reading),
  ])
  return {
    about: {
      domain: event.domain,
      reportedAt: event.date?.toISOString(),
      card: stillCard(redacted, { id, now: context.now, readAt, seenWith }),
      picture: picture && { fileId: picture.fileId, altText: picture.altText },
    },
    severity: severityOf(event),
  }
}
