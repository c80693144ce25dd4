import { commandsIn } from '@signalman/slack'
import type { EntityMetadata, KnownBlock } from '@slack/types'
import { ENVIRONMENTS } from '../../domain/environment.ts'
import { ENTITY_TYPES } from '../../domain/optional-features.ts'

/** What decides how much of a work object somebody sees. */
export interface Viewer {
  seesPersonal: boolean
  decides: boolean
}

interface Kind {
  /** Whose things they are. */
  feature: keyof typeof ENTITY_TYPES
  name: string
  /** The lines on a card that lead to it, with its id. */
  leads: RegExp
  id: RegExp
  /** The lines that show it to somebody, what matters most first. */
  lines(id: string, viewer: Viewer): string[]
}

/** What has a card that can be opened beside the conversation. */
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
    // One of them reads the event at the service, which the audit log has a row of.
    lines: (id, { seesPersonal }) =>
      seesPersonal ? [`/threat case ${id}`, `/threat ${id}`] : [`/threat ${id}`],
  },
}

export type Entity = NonNullable<ReturnType<typeof buildEntity>>

/** An address that leads nowhere, for certain (RFC 2606): Slack wants one, and Signalman has no pages. */
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
    /** Those that show it to somebody, wherever they are typed again. */
    lines: (viewer: Viewer) => kind.lines(id, viewer).map((line) => `${line}${flag}`),
    /** All that Slack holds of it: no content. */
    metadata: {
      entity_type: ENTITY_TYPES[kind.feature],
      external_ref: { id: `${name}:${environment}:${id}`, type: name },
      url: `${NOWHERE}/${name}/${environment}/${id}`,
      entity_payload: { attributes },
    } satisfies EntityMetadata,
  }
}

/** The one that Slack names, as it was given to it. */
export function entityNamed(ref: string): Entity | undefined {
  const [name = '', environment = '', id = '', ...more] = ref.split(':')
  return more.length > 0 ? undefined : buildEntity(name, environment, id)
}

const ENVIRONMENT = / --env (production|ote)(?= |$)/

/**
 * The one thing that a card's own buttons lead to; undefined for a message about none or about several. It says which thing that is and
 * nothing of it: what becomes of the thing is on the card, and in the pane of whoever opens it.
 */
export const createEntityFactory =
  (leftOut: ReadonlySet<string>) =>
  ({ blocks }: { blocks: readonly KnownBlock[] }): EntityMetadata | undefined => {
    const led = commandsIn(blocks)
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
