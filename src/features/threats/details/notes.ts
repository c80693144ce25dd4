import type { ThreatEvent } from '../../../api/threat-event.ts'
import { grouped } from '../../../domain/wording.ts'
import { safeLine } from '../defang.ts'
import type { Impersonal } from '../privacy/keep-back.ts'

const NAME = 150

/** What there is to say about what is not shown, or is not what was asked for. */
export const notesOn = (seen: Impersonal, asked: string): string[] => [
  ...keptBackNote(seen),
  ...otherIdNote(seen.event, asked),
]

function keptBackNote({ elsewhere }: Impersonal): string[] {
  if (elsewhere === 0) return []
  const where = elsewhere === 1 ? 'one other place' : `${grouped(elsewhere)} other places`
  return [`The owner of the domain is named in ${where} of this event, and is kept back there too.`]
}

/** The service may answer with an event of another id than the one that was asked for. */
export function otherIdNote({ id }: Pick<ThreatEvent, 'id'>, asked: string): string[] {
  if (!id || id.toLowerCase() === asked.toLowerCase()) return []
  return [`Asked for ${asked}; the service answered with an event whose own id is ${safeLine(id, NAME)}.`]
}
