import { allOptions } from '../elements.ts'
import { createId } from '../ids.ts'
import { isFields, objectsIn } from '../json.ts'
import type { StoredMessage } from '../messages.ts'

import { activeTeamId } from '../people.ts'
import type { Fields, InputValues, Outcome, Person, Post } from '../protocol.ts'
import {
  actor,
  createLookups,
  ERROR_SENTENCES,
  filledView,
  messageFields,
  Refused,
  type Slack,
} from '../slack.ts'
import { type Lookups, readState, stateValues } from '../values.ts'
import { channelFields } from './command.ts'
import { issueResponseUrl, sendInteraction, toOutcome, triggerFields } from './interaction.ts'
import { findSurface, findSurfaceElement, type UsedSurface } from './spot.ts'

/** The entry of `actions`: the element's fields that Slack repeats, and what was chosen. */
function actionEntry(slack: Slack, element: Fields, post: Post<'action'>, lookups: Lookups): Fields {
  const { type, text, placeholder, confirm, url, style, icon } = element
  const repeated = Object.fromEntries(
    Object.entries({ text, placeholder, confirm, url, style, icon }).filter(
      ([, value]) => value !== undefined,
    ),
  )
  // The filter above removed undefined values.
  const base = { ...(repeated as Fields), type: type ?? '', block_id: post.blockId, action_id: post.actionId }
  return { ...base, ...chosenFields(element, post, lookups), action_ts: slack.messages.nextTs() }
}

function chosenFields(element: Fields, post: Post<'action'>, found: Lookups): Fields {
  const pickedValue = typeof post.value === 'string' ? post.value : undefined
  if (element.type === 'overflow') {
    const option = allOptions(element).find(({ value }) => value === pickedValue)
    if (!option)
      throw new Refused('option_not_found', `"${pickedValue}" isn't an option of ${post.actionId}.`)
    return { selected_option: option }
  }
  if (element.type === 'feedback_buttons') {
    const pressed = [element.positive_button, element.negative_button]
      .filter(isFields)
      .find(({ value }) => value === pickedValue)
    if (!pressed)
      throw new Refused('option_not_found', `${post.actionId} has no button with the value "${pickedValue}".`)
    return { value: pressed.value ?? '', text: pressed.text ?? null }
  }
  const entered = post.value === undefined ? post.values?.[post.blockId]?.[post.actionId] : post.value
  const state = readState(element, entered, found)
  return state ?? (typeof element.value === 'string' ? { value: element.value } : {})
}

function enteredValues(post: Post<'action'>): InputValues {
  const entered = post.values ?? {}
  if (post.value === undefined) return entered
  return { ...entered, [post.blockId]: { ...entered[post.blockId], [post.actionId]: post.value } }
}

/**
 * The payload's `container` for an element in an attachment. For an unfurled link, the payload contains the app's unfurl instead of
 * the message. (https://docs.slack.dev/messaging/unfurling-links-in-messages, November 2026. Unknown: whether Slack includes the
 * person's message too; here it doesn't.)
 */
function messageContainer({ attachments = [] }: StoredMessage, blockId: string) {
  const at = attachments.findIndex(({ blocks }) => objectsIn(blocks).some((one) => one.block_id === blockId))
  const found = attachments[at]
  const isUnfurl = found?.is_app_unfurl === true
  if (!found) return { container: { type: 'message' }, replacement: undefined }
  return {
    container: {
      ...{ type: 'message_attachment', attachment_id: at + 1, is_app_unfurl: isUnfurl },
      ...(isUnfurl && { app_unfurl_url: found.from_url ?? '' }),
    },
    replacement: isUnfurl ? { app_unfurl: found } : undefined,
  }
}

function messagePayload(
  slack: Slack,
  person: Person,
  { message, blocks }: UsedSurface & { kind: 'message' },
  post: Post<'action'>,
  id: string,
): Fields {
  const { container, replacement } = messageContainer(message, post.blockId)
  return {
    container: {
      ...container,
      message_ts: message.ts,
      channel_id: message.channel,
      is_ephemeral: message.ephemeral,
      ...(message.threadTs && { thread_ts: message.threadTs }),
    },
    channel: channelFields(slack, message.channel),
    ...(replacement ?? (!message.ephemeral && { message: messageFields(slack, message) })),
    state: {
      values: stateValues(
        blocks,
        enteredValues(post),
        createLookups(slack, activeTeamId(person), message.channel),
      ),
    },
    response_url: issueResponseUrl(slack, 'actions', person, message, id),
  }
}

/** A person presses, chooses, or types into one element: `block_actions`. */
export async function pressElement(slack: Slack, post: Post<'action'>): Promise<Outcome> {
  const { views, log, messages } = slack
  const person = actor(slack, post.user)
  const surface = findSurface(slack, person, post.place)
  const element = findSurfaceElement(surface, post.blockId, post.actionId)
  const teamId = activeTeamId(person)
  const id = createId('Q')
  const seq = log.seq
  if (!slack.manifest.isInteractive) {
    const message = ERROR_SENTENCES.interactivity_off
    showFailure(slack, person, surface, message, null)
    return { ok: false, deliveryId: null, seq, error: 'interactivity_off', message }
  }
  const viewId = surface.kind === 'view' ? surface.view.id : null
  const channel =
    surface.kind === 'message' ? surface.message.channel : views.conversation(person.id, surface.view.id)
  const place =
    surface.kind === 'message'
      ? messagePayload(slack, person, surface, post, id)
      : {
          container: { type: 'view', view_id: surface.view.id },
          view: filledView(slack, person, surface.view, enteredValues(post)),
        }
  // Elements in a step's messages and views can complete the step; Bolt recognizes them by the run.
  const run = surface.kind === 'message' ? surface.message.run : views.run(surface.view.id)
  const payload = {
    type: 'block_actions',
    ...place,
    ...triggerFields(slack, { user: person.id, viewId, conversation: channel, cause: id }, run),
    actions: [actionEntry(slack, element, post, createLookups(slack, teamId, channel))],
  }
  const response = await sendInteraction(slack, person, payload, id)
  const outcome = toOutcome(response, seq)
  if (!outcome.ok) showFailure(slack, person, surface, outcome.message, id)
  else if (surface.kind === 'message' && surface.message.warning)
    messages.change(surface.message, { warning: null, cause: id })
  return outcome
}

/** Shows a failure: a warning sign on the message, a banner in the modal, or a notice above App Home. */
function showFailure(
  slack: Slack,
  person: Person,
  spot: UsedSurface,
  message: string,
  id: string | null,
): void {
  const { messages, views, log } = slack
  if (spot.kind === 'message') messages.change(spot.message, { warning: message, cause: id })
  else if (spot.view.type === 'modal') views.setBanner(person.id, spot.view.id, ERROR_SENTENCES.trouble)
  else log.append({ type: 'notice', text: message, cause: id }, [person.id])
}
