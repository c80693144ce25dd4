import { listCommands } from '@signalman/slack'
import type { EntityMetadata, KnownBlock } from '@slack/types'
import { ENVIRONMENTS } from '../../domain/environment.ts'
import { ENTITY_TYPES } from '../../domain/optional-features.ts'

/** What a viewer may see of a work object. */
export interface Viewer {
  canSeePersonalData: boolean
  canDecide: boolean
}

interface EntityKind {
  /** The feature that the objects belong to. */
  feature: keyof typeof ENTITY_TYPES
  name: string
  /** Matches the lines of a card's buttons that lead to the object. Captures its ID. */
  linePattern: RegExp
  idPattern: RegExp
  /** The lines that show the object to a viewer, most important first. */
  buildLines(id: string, viewer: Viewer): string[]
}

/** The kinds of cards that can be opened in a pane. */
const ENTITY_KINDS: Readonly<Record<string, EntityKind>> = {
  order: {
    feature: 'cert-order',
    name: 'Certificate order',
    linePattern: /^\/cert-order show (\S+)/,
    idPattern: /^\d{1,15}$/,
    buildLines: (id) => [`/cert-order show ${id}`],
  },
  threat: {
    feature: 'threat',
    name: 'Threat event',
    linePattern: /^\/threat (?:case|details) (\S+)/,
    idPattern: /^[0-9A-Za-z-]{1,64}$/,
    // Only people who may see personal data can run `/threat case`. The audit log records each `/threat ID`, like a typed one.
    buildLines: (id, { canSeePersonalData }) =>
      canSeePersonalData ? [`/threat case ${id}`, `/threat ${id}`] : [`/threat ${id}`],
  },
}

export type Entity = NonNullable<ReturnType<typeof buildEntity>>

/** Slack requires a URL, but Signalman has no web pages. The domain never resolves (RFC 2606). */
const UNREACHABLE_URL = 'https://signalman.invalid'

function buildEntity(name: string, environmentName: string, id: string) {
  const kind = Object.hasOwn(ENTITY_KINDS, name) ? ENTITY_KINDS[name] : undefined
  const environment = ENVIRONMENTS.find((known) => known === environmentName)
  if (!kind?.idPattern.test(id) || !environment) return undefined
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
    /** The lines that show it to a viewer, as they would be typed. */
    buildLines: (viewer: Viewer) => kind.buildLines(id, viewer).map((line) => `${line}${flag}`),
    /** What Slack stores about the object: how to identify it, but none of its content. */
    metadata: {
      entity_type: ENTITY_TYPES[kind.feature],
      external_ref: { id: `${name}:${environment}:${id}`, type: name },
      url: `${UNREACHABLE_URL}/${name}/${environment}/${id}`,
      entity_payload: { attributes },
    } satisfies EntityMetadata,
  }
}

/** The object with the ID that Slack sends. */
export function parseEntityRef(ref: string): Entity | undefined {
  const [name = '', environment = '', id = '', ...more] = ref.split(':')
  return more.length > 0 ? undefined : buildEntity(name, environment, id)
}

const ENVIRONMENT = / --env (production|ote)(?= |$)/

/**
 * Finds the object that a card's buttons lead to; undefined for a message about none or several. The metadata identifies the
 * object and reveals nothing about it: its state is on the card, and in the pane of a person who opens it.
 */
export const createDescribeEntity =
  (disabledFeatures: ReadonlySet<string>) =>
  ({ blocks }: { blocks: readonly KnownBlock[] }): EntityMetadata | undefined => {
    const objects = listCommands(blocks)
      .flat()
      .flatMap(({ line }) => findEntity(line) ?? [])
      .filter(({ kind }) => !disabledFeatures.has(kind.feature))
    const [single, ...others] = new Map(
      objects.map(({ metadata }) => [metadata.external_ref.id, metadata]),
    ).values()
    return others.length > 0 ? undefined : single
  }

function findEntity(line: string): Entity | undefined {
  const environment = ENVIRONMENT.exec(line)?.[1] ?? 'production'
  for (const [name, { linePattern }] of Object.entries(ENTITY_KINDS)) {
    const id = linePattern.exec(line)?.[1]
    if (id !== undefined) return buildEntity(name, environment, id)
  }
  return undefined
}
