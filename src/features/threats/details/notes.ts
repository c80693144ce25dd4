import { grouped } from '../../../domain/wording.ts'
import type { ThreatEvent } from '../../../service/threat-event.ts'
import { safeLine } from '../defang.ts'
import type { RedactedEvent } from '../privacy/redact-event.ts'

const NAME = 150

/** Notes on what is kept back, and on an event other than the one that was asked for. */
export const notesOn = (redacted: RedactedEvent, asked: string): string[] => [
  ...keptBackNote(redacted),
  ...otherIdNote(redacted.event, asked),
]

function keptBackNote({ elsewhere }: RedactedEvent): string[] {
  if (elsewhere === 0) return []
  const where = elsewhere === 1 ? 'one other place' : `${grouped(elsewhere)} other places`
  return [`The owner of the domain is named in ${where} of this event, and is kept back there too.`]
}

/** The service may answer with an event of another id. */
export function otherIdNote({ id }: Pick<ThreatEvent, 'id'>, asked: string): string[] {
  if (!id || id.toLowerCase() === asked.toLowerCase()) return []
  return [`Asked for ${asked}; the service answered with an event whose own id is ${safeLine(id, NAME)}.`]
}
