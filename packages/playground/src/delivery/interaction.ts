import { payloadBase } from '../payloads/payload.ts'
import type { Fields } from '../protocol/json.ts'
import { activeTeamId } from '../protocol/people.ts'
import type { Outcome, Person } from '../protocol/protocol.ts'
import type { StoredMessage } from '../state/stored.ts'
import type { Trigger } from '../state/tickets.ts'
import type { World } from '../state/world.ts'
import type { AppLink, AppResponse } from './app-link.ts'
import { ERROR_MESSAGES } from './errors.ts'

/** Sends a person's interaction as JSON in the form field `payload`. Pass `id` if the payload refers to its own delivery. */
export function sendInteraction(
  world: World,
  link: AppLink,
  person: Person,
  fields: Fields & { type: string },
  id?: string,
): Promise<AppResponse> {
  const { api_app_id, ...base } = payloadBase(world, person)
  // A shortcut's payload doesn't contain the app's ID.
  const payload = { ...base, ...(fields.type !== 'message_action' && { api_app_id }), ...fields }
  const request = {
    kind: fields.type,
    user: person.id,
    contentType: 'application/x-www-form-urlencoded' as const,
    body: new URLSearchParams({ payload: JSON.stringify(payload) }).toString(),
    payload,
  }
  return link.request(request, id)
}

/** The field that lets the app open a view. */
export const triggerFields = ({ tickets }: World, trigger: Trigger): Fields => ({
  trigger_id: tickets.issueTrigger(trigger),
})

/** Converts the app's response to the action's outcome. A failed outcome includes an error message for the person. */
export function toOutcome({ verdict, delivery }: AppResponse, seq: number): Outcome {
  const deliveryId = delivery.id
  if (verdict === 'ok') return { ok: true, deliveryId, seq }
  return { ok: false, deliveryId, seq, error: verdict, message: ERROR_MESSAGES[verdict] }
}

/** Issues a `response_url` for the message that a person used. */
export function issueResponseUrl(
  { tickets, url }: World,
  kind: 'actions' | 'app',
  person: Person,
  { channel, ts, threadTs }: StoredMessage,
  cause: string,
): string {
  const target = {
    user: person.id,
    channel,
    original: ts,
    threadTs: threadTs === ts ? null : threadTs,
    cause,
  }
  return url() + tickets.issueResponsePath(kind, activeTeamId(person), target)
}
