import { hash } from 'node:crypto'
import type { ThreatEvent } from '../../../api/threat-event.ts'
import type { Requester } from '../../../bot/routes/command-context.ts'
import type { ThreatVersions } from '../../../store/store.ts'
import type { Indicators } from './indicators.ts'
import { createdOf, stixOf } from './stix.ts'

/** The latest past time that the event itself names: before it the content was another. */
function sinceOf(event: ThreatEvent, now: Date): Date {
  const created = new Date(createdOf(event))
  const named = [...(event.comments ?? []).map(({ date }) => date), event.observedData?.whois?.updatedDate]
  return named.reduce<Date>((latest, date) => (date && date > latest && date <= now ? date : latest), created)
}

/** When the content of an export became what it is: the same for equal content, later for newer content. */
export async function modifiedOf(
  versions: ThreatVersions,
  context: Pick<Requester, 'workspaceId' | 'environment' | 'now'>,
  {
    id,
    event,
    indicators,
    isPersonal,
  }: { id: string; event: ThreatEvent; indicators: Indicators; isPersonal: boolean },
): Promise<Date> {
  const { workspaceId, environment, now } = context
  const content = stixOf(event, indicators, { id, modified: new Date(0), isPersonal })
  return versions.modifiedAt({
    workspaceId,
    environment,
    eventId: id,
    kind: isPersonal ? 'personal' : 'plain',
    contentHash: hash('sha256', JSON.stringify(content), 'base64url'),
    since: sinceOf(event, now),
    now,
  })
}
