import type { Line, Told } from '../delivery/line.ts'
import type { Fields } from '../protocol.ts'

/** Sends an interaction: its payload as JSON in the form field `payload`. `id` when the payload refers to itself. */
export function tellInteraction(
  line: Line,
  kind: string,
  user: string,
  payload: Fields,
  id?: string,
): Promise<Told> {
  const telling = {
    kind,
    user,
    contentType: 'application/x-www-form-urlencoded' as const,
    body: new URLSearchParams({ payload: JSON.stringify(payload) }).toString(),
    readable: payload,
  }
  return line.tell(telling, id)
}
