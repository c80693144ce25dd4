import {
  type Audit,
  type AuditEntryRow,
  type Database,
  findRows,
  type RowProofs,
  rowsIn,
  type Schema,
  shownValue,
} from '@signalman/durable'
import { DAY_MS, MINUTE_MS } from '@signalman/runtime'
import type { Kysely } from 'kysely'
import type { Stored } from '../stored.ts'
import type { RoleGrantRow } from '../workspaces/tables.ts'

type Told = Readonly<Record<string, unknown>>

interface ToldSetting {
  /** Under which the log tells of it. */
  readonly objects: readonly string[]
  /** The value in a row of the log, and the stored one in that form. */
  readonly value: (told: Told) => unknown
  readonly stored?: (value: Told) => unknown
}

/** The settings that decide something. */
const SETTINGS: Readonly<Record<string, ToldSetting>> = {
  'audit.kept-days': {
    objects: ['how long the audit log is kept'],
    value: ({ days }) => (days === 'for ever' ? 0 : days),
  },
  'sharing.open-channels': {
    objects: ['shared channels that may show threat events and orders'],
    value: (told) => told,
  },
  'threats.kept-days': { objects: ['threat events that were read'], value: ({ days }) => days },
  'cert-orders.policy': {
    objects: ['order policy'],
    value: (policy) => policy,
  },
}
const KEYS = new Map(
  Object.entries(SETTINGS).flatMap(([key, { objects }]) => objects.map((object) => [object, key])),
)
const KEPT_DAYS = 'audit.kept-days'
const GIVING = ['', '-open', '-grant'].map((end) => `/hc access${end}`).concat('/hc grant')
const TELLING = { verbs: [...GIVING, 'audit.retention', 'workspace.erase'], objects: [...KEYS.keys()] }

/** What the rows of one log say, one after the other. */
interface Telling {
  /** By setting, the value that the last act gave it, if one did, and those of acts that had begun after it. */
  readonly settings: Map<string, { done: unknown; isDone: boolean; begun: unknown[] }>
  /** For how many days rows were kept before the first row that sets it. */
  daysBefore: number | undefined
  readonly removals: { sequence: number; at: string; olderThan: string; days: number | undefined }[]
  /** By role and subject, until when it was given at most; null where it has no end. */
  readonly grants: Map<string, string | null>
  /** Rows of such acts from which a person was erased: what they gave is not known. */
  hasErased: boolean
  hasRemoval: boolean
}

/** A sentence for each row that decides something and that somebody has put in, changed, put back or deleted past the app. */
export async function* writtenPastTheApp(
  { audit, forgedRows, untold }: Pick<Stored, 'audit' | 'forgedRows' | 'untold'>,
  now: Date,
): AsyncGenerator<string> {
  yield* forgedRows()
  for (const workspaceId of await audit.workspaces()) {
    const found = await untold(workspaceId, now)
    // An admin may have saved something between two looks: what is so stays so.
    const again = found.length > 0 ? await untold(workspaceId, now) : []
    yield* found.filter((one) => again.includes(one))
  }
}

/**
 * Compares what is stored of roles and settings with what the log says was given and set: finds what was deleted past the app, what
 * was put back as it once was, and rows that were removed although they were to be kept. A sentence for each.
 */
export async function untoldRows(
  database: Pick<Database, 'kind' | 'reading'>,
  { audit, proofs }: { audit: Pick<Audit, 'head' | 'oldest'>; proofs: RowProofs },
  workspaceId: string,
  now: Date,
): Promise<string[]> {
  const head = await audit.head(workspaceId)
  if (!head) return []
  const { reading } = database
  const stored = await storedSettings(reading, proofs, workspaceId)
  const telling: Telling = {
    settings: new Map(),
    daysBefore: undefined,
    removals: [],
    grants: new Map(),
    hasErased: false,
    hasRemoval: false,
  }
  for await (const page of findRows(database, { workspaceId, among: TELLING }, 'asc'))
    for (const row of page) hear(telling, row)
  const isWhole = head.keptFrom === 1
  const first = isWhole ? undefined : (await audit.oldest([workspaceId])).get(workspaceId)?.toISOString()
  const isUntold = !isWhole && !telling.hasRemoval
  const grants = (await rowsIn(reading, 'role_grant', { workspace_id: workspaceId }).execute())
    .filter((row) => proofs.isGenuine('role_grant', row))
    .filter(({ ends_at }) => ends_at === null || ends_at > now.toISOString())
  return [
    ...(isUntold ? [`rows before row ${head.keptFrom} were removed, and no row of the log says so`] : []),
    ...removedTooSoon(telling, stored),
    ...untoldSettings(telling, stored, isWhole),
    ...untoldGrants(telling, grants, first, now),
  ].map((fault) => `${workspaceId}: ${fault}`)
}

function removedTooSoon({ removals, daysBefore }: Telling, stored: ReadonlyMap<string, unknown>): string[] {
  return removals.flatMap(({ sequence, at, olderThan, days: known }) => {
    const days = known ?? daysBefore ?? Number(stored.get(KEPT_DAYS) ?? 0)
    const until = Date.parse(at) - days * DAY_MS + MINUTE_MS
    if (days > 0 && Date.parse(olderThan) <= until) return []
    const words = days === 0 ? 'for ever' : `for ${days} days`
    return [`row ${sequence} removed rows up to ${olderThan}, which were to be kept ${words}`]
  })
}

