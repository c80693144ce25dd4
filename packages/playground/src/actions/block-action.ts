import type { AppLink } from '../delivery/app-link.ts'
import { ERROR_MESSAGES } from '../delivery/errors.ts'
import { issueResponseUrl, sendInteraction, toOutcome, triggerFields } from '../delivery/interaction.ts'
import { channelFields } from '../payloads/channel.ts'
import { messageFields } from '../payloads/message.ts'
import { createLookups, filledView } from '../payloads/view.ts'
import type { InputValues } from '../protocol/answers.ts'
import { createId } from '../protocol/ids.ts'
import { type Fields, objectsIn } from '../protocol/json.ts'
import type { Outcome, Person, PostBody } from '../protocol/protocol.ts'
import { type Lookups, readState, stateValues } from '../rules/values/state-values.ts'
import { ActionError, findActor } from '../state/actors.ts'
import type { World } from '../state/world.ts'
import { findSurface, findSurfaceElement, type UsedSurface } from './surface.ts'

/** Builds the entry in the payload's `actions`: fields copied from the element, and the person's choice. */
function buildActionEntry(world: World, element: Fields, post: PostBody<'action'>, lookups: Lookups): Fields {
  const { type, text, placeholder, confirm, style } = element
  const copiedFields = Object.fromEntries(
    Object.entries({ text, placeholder, confirm, style }).filter(([, value]) => value !== undefined),
  )
  const base = {
    // Safe cast: the filter removed undefined values.
    ...(copiedFields as Fields),
    type: type ?? '',
    block_id: post.blockId,
    action_id: post.actionId,
  }
  return { ...base, ...readChosenFields(element, post, lookups), action_ts: world.messages.nextTs() }
}

function readChosenFields(element: Fields, post: PostBody<'action'>, lookups: Lookups): Fields {
  const pickedValue = typeof post.value === 'string' ? post.value : undefined
  if (element.type === 'overflow') {
    const option = objectsIn(element.options).find(({ value }) => value === pickedValue)
    if (!option)
      throw new ActionError('option_not_found', `"${pickedValue}" isn't an option of ${post.actionId}.`)
    return { selected_option: option }
  }
  const entered = post.value === undefined ? post.values?.[post.blockId]?.[post.actionId] : post.value
  const state = readState(element, entered, lookups)
  return state ?? (typeof element.value === 'string' ? { value: element.value } : {})
}

function collectValues(post: PostBody<'action'>): InputValues {
  const entered = post.values ?? {}
  if (post.value === undefined) return entered
  return { ...entered, [post.blockId]: { ...entered[post.blockId], [post.actionId]: post.value } }
}

function buildMessagePayload(
  world: World,
  person: Person,
  { message, blocks }: UsedSurface & { kind: 'message' },
  post: PostBody<'action'>,
  deliveryId: string,
): Fields {
  return {
    container: {
      type: 'message',
      message_ts: message.ts,
      channel_id: message.channel,
      is_ephemeral: message.ephemeral,
      ...(message.threadTs && { thread_ts: message.threadTs }),
    },
    channel: channelFields(world, message.channel),
    ...(!message.ephemeral && { message: messageFields(world, message) }),
    state: {
      values: stateValues(blocks, collectValues(post), createLookups(world, person)),
    },
    response_url: issueResponseUrl(world, 'actions', person, message, deliveryId),
  }
}

/** A person clicks a button, picks an option, or types into an input: sends `block_actions`. */
export async function sendBlockAction(
  world: World,
  link: AppLink,
  post: PostBody<'action'>,
): Promise<Outcome> {
  const { log, messages } = world
  const person = findActor(world, post.user)
  const surface = findSurface(world, person, post.surface)
  const element = findSurfaceElement(surface, post.blockId, post.actionId)
  const id = createId('Q')
  const seq = log.seq
  const viewId = surface.kind === 'view' ? surface.view.id : null
  const surfaceFields =
    surface.kind === 'message'
      ? buildMessagePayload(world, person, surface, post, id)
      : {
          container: { type: 'view', view_id: surface.view.id },
          view: filledView(world, person, surface.view, collectValues(post)),
        }
  const payload = {
    type: 'block_actions',
    ...surfaceFields,
    ...triggerFields(world, { user: person.id, viewId, cause: id }),
    actions: [buildActionEntry(world, element, post, createLookups(world, person))],
  }
  const response = await sendInteraction(world, link, person, payload, id)
  const outcome = toOutcome(response, seq)
  if (!outcome.ok) showFailure(world, person, surface, outcome.message, id)
  else if (surface.kind === 'message' && surface.message.warning)
    messages.change(surface.message, { warning: null, cause: id })
  return outcome
}

/** Tells the person that the action failed: with a warning on the message, a banner in the modal, or a notice above App Home. */
function showFailure(
  world: World,
  person: Person,
  surface: UsedSurface,
  message: string,
  cause: string,
): void {
  const { messages, views, log } = world
  if (surface.kind === 'message') messages.change(surface.message, { warning: message, cause })
  else if (surface.view.type === 'modal')
    views.setBanner(person.id, surface.view.id, ERROR_MESSAGES.connection_trouble)
  else log.append({ type: 'notice', text: message, cause }, [person.id])
}
