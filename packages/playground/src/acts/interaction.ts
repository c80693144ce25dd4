import type { Told } from '../delivery/line.ts'
import type { Stored } from '../messages.ts'
import { seatOf } from '../people.ts'
import type { Fields, Outcome, Person } from '../protocol.ts'
import { payloadBase, SENTENCES, type Slack } from '../slack.ts'

/**
 * Sends a person's interaction, of its payload's type: as JSON in the form field `payload`. `id` when the payload refers
 * to itself.
 */
export function tellInteraction(
  slack: Slack,
  person: Person,
  given: Fields & { type: string },
  id?: string,
): Promise<Told> {
  const payload = { ...payloadBase(slack, person), ...given }
  const telling = {
    kind: given.type,
    user: person.id,
    contentType: 'application/x-www-form-urlencoded' as const,
    body: new URLSearchParams({ payload: JSON.stringify(payload) }).toString(),
    readable: payload,
  }
  return slack.line.tell(telling, id)
}

/** What became of it, as its person is told. */
export function outcomeOf({ verdict, delivery }: Told, seq: number): Outcome {
  const deliveryId = delivery.id
  if (verdict === 'ok') return { ok: true, deliveryId, seq }
  return { ok: false, deliveryId, seq, error: verdict, message: SENTENCES[verdict] }
}

/** A `response_url` to a message that somebody acts on. */
export function answerUrl(
  { tickets, url }: Slack,
  kind: 'actions' | 'app',
  person: Person,
  { channel, ts, threadTs }: Stored,
  cause: string,
): string {
  const target = {
    user: person.id,
    channel,
    original: ts,
    threadTs: threadTs === ts ? null : threadTs,
    cause,
  }
  return url() + tickets.issueResponsePath(kind, seatOf(person), target)
}
