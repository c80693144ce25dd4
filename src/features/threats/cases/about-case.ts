import type { CommandContext } from '../../../bot/routes/command-context.ts'
import type { ThreatEvent } from '../../../service/threat-event.ts'
import { type StillCard, stillCard } from '../card/card.ts'
import { type EventReader, readEvent } from '../event-ids/read-events.ts'
import type { Memory } from '../memory/remember.ts'
import { isPrivy } from '../privacy/asking.ts'
import type { ThreatCase } from '../rows/case-rows.ts'
import type { Pictures } from '../screenshots/screenshots.ts'

/** What a case stores of its event, sealed: enough to draw its card and to continue while the service is away. */
export interface AboutCase {
  /** As the event has it; undefined where it names none. */
  domain: string | undefined
  /** As ISO text. */
  reportedAt: string | undefined
  card: StillCard
  picture: { fileId: string; altText: string } | undefined
}

/** This feature alone writes it, hence of this type. */
export const aboutOf = ({ about }: Pick<ThreatCase, 'about'>): AboutCase => about as AboutCase

export function reportedAt(found: Pick<ThreatCase, 'about'>): Date | undefined {
  const text = aboutOf(found).reportedAt
  return text === undefined ? undefined : new Date(text)
}

const SEVERITIES = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW']

/** 0 for the worst; levels that the interface does not name come last. */
export function severityOf({ criticality }: ThreatEvent): number {
  const level = (criticality?.level || criticality?.name || '').trim().toUpperCase()
  const found = SEVERITIES.indexOf(level)
  return found === -1 ? SEVERITIES.length : found
}

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
