import { useEffect } from 'react'
import type { Fields, Json } from '../protocol/json.ts'
import { asString, isFields, objectsIn, textIn } from '../protocol/json.ts'
import type { PostBody } from '../protocol/protocol.ts'
import { Button } from './button.tsx'
import { clockTime, dayName } from './chat/times.ts'
import { channelName, personName, useDirectory } from './directory.ts'
import { Each } from './each.ts'
import { useActions, usePage, useShowFailure } from './page.ts'
import { Facts, Panel } from './panel.tsx'
import { SafeLink } from './text/inline-view.tsx'

/** Identifies a work object by its message and its external ID. */
export type EntityLocation = Omit<PostBody<'entity'>, 'user'>

const getObject = (value: Json | undefined, name: string): Fields => {
  const property = isFields(value) ? value[name] : undefined
  return isFields(property) ? property : {}
}

export const externalId = (entity: Fields): string => asString(getObject(entity, 'external_ref').id) ?? ''

/** Returns a function that looks up a channel's name. It hides the names of channels that the person can't see. */
function useChannelName(): (id: string) => string {
  const directory = useDirectory()
  const { joinable = [] } = usePage().state.snapshot
  return (id) => {
    const joinableChannel = joinable.find((candidate) => candidate.id === id)
    return (
      channelName(directory, id) ??
      (joinableChannel ? `#${joinableChannel.name}` : 'a channel that you aren’t in')
    )
  }
}

/** Returns a function that formats a work object's field (`message-metadata` in @slack/types 3.2, November 2026) as text. */
function useFieldText(): (field: Fields) => string {
  const directory = useDirectory()
  const channelLabel = useChannelName()
  return ({ value, type, user }) => {
    const person = isFields(user) ? user : getObject(value, 'user')
    const id = asString(person.user_id)
    if (id !== undefined) return personName(directory, id) ?? id
    if (type === 'slack#/types/channel_id') return channelLabel(String(value))
    if (typeof value !== 'number' || !String(type).endsWith('timestamp'))
      return typeof value === 'string' ? value : JSON.stringify(value ?? person.text ?? '')
    const date = new Date(value * 1000)
    return `${dayName(date)}, ${clockTime(date)}`
  }
}

function EntityFacts({ payload }: { payload: Fields }) {
  const formatField = useFieldText()
  const standardFields = Object.entries(getObject(payload, 'fields'))
  const customFields = objectsIn(payload.custom_fields).map((field): [string, Json] => [
    String(field.key),
    field,
  ])
  const order = Array.isArray(payload.display_order) ? payload.display_order : []
  const orderIndex = (key: string) => (order.includes(key) ? order.indexOf(key) : order.length)
  const sortedFields = [...standardFields, ...customFields].toSorted(
    ([leftKey], [rightKey]) => orderIndex(leftKey) - orderIndex(rightKey),
  )
  const facts = sortedFields.flatMap(([key, field]) => {
    if (!isFields(field)) return []
    const name = asString(field.label) ?? key.replaceAll('_', ' ')
    return [{ name, value: formatField(field), isLong: field.long === true }]
  })
  return <Facts facts={facts} />
}

function EntityActions({
  payload,
  location,
  inPane,
}: {
  payload: Fields
  location: EntityLocation
  inPane: boolean
}) {
  const { client } = useActions()
  const showFailure = useShowFailure()
  const { primary_actions, overflow_actions } = getObject(payload, 'actions')
  const actions = [...objectsIn(primary_actions), ...objectsIn(overflow_actions)]
  if (actions.length === 0) return null
  return (
    <div className="actions">
      <Each of={actions}>
        {({ text, action_id, style }) => (
          <Button
            className={`button small ${asString(style) ?? ''}`}
            onClick={() =>
              void client.entityAction({ ...location, action: String(action_id), inPane }).then(showFailure)
            }
          >
            {String(text)}
          </Button>
        )}
      </Each>
    </div>
  )
}

function EntityView({
  entity,
  location,
  inPane,
}: {
  entity: Fields
  location: EntityLocation
  inPane: boolean
}) {
  const payload = getObject(entity, 'entity_payload')
  const attributes = getObject(payload, 'attributes')
  const title = textIn(attributes.title) || String(entity.url)
  // Omits labels that the title already contains.
  const labels = [attributes.display_type, attributes.display_id, attributes.product_name].filter(
    (label) => typeof label === 'string' && !title.includes(label),
  )
  return (
    <>
      {labels.length > 0 && <p className="soft">{labels.join(' · ')}</p>}
      <p className="card-title">
        <SafeLink url={asString(entity.url) ?? ''}>{title}</SafeLink>
      </p>
      <EntityFacts payload={payload} />
      <EntityActions payload={payload} location={location} inPane={inPane} />
    </>
  )
}

/** The card of a work object in a message. Its details open in a panel. */
export function EntityCard({ entity, location }: { entity: Fields; location: EntityLocation }) {
  const { dispatch } = useActions()
  return (
    <article className="card" aria-label="Work object">
      <EntityView entity={entity} location={location} inPane={false} />
      <Button
        className="plain-link"
        onClick={() => dispatch({ type: 'panel', panel: { kind: 'entity', location } })}
      >
        Open details
      </Button>
    </article>
  )
}

/** A work object's details. The page requests them from the app when a person opens the work object. */
export function EntityPane({ location }: { location: EntityLocation }) {
  const { state, client } = usePage()
  const { pane } = state.snapshot
  const showFailure = useShowFailure()
  const { channel, ts, ref } = location
  // biome-ignore lint/correctness/useExhaustiveDependencies: requests the details once per opened work object
  useEffect(() => void client.entity(location).then(showFailure), [channel, ts, ref])
  const currentPane = pane?.ref === ref ? pane : undefined
  const { metadata, error, authUrl } = currentPane ?? {}
  return (
    <Panel
      title="Details"
      label="Work object"
      closeLabel="Close the work object"
      bodyLabel="Details of the work object"
    >
      {!currentPane && <p role="status">Loading details from the app…</p>}
      {metadata && <EntityView entity={metadata} location={location} inPane />}
      {error && (
        <p role="alert">
          <strong>{asString(error.custom_title) ?? asString(error.status)}</strong>{' '}
          {asString(error.custom_message)}
        </p>
      )}
      {authUrl !== null && authUrl !== undefined && (
        <p>
          <SafeLink url={authUrl}>Log in to the app</SafeLink> to see the details.
        </p>
      )}
    </Panel>
  )
}
