import { readExternalId } from '../changes/entities.ts'
import type { Fields } from '../protocol/json.ts'
import { asString, isFields, isTrue, objectsIn, parseEmbeddedJson } from '../protocol/json.ts'
import type { Pane } from '../protocol/protocol.ts'
import type { World } from '../state/world.ts'
import { values } from './arguments.ts'
import {
  ApiError,
  type Args,
  invalidArguments,
  type Method,
  optional,
  type RunMethod,
  required,
} from './method.ts'

/**
 * The types of work objects (https://docs.slack.dev/messaging/work-objects-implementation, and @slack/types 3.2; November 2026).
 */
const TYPES = ['task', 'file', 'item', 'incident', 'content_item'].map((type) => `slack#/entities/${type}`)
const MAX_ACTIONS = { primary_actions: 2, overflow_actions: 5 } as const
const MAX_LENGTHS = { action_id: 255, value: 2000 } as const

function findActionErrors(actions: Fields): string[] {
  return Object.entries(MAX_ACTIONS).flatMap(([kind, max]) => {
    const list = objectsIn(actions[kind])
    const tooLong = Object.entries(MAX_LENGTHS).flatMap(([field, length]) =>
      list.some((action) => (asString(action[field]) ?? '').length > length)
        ? [`${kind}: ${field} must have at most ${length} characters`]
        : [],
    )
    return list.length > max ? [`${kind}: at most ${max}`, ...tooLong] : tooLong
  })
}

/** Validates a work object. Returns an error message for each problem. */
export function findEntityErrors(manifest: World['manifest'], entity: Fields): string[] {
  const { entity_type: type, entity_payload: payload, url } = entity
  const attributes = isFields(payload) && isFields(payload.attributes) ? payload.attributes : {}
  const title = isFields(attributes.title) ? attributes.title.text : undefined
  const actions = isFields(payload) && isFields(payload.actions) ? payload.actions : {}
  return [
    ...(TYPES.includes(String(type)) ? [] : [`entity_type must be one of ${TYPES.join(', ')}`]),
    ...(manifest.entityTypes.includes(String(type))
      ? []
      : [
          "entity_type isn't in the manifest's features.rich_previews.entity_types, or rich previews aren't active",
        ]),
    ...(readExternalId(entity) === '' ? ['missing required field: external_ref.id'] : []),
    ...(asString(url) ? [] : ['missing required field: url']),
    ...(asString(title) ? [] : ['missing required field: entity_payload.attributes.title.text']),
    ...findActionErrors(actions),
  ]
}

function readMetadata(world: World, args: Args, triggerEntity: string | undefined): Fields | null {
  if (args.metadata === undefined) return null
  const entity = parseEmbeddedJson(args.metadata)
  if (!isFields(entity)) throw new ApiError('invalid_metadata')
  const errors = findEntityErrors(world.manifest, entity)
  if (errors.length > 0) throw new ApiError('invalid_metadata', errors)
  if (readExternalId(entity) !== triggerEntity) throw new ApiError('entity_metadata_does_not_match_trigger')
  return entity
}

/** Shows a work object's details to a person (https://docs.slack.dev/reference/methods/entity.presentDetails, November 2026). */
const presentDetails: RunMethod = ({ world, args }) => {
  const id = required(args, 'trigger_id')
  const metadata = readMetadata(world, args, world.tickets.findTriggerEntity(id))
  const error = parseEmbeddedJson(args.error)
  const authUrl = isTrue(args.user_auth_required) ? (optional(args, 'user_auth_url') ?? '') : null
  if (metadata === null && !isFields(error) && authUrl === null)
    throw invalidArguments('pass one of `metadata`, `error`, and `user_auth_required`')
  const trigger = world.tickets.redeemTrigger(id)
  if (typeof trigger === 'string' || trigger.entity === undefined) throw new ApiError('invalid_trigger_id')
  const { entity: ref, conversation: channel } = trigger
  const pane: Pane = { ref, channel, metadata, error: isFields(error) ? error : null, authUrl }
  world.panes.set(trigger.user, pane)
  world.log.append({ type: 'pane', pane }, [trigger.user])
  return {}
}

export const entityMethods: Record<string, Method> = {
  'entity.presentDetails': {
    args: values('trigger_id metadata error user_auth_required user_auth_url'),
    run: presentDetails,
  },
}
