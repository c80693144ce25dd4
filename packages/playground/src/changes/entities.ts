import type { AppLink } from '../delivery/app-link.ts'
import { sendChannelEvent, sendEvent } from '../delivery/events.ts'
import { sendInteraction, toOutcome } from '../delivery/interaction.ts'
import { createId } from '../protocol/ids.ts'
import type { Fields } from '../protocol/json.ts'
import { asString, isFields, objectsIn } from '../protocol/json.ts'
import type { Outcome, Person, PostBody } from '../protocol/protocol.ts'
import { ActionError, findActor } from '../state/actors.ts'
import type { StoredMessage } from '../state/stored.ts'
import type { World } from '../state/world.ts'

export const readExternalId = ({ external_ref }: Fields): string =>
  isFields(external_ref) ? (asString(external_ref.id) ?? '') : ''

/**
 * The entities of a message's metadata (work objects: https://docs.slack.dev/messaging/work-objects-implementation, November
 * 2026).
 */
const messageEntities = ({ metadata }: Pick<StoredMessage, 'metadata'>): Fields[] =>
  objectsIn(metadata?.entities)

function findEntity(
  world: World,
  person: Person,
  { channel, ts, ref }: Pick<PostBody<'entity'>, 'channel' | 'ts' | 'ref'>,
): [StoredMessage, Fields] {
  const message = world.messages.find(channel, ts)
  const isMember = world.people.channel(channel)?.members.includes(person.id)
  const entities = message && isMember ? messageEntities(message) : []
  const entity =
    ref === undefined ? entities[0] : entities.find((candidate) => readExternalId(candidate) === ref)
  if (!message || !entity)
    throw new ActionError('entity_not_found', `${person.name} can't see this work object in ${channel}.`)
  return [message, entity]
}

const issueEntityTrigger = (
  { tickets }: World,
  { id: user }: Person,
  conversation: string | null,
  cause: string,
  entity: Fields,
) => tickets.issueTrigger({ user, viewId: null, conversation, cause, entity: readExternalId(entity) })

const DETAILS_REQUESTED = 'entity_details_requested'

/**
 * A person opens a work object: sends `entity_details_requested`, so that the app can show its details. The channel and message are
 * missing if it was opened outside of a conversation (Slack's types, November 2026).
 */
export async function openEntity(world: World, link: AppLink, post: PostBody<'entity'>): Promise<Outcome> {
  const person = findActor(world, post.user)
  const [{ channel, ts, threadTs }, entity] = findEntity(world, person, post)
  const url = asString(entity.url) ?? ''
  world.panes.delete(person.id)
  const event = {
    user: person.id,
    external_ref: entity.external_ref ?? {},
    entity_url: url,
    link: { url, domain: URL.parse(url)?.hostname ?? '' },
    trigger_id: issueEntityTrigger(world, person, post.outside ? null : channel, createId('Q'), entity),
    user_locale: 'en-US',
  }
  if (post.outside) return sendEvent(world, link, DETAILS_REQUESTED, person.id, event)
  const location = { channel, message_ts: ts, ...(threadTs && { thread_ts: threadTs }) }
  return sendChannelEvent(
    world,
    link,
    DETAILS_REQUESTED,
    { channel, user: person.id },
    { ...event, ...location },
  )
}

const entityActions = ({ entity_payload: payload }: Fields): Fields[] => {
  const actions = isFields(payload) && isFields(payload.actions) ? payload.actions : {}
  return [...objectsIn(actions.primary_actions), ...objectsIn(actions.overflow_actions)]
}

/**
 * A person clicks an action of a work object, on its card or in its pane: sends `block_actions`.
 * (https://docs.slack.dev/messaging/work-objects-implementation, November 2026, documents only the payload's `container`.)
 */
export async function pressEntityAction(
  world: World,
  link: AppLink,
  post: PostBody<'entity-action'>,
): Promise<Outcome> {
  const person = findActor(world, post.user)
  const [{ ts }, cardEntity] = findEntity(world, person, post)
  const pane = post.inPane ? world.panes.get(person.id) : undefined
  const entity = post.inPane ? (pane?.metadata ?? {}) : cardEntity
  const channel = pane ? pane.channel : post.channel
  const action = entityActions(entity).find(({ action_id, text }) => [action_id, text].includes(post.action))
  if (!action) throw new ActionError('element_not_found', `The work object has no action "${post.action}".`)
  const id = createId('Q')
  const { seq } = world.log
  const payload = {
    type: 'block_actions',
    container: {
      type: post.inPane ? 'entity_detail' : 'message_attachment',
      ...(channel !== null && { channel_id: channel, message_ts: ts }),
      entity_url: entity.url ?? '',
      external_ref: entity.external_ref ?? {},
    },
    ...(channel !== null && { channel: { id: channel, name: world.people.channel(channel)?.name ?? '' } }),
    trigger_id: issueEntityTrigger(world, person, channel, id, entity),
    actions: [
      {
        type: 'button',
        action_id: action.action_id ?? '',
        block_id: '',
        value: action.value ?? '',
        text: { type: 'plain_text', text: action.text ?? '' },
        action_ts: world.messages.nextTs(),
      },
    ],
  }
  return toOutcome(await sendInteraction(world, link, person, payload, id), seq)
}
