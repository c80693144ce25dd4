import { refOf } from '../acts/entities.ts'
import { fieldsOf, isFields, opened, stringOf } from '../json.ts'
import type { Fields, Pane } from '../protocol.ts'
import type { Slack } from '../slack.ts'
import { ApiRefusal, type Args, isSet, type Method, optional, required, wrong } from './reply.ts'

/** https://docs.slack.dev/messaging/work-objects-implementation, and @slack/types 3.2 (November 2026). */
const TYPES = ['task', 'file', 'item', 'incident', 'content_item'].map((one) => `slack#/entities/${one}`)
const ACTIONS_AT_MOST = { primary_actions: 2, overflow_actions: 5 } as const
const AT_MOST = { action_id: 255, value: 2000 } as const

function actionFaults(actions: Fields): string[] {
  return Object.entries(ACTIONS_AT_MOST).flatMap(([kind, most]) => {
    const given = fieldsOf(actions[kind])
    const long = Object.entries(AT_MOST).flatMap(([field, length]) =>
      given.some((one) => (stringOf(one[field]) ?? '').length > length)
        ? [`${kind}: ${field} has more than ${length} characters`]
        : [],
    )
    return given.length > most ? [`${kind}: at most ${most}`, ...long] : long
  })
}

/** What is wrong with a work object, as sentences. */
export function entityFaults(manifest: Slack['manifest'], entity: Fields): string[] {
  const { entity_type: type, entity_payload: payload, url } = entity
  const attributes = isFields(payload) && isFields(payload.attributes) ? payload.attributes : {}
  const title = isFields(attributes.title) ? attributes.title.text : undefined
  const actions = isFields(payload) && isFields(payload.actions) ? payload.actions : {}
  return [
    ...(TYPES.includes(String(type)) ? [] : [`entity_type must be one of ${TYPES.join(', ')}`]),
    ...(manifest.entityTypes.includes(String(type))
      ? []
      : [
          'entity_type is not among features.rich_previews.entity_types of the manifest, or they are not active',
        ]),
    ...(refOf(entity) === '' ? ['missing required field: external_ref.id'] : []),
    ...(stringOf(url) ? [] : ['missing required field: url']),
    ...(stringOf(title) ? [] : ['missing required field: entity_payload.attributes.title.text']),
    ...actionFaults(actions),
  ]
}

function metadataOf(slack: Slack, args: Args, asked: string | undefined): Fields | null {
  if (args.metadata === undefined) return null
  const entity = opened(args.metadata)
  if (!isFields(entity)) throw new ApiRefusal('invalid_metadata')
  const faults = entityFaults(slack.manifest, entity)
  if (faults.length > 0) throw new ApiRefusal('invalid_metadata', faults)
  if (refOf(entity) !== asked) throw new ApiRefusal('entity_metadata_does_not_match_trigger')
  return entity
}

/** What one person can see of a work object (https://docs.slack.dev/reference/methods/entity.presentDetails, November 2026). */
const presentDetails: Method = (slack, args) => {
  const id = required(args, 'trigger_id')
  const metadata = metadataOf(slack, args, slack.tickets.entityOf(id))
  const error = opened(args.error)
  const authUrl = isSet(args.user_auth_required) ? (optional(args, 'user_auth_url') ?? '') : null
  if (metadata === null && !isFields(error) && authUrl === null)
    throw wrong('one of `metadata`, `error` and `user_auth_required` is needed')
  const trigger = slack.tickets.spendTrigger(id)
  if (typeof trigger === 'string' || trigger.entity === undefined) throw new ApiRefusal('invalid_trigger_id')
  const pane: Pane = { ref: trigger.entity, metadata, error: isFields(error) ? error : null, authUrl }
  slack.panes.set(trigger.user, pane)
  slack.log.append({ type: 'pane', pane }, [trigger.user])
  return {}
}

export const entityMethods: Record<string, Method> = { 'entity.presentDetails': presentDetails }