function untoldSettings(
  { settings }: Telling,
  stored: ReadonlyMap<string, unknown>,
  isWhole: boolean,
): string[] {
  const others = [...settings].filter(([key, { done, isDone, begun }]) => {
    const is = auditText(stored.get(key))
    return isDone && ![done, ...begun].some((value) => auditText(value) === is)
  })
  const untold = isWhole ? [...stored.keys()].filter((key) => !settings.has(key)) : []
  return [
    ...others.map(
      ([key]) => `setting "${key}" is not what the log says was saved last: it was put back or deleted`,
    ),
    ...untold.map((key) => `setting "${key}" was saved, and no row of the log says so`),
  ]
}

function untoldGrants(
  { grants, hasErased }: Telling,
  stored: readonly RoleGrantRow[],
  first: string | undefined,
  now: Date,
): string[] {
  const names = new Set(stored.map(grantName))
  const given = stored.flatMap((row) => {
    const name = grantName(row)
    const until = grants.get(name)
    // Who gave it may be in a row that was removed since, or that a person was erased from.
    if (until === undefined)
      return hasErased || (first !== undefined && row.granted_at < first)
        ? []
        : [`no row of the log gave the role ${name}, or one took it since`]
    const isLonger = until !== null && (row.ends_at === null || row.ends_at > until)
    return isLonger ? [`the role ${name} lasts longer than any row of the log gave it`] : []
  })
  const gone = [...grants].filter(
    ([name, until]) => !names.has(name) && (until === null || until > now.toISOString()),
  )
  return [...given, ...gone.map(([name]) => `the role ${name} is gone, and no row of the log took it`)]
}

const grantName = ({ role, subject_kind, subject_id }: RoleGrantRow): string =>
  `${role} of ${subject_kind} ${subject_id}`

/** Sorted, as the log keeps values. */
const auditText = (value: unknown): string =>
  JSON.stringify(value, (_, part) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  ) ?? 'nothing'

async function storedSettings(
  rows: Kysely<Schema>,
  proofs: RowProofs,
  workspaceId: string,
): Promise<ReadonlyMap<string, unknown>> {
  const own = rowsIn(rows, 'setting', { workspace_id: workspaceId })
  const found = await own.where('key', 'in', Object.keys(SETTINGS)).execute()
  const genuine = found.filter((row) => proofs.isGenuine('setting', row))
  return new Map(
    genuine.map(({ key, value }) => {
      const read = JSON.parse(value)
      return [key, SETTINGS[key]?.stored?.(Object(read)) ?? read]
    }),
  )
}

function hear(telling: Telling, row: AuditEntryRow): void {
  const { verb, object, outcome } = row
  if (verb === 'workspace.erase') telling.hasRemoval = true
  if (outcome !== 'done' && outcome !== 'begun') return
  const told = Object(shownValue(row.after ?? 'null')) as Told
  if (verb === 'audit.retention') {
    const kept = telling.settings.get(KEPT_DAYS)
    const days = kept?.isDone ? Number(kept.done) : undefined
    telling.hasRemoval = true
    telling.removals.push({ sequence: row.sequence, at: row.at, olderThan: String(told.olderThan), days })
    return
  }
  if (GIVING.includes(verb)) {
    if (object === null) telling.hasErased = true
    else hearGrant(telling, row, object, told)
  }
  const key = object === null ? undefined : KEYS.get(object)
  if (key !== undefined) hearSetting(telling, key, row, told)
}

function hearSetting(
  telling: Telling,
  key: string,
  { before: former, outcome }: AuditEntryRow,
  told: Told,
): void {
  const value = SETTINGS[key]?.value(told)
  const before = SETTINGS[key]?.value(Object(shownValue(former ?? 'null')))
  if (key === KEPT_DAYS) telling.daysBefore ??= Number(before ?? 0)
  const known = telling.settings.get(key) ?? { done: undefined, isDone: false, begun: [] }
  if (outcome === 'done') telling.settings.set(key, { done: value, isDone: true, begun: [] })
  else telling.settings.set(key, { ...known, begun: [...known.begun, value] })
}

function hearGrant({ grants }: Telling, row: AuditEntryRow, object: string, told: Told): void {
  const give = (name: string, until: unknown): void => {
    const known = grants.get(name)
    const end = typeof until === 'string' ? until : null
    if (known === null) return
    // This verb alone shortens what somebody has, and tells exactly until when they have it.
    const isExact = row.verb === '/hc grant' && row.outcome === 'done'
    grants.set(name, isExact || end === null || known === undefined || end > known ? end : known)
  }
  const [, role = ''] = /^role ([a-z]+)/.exec(object) ?? []
  if (typeof told.person === 'string') give(`${String(told.role)} of user ${told.person}`, told.until)
  if (row.verb !== '/hc access' || role === '') return
  const before = subjectsOf(Object(shownValue(row.before ?? 'null')))
  const after = subjectsOf(told)
  for (const name of after) if (!before.includes(name)) give(`${role} of ${name}`, told.addedUntil)
  if (row.outcome === 'done')
    for (const name of before) if (!after.includes(name)) grants.delete(`${role} of ${name}`)
}

/** As the form of `/hc access` tells of who has a role. */
function subjectsOf({ people, groups, everyone }: Told): string[] {
  const ids = (list: unknown, kind: string) => (Array.isArray(list) ? list.map((id) => `${kind} ${id}`) : [])
  return [...ids(people, 'user'), ...ids(groups, 'group'), ...(everyone === true ? ['everyone *'] : [])]
}
