import type { Told } from '../delivery/line.ts'
import { createSecret } from '../ids.ts'
import type { RunToken } from '../installs.ts'
import type { Stored } from '../messages.ts'
import { seatOf } from '../people.ts'
import type { Fields, Outcome, Person } from '../protocol.ts'
import { payloadBase, SENTENCES, type Slack } from '../slack.ts'
import type { Trigger } from '../tickets.ts'

const SHORTCUTS: readonly string[] = ['shortcut', 'message_action']

/** Sends a person's interaction as JSON in the form field `payload`. `id` if the payload refers to itself. */
export function tellInteraction(
  slack: Slack,
  person: Person,
  given: Fields & { type: string },
  id?: string,
): Promise<Told> {
  const { api_app_id, ...base } = payloadBase(slack, person)
  // Slack's shortcuts don't name the app.
  const payload = { ...base, ...(!SHORTCUTS.includes(given.type) && { api_app_id }), ...given }
  const telling = {
    kind: given.type,
    user: person.id,
    contentType: 'application/x-www-form-urlencoded' as const,
    body: new URLSearchParams({ payload: JSON.stringify(payload) }).toString(),
    readable: payload,
  }
  return slack.line.tell(telling, id)
}

/**
 * What an interaction opens a view with. In a message or a view of a step, it is an `interactivity_pointer` instead of the
 * `trigger_id`. (https://github.com/slackapi/node-slack-sdk/pull/1526, November 2026)
 */
export function triggerFields({ tickets }: Slack, trigger: Trigger, run: RunToken | undefined): Fields {
  const id = tickets.issueTrigger(trigger)
  if (!run) return { trigger_id: id }
  const interactor = { id: trigger.user, secret: createSecret() }
  return { ...run, interactivity: { interactor, interactivity_pointer: id } }
}

/** The outcome, as the person is told. */
export function outcomeOf({ verdict, delivery }: Told, seq: number): Outcome {
  const deliveryId = delivery.id
  if (verdict === 'ok') return { ok: true, deliveryId, seq }
  return { ok: false, deliveryId, seq, error: verdict, message: SENTENCES[verdict] }
}

/** A `response_url` for a message that someone interacts with. */
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
