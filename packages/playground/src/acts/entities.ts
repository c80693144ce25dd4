import { createId } from '../ids.ts'
import { fieldsOf, isFields, stringOf } from '../json.ts'
import type { Stored } from '../messages.ts'
import type { Fields, Outcome, Person, Post } from '../protocol.ts'
import { actor, Refused, type Slack } from '../slack.ts'
import { announceIn } from './announce.ts'
import { outcomeOf, tellInteraction } from './interaction.ts'

export const refOf = ({ external_ref }: Fields): string =>
  isFields(external_ref) ? (stringOf(external_ref.id) ?? '') : ''

/** The entities of a message's metadata (work objects: https://docs.slack.dev/messaging/work-objects-implementation, November 2026). */
export const entitiesOf = ({ metadata }: Pick<Stored, 'metadata'>): Fields[] => fieldsOf(metadata?.entities)

function entityAt(slack: Slack, person: Person, { channel, ts, ref }: Post<'entity'>): [Stored, Fields] {
  const message = slack.messages.find(channel, ts)
  const isIn = slack.people.channel(channel)?.members.includes(person.id)
  const all = message && isIn ? entitiesOf(message) : []
  const entity = ref === undefined ? all[0] : all.find((one) => refOf(one) === ref)
  if (!message || !entity)
    throw new Refused('entity_not_found', `${person.name} sees no such work object in ${channel}.`)
  return [message, entity]
}

const triggerOf = (
  { tickets }: Slack,
  { id: user }: Person,
  conversation: string,
  cause: string,
  of: Fields,
) => tickets.issueTrigger({ user, viewId: null, conversation, cause, entity: refOf(of) })

/** A person opens a work object: the app is asked what this person can see of it. */
export async function openEntity(slack: Slack, post: Post<'entity'>): Promise<Outcome> {
  const person = actor(slack, post.user)
  const [{ channel, ts, threadTs }, entity] = entityAt(slack, person, post)
  const url = stringOf(entity.url) ?? ''
  slack.panes.delete(person.id)
  const trigger_id = triggerOf(slack, person, channel, createId('Q'), entity)
  return announceIn(
    slack,
    'entity_details_requested',
    { channel, user: person.id },
    {
      ...{ user: person.id, external_ref: entity.external_ref ?? {}, entity_url: url },
      link: { url, domain: URL.parse(url)?.hostname ?? '' },
      ...{ trigger_id, user_locale: 'en-US', channel, message_ts: ts },
      ...(threadTs && { thread_ts: threadTs }),
    },
  )
}

const actionsIn = ({ entity_payload: payload }: Fields): Fields[] => {
  const actions = isFields(payload) && isFields(payload.actions) ? payload.actions : {}
  return [...fieldsOf(actions.primary_actions), ...fieldsOf(actions.overflow_actions)]
}

/**
 * A person presses an action of a work object, on its card or in its pane: `block_actions`. (The containers are named in
 * https://docs.slack.dev/messaging/work-objects-implementation; not settled: which further fields a payload has.)
 */
export async function pressEntity(slack: Slack, post: Post<'entity-action'>): Promise<Outcome> {
  const person = actor(slack, post.user)
  const [{ channel, ts }, onCard] = entityAt(slack, person, post)
  const entity = post.inPane ? (slack.panes.get(person.id)?.metadata ?? {}) : onCard
  const action = actionsIn(entity).find(({ action_id, text }) => [action_id, text].includes(post.action))
  if (!action) throw new Refused('element_not_found', `The work object has no action "${post.action}".`)
  const id = createId('Q')
  const { seq } = slack.log
  const payload = {
    type: 'block_actions',
    container: {
      ...{ type: post.inPane ? 'entity_detail' : 'message_attachment', channel_id: channel, message_ts: ts },
      ...{ entity_url: entity.url ?? '', external_ref: entity.external_ref ?? {} },
    },
    channel: { id: channel, name: slack.people.channel(channel)?.name ?? '' },
    trigger_id: triggerOf(slack, person, channel, id, entity),
    actions: [
      {
        ...{ type: 'button', action_id: action.action_id ?? '', block_id: '', value: action.value ?? '' },
        ...{ text: { type: 'plain_text', text: action.text ?? '' }, action_ts: slack.messages.nextTs() },
      },
    ],
  }
  return outcomeOf(await tellInteraction(slack, person, payload, id), seq)
}
