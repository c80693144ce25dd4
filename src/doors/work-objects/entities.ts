import { listCommands } from '@signalman/slack'
import type { EntityMetadata, KnownBlock } from '@slack/types'
import { ENVIRONMENTS } from '../../domain/environment.ts'
import { ENTITY_TYPES } from '../../domain/optional-features.ts'

/** Determines how much of a work object someone sees. */
export interface Viewer {
  seesPersonal: boolean
  decides: boolean
}

interface Kind {
  /** The workspace and environment of the objects. */
  feature: keyof typeof ENTITY_TYPES
  name: string
  /** The lines on a card that lead to it, with its ID. */
  leads: RegExp
  id: RegExp
  /** The lines that show it to someone, most important first. */
  lines(id: string, viewer: Viewer): string[]
}

/** The kinds of cards that can be opened in a pane. */
const KINDS: Readonly<Record<string, Kind>> = {
  order: {
    feature: 'cert-order',
    name: 'Certificate order',
    leads: /^\/cert-order (?:show|csr) (\S+)/,
    id: /^\d{1,15}$/,
    lines: (id, { decides }) => [`/cert-order show ${id}`, ...(decides ? [`/cert-order csr ${id}`] : [])],
  },
  threat: {
    feature: 'threat',
    name: 'Threat event',
    leads: /^\/threat (?:case|details) (\S+)/,
    id: /^[0-9A-Za-z-]{1,64}$/,
    // One of them reads the event from the service, which the audit log records.
    lines: (id, { seesPersonal }) =>
      seesPersonal ? [`/threat case ${id}`, `/threat ${id}`] : [`/threat ${id}`],
  },
}

export type Entity = NonNullable<ReturnType<typeof buildEntity>>

/** A URL that certainly never resolves (RFC 2606): Slack requires one, and Signalman has no web pages. */
const NOWHERE = 'https://signalman.invalid'

function buildEntity(name: string, where: string, id: string) {
  const kind = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined
  const environment = ENVIRONMENTS.find((one) => one === where)
  if (!kind?.id.test(id) || !environment) return undefined
  const attributes = {
    title: { text: `${kind.name} ${id}` },
    display_type: kind.name,
    display_id: id,
    product_name: 'Signalman',
  }
  const flag = environment === 'production' ? '' : ` --env ${environment}`
  return {
    kind,
    environment,
    /** The lines that show it to someone, as they would be typed. */
    lines: (viewer: Viewer) => kind.lines(id, viewer).map((line) => `${line}${flag}`),
    /** Everything that Slack stores of it: no content. */
    metadata: {
      entity_type: ENTITY_TYPES[kind.feature],
      external_ref: { id: `${name}:${environment}:${id}`, type: name },
      url: `${NOWHERE}/${name}/${environment}/${id}`,
      entity_payload: { attributes },
    } satisfies EntityMetadata,
  }
}

/** The object that Slack names, as it was registered. */
export function entityNamed(ref: string): Entity | undefined {
  const [name = '', environment = '', id = '', ...more] = ref.split(':')
  return more.length > 0 ? undefined : buildEntity(name, environment, id)
}

const ENVIRONMENT = / --env (production|ote)(?= |$)/

/**
 * The one object that a card's own buttons lead to; undefined for a message about none or several. Identifies the object and
 * reveals nothing of it: its state is on the card, and in the pane of the person who opens it.
 */
export const createEntityFactory =
  (leftOut: ReadonlySet<string>) =>
  ({ blocks }: { blocks: readonly KnownBlock[] }): EntityMetadata | undefined => {
    const led = listCommands(blocks)
      .flat()
      .flatMap(({ line }) => ledTo(line) ?? [])
      .filter(({ kind }) => !leftOut.has(kind.feature))
    const [only, ...others] = new Map(
      led.map(({ metadata }) => [metadata.external_ref.id, metadata]),
    ).values()
    return others.length > 0 ? undefined : only
  }

function ledTo(line: string): Entity | undefined {
  const environment = ENVIRONMENT.exec(line)?.[1] ?? 'production'
  for (const [name, { leads }] of Object.entries(KINDS)) {
    const id = leads.exec(line)?.[1]
    if (id !== undefined) return buildEntity(name, environment, id)
  }
  return undefined
}
