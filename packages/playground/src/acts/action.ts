import { optionsOf } from '../elements.ts'
import { createId } from '../ids.ts'
import { fieldsOf, isFields } from '../json.ts'
import type { Stored } from '../messages.ts'

import { seatOf } from '../people.ts'
import type { Fields, InputValues, Outcome, Person, Post } from '../protocol.ts'
import { actor, filledView, lookups, messageFields, Refused, SENTENCES, type Slack } from '../slack.ts'
import { type Lookups, readElement, stateValues } from '../values.ts'
import { channelFields } from './command.ts'
import { answerUrl, outcomeOf, tellInteraction, triggerFields } from './interaction.ts'
import { elementOf, type Spot, spotOf } from './spot.ts'

/** The entry of `actions`: the fields of the element that Slack repeats, and what was chosen. */
function actionEntry(slack: Slack, element: Fields, post: Post<'action'>, found: Lookups): Fields {
  const { type, text, placeholder, confirm, url, style, icon } = element
  const repeated = Object.fromEntries(
    Object.entries({ text, placeholder, confirm, url, style, icon }).filter(
      ([, value]) => value !== undefined,
    ),
  )
  // The filter above removed what was undefined.
  const base = { ...(repeated as Fields), type: type ?? '', block_id: post.blockId, action_id: post.actionId }
  return { ...base, ...chosen(element, post, found), action_ts: slack.messages.nextTs() }
}

function chosen(element: Fields, post: Post<'action'>, found: Lookups): Fields {
  const picked = typeof post.value === 'string' ? post.value : undefined
  if (element.type === 'overflow') {
    const option = optionsOf(element).find(({ value }) => value === picked)
    if (!option)
      throw new Refused('option_not_found', `"${picked}" is not among the options of ${post.actionId}.`)
    return { selected_option: option }
  }
  if (element.type === 'feedback_buttons') {
    const pressed = [element.positive_button, element.negative_button]
      .filter(isFields)
      .find(({ value }) => value === picked)
    if (!pressed)
      throw new Refused('option_not_found', `${post.actionId} has no button with the value "${picked}".`)
    return { value: pressed.value ?? '', text: pressed.text ?? null }
  }
  const touched = post.value === undefined ? post.values?.[post.blockId]?.[post.actionId] : post.value
  const state = readElement(element, touched, found)
  return state ?? (typeof element.value === 'string' ? { value: element.value } : {})
}

function withChosen(post: Post<'action'>): InputValues {
  const touched = post.values ?? {}
  if (post.value === undefined) return touched
  return { ...touched, [post.blockId]: { ...touched[post.blockId], [post.actionId]: post.value } }
}

/**
 * The attachment that contains the element, as the payload's container names it. For an unfurled link, what the app has said
 * about it replaces the message. (https://docs.slack.dev/messaging/unfurling-links-in-messages, November 2026. Not settled:
 * whether the person's message is included too; here it isn't.)
 */
function within({ attachments = [] }: Stored, blockId: string) {
  const at = attachments.findIndex(({ blocks }) => fieldsOf(blocks).some((one) => one.block_id === blockId))
  const found = attachments[at]
  const isUnfurl = found?.is_app_unfurl === true
  if (!found) return { container: { type: 'message' }, instead: undefined }
  return {
    container: {
      ...{ type: 'message_attachment', attachment_id: at + 1, is_app_unfurl: isUnfurl },
      ...(isUnfurl && { app_unfurl_url: found.from_url ?? '' }),
    },
    instead: isUnfurl ? { app_unfurl: found } : undefined,
  }
}

function messagePayload(
  slack: Slack,
  person: Person,
  { message, blocks }: Spot & { kind: 'message' },
  post: Post<'action'>,
  id: string,
): Fields {
  const { container, instead } = within(message, post.blockId)
  return {
    container: {
      ...container,
      message_ts: message.ts,
      channel_id: message.channel,
      is_ephemeral: message.ephemeral,
      ...(message.threadTs && { thread_ts: message.threadTs }),
    },
    channel: channelFields(slack, message.channel),
    ...(instead ?? (!message.ephemeral && { message: messageFields(slack, message) })),
    state: { values: stateValues(blocks, withChosen(post), lookups(slack, seatOf(person), message.channel)) },
    response_url: answerUrl(slack, 'actions', person, message, id),
  }
}

/** A person presses, chooses, or types into one element: `block_actions`. */
export async function act(slack: Slack, post: Post<'action'>): Promise<Outcome> {
  const { views, log, messages } = slack
  const person = actor(slack, post.user)
  const spot = spotOf(slack, person, post.place)
  const element = elementOf(spot, post.blockId, post.actionId)
  const teamId = seatOf(person)
  const id = createId('Q')
  const seq = log.seq
  if (!slack.manifest.isInteractive) {
    const message = SENTENCES.interactivity_off
    showTrouble(slack, person, spot, message, null)
    return { ok: false, deliveryId: null, seq, error: 'interactivity_off', message }
  }
  const viewId = spot.kind === 'view' ? spot.view.id : null
  const channel = spot.kind === 'message' ? spot.message.channel : views.conversation(person.id, spot.view.id)
  const place =
    spot.kind === 'message'
      ? messagePayload(slack, person, spot, post, id)
      : {
          container: { type: 'view', view_id: spot.view.id },
          view: filledView(slack, person, spot.view, withChosen(post)),
        }
  // What belongs to a step can complete it; Bolt recognizes it by this.
  const run = spot.kind === 'message' ? spot.message.run : views.run(spot.view.id)
  const payload = {
    type: 'block_actions',
    ...place,
    ...triggerFields(slack, { user: person.id, viewId, conversation: channel, cause: id }, run),
    actions: [actionEntry(slack, element, post, lookups(slack, teamId, channel))],
  }
  const told = await tellInteraction(slack, person, payload, id)
  const outcome = outcomeOf(told, seq)
  if (!outcome.ok) showTrouble(slack, person, spot, outcome.message, id)
  else if (spot.kind === 'message' && spot.message.warning)
    messages.change(spot.message, { warning: null, cause: id })
  return outcome
}

/** A warning sign on a message, a banner in a modal, a notice above Home. */
function showTrouble(slack: Slack, person: Person, spot: Spot, message: string, id: string | null): void {
  const { messages, views, log } = slack
  if (spot.kind === 'message') messages.change(spot.message, { warning: message, cause: id })
  else if (spot.view.type === 'modal') views.setBanner(person.id, spot.view.id, SENTENCES.trouble)
  else log.append({ type: 'notice', text: message, cause: id }, [person.id])
}
