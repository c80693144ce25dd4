import { hash } from 'node:crypto'
import type { Requester } from '../../../bot/routes/command-context.ts'
import type { ThreatEvent } from '../../../service/threat-event.ts'
import type { ThreatVersions } from '../rows/versions.ts'
import type { Indicators } from './indicators.ts'
import { createdOf, type StixFrame, stixOf, type Versioned } from './stix.ts'

/** The latest past time that the event itself names: before it the content was another. */
function sinceOf(event: ThreatEvent, now: Date): Date {
  const created = new Date(createdOf(event))
  const named = [...(event.comments ?? []).map(({ date }) => date), event.observedData?.whois?.updatedDate]
  return named.reduce<Date>((latest, date) => (date && date > latest && date <= now ? date : latest), created)
}

/** When each kind of object in an export became what it is: the same for equal content, later for newer content. */
export async function modifiedOf(
  versions: ThreatVersions,
  context: Pick<Requester, 'workspaceId' | 'environment' | 'now'>,
  {
    id,
    event,
    indicators,
    isPersonal,
  }: { id: string; event: ThreatEvent; indicators: Indicators; isPersonal: boolean },
): Promise<StixFrame['modified']> {
  const { workspaceId, environment, now } = context
  const modified = { indicator: '', 'observed-data': '' }
  const { objects } = stixOf(event, indicators, { id, modified, isPersonal })
  const modifiedAt = async (type: Versioned) => {
    // What else an indicator says is in its id.
    const one = objects.find((object) => object.type === type)
    const at = await versions.modifiedAt({
      workspaceId,
      environment,
      eventId: id,
      kind: `${isPersonal ? 'personal' : 'plain'} ${type}`,
      contentHash: hash(
        'sha256',
        JSON.stringify([one?.created, one?.description, one?.object_refs]),
        'base64url',
      ),
      since: sinceOf(event, now),
      now,
    })
    return at.toISOString()
  }
  return { indicator: await modifiedAt('indicator'), 'observed-data': await modifiedAt('observed-data') }
}
