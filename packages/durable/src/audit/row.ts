import type { Transaction } from 'kysely'
import { StoreError } from '../database/errors.ts'
import { jsonText } from '../database/json.ts'
import type { AuditEntryRow, AuditOutcome, Schema } from '../database/schema.ts'

/** An audit event, as described by the caller. */
export interface AuditEvent {
  readonly workspaceId: string
  readonly at: Date
  readonly actor: { readonly userId: string; readonly teamId?: string | undefined }
  readonly channelId?: string | undefined
  /** What was done, such as "parcel.delete". `search` can find all verbs with the same first part. */
  readonly verb: string
  /** The name of the object, as a person would write it. */
  readonly object?: string | undefined
  /** JSON without secrets. */
  readonly before?: unknown
  /** JSON without secrets. */
  readonly after?: unknown
  readonly outcome: AuditOutcome
  /** The request's reference, as in the application log. */
  readonly reference: string
}

/** A row of the audit log. */
export interface AuditEntry extends AuditEvent {
  /** The row's number. Later rows have higher numbers. */
  readonly sequence: number
}

/** Appends a row to the audit log in the caller's transaction. */
export type AppendAudit = (transaction: Transaction<Schema>, auditEvent: AuditEvent) => Promise<void>

/** A row that has no number yet. */
export type NewRow = Omit<AuditEntryRow, 'sequence'>

/** Cleans, clips, and validates an event. Throws StoreError `bad-value`. */
export function toRow(auditEvent: AuditEvent): NewRow {
  if (auditEvent.workspaceId === '') throw new StoreError('bad-value', 'An audit event needs a workspace.')
  if (Number.isNaN(auditEvent.at.getTime())) {
    throw new StoreError('bad-value', 'An audit event needs a valid time.')
  }
  return {
    workspace_id: auditEvent.workspaceId,
    at: auditEvent.at.toISOString(),
    user_id: toAuditText(auditEvent.actor.userId),
    team_id: textOrNull(auditEvent.actor.teamId),
    channel_id: textOrNull(auditEvent.channelId),
    verb: toAuditText(auditEvent.verb),
    object: textOrNull(auditEvent.object),
    before: auditEvent.before === undefined ? null : toAuditJson(auditEvent.before),
    after: auditEvent.after === undefined ? null : toAuditJson(auditEvent.after),
    outcome: auditEvent.outcome,
    reference: toAuditText(auditEvent.reference),
  }
}

function textOrNull(text: string | undefined): string | null {
  return text === undefined ? null : toAuditText(text)
}

export function toEntry(row: AuditEntryRow): AuditEntry {
  return {
    workspaceId: row.workspace_id,
    sequence: row.sequence,
    at: new Date(row.at),
    actor: { userId: row.user_id, ...(row.team_id !== null && { teamId: row.team_id }) },
    ...(row.channel_id !== null && { channelId: row.channel_id }),
    verb: row.verb,
    ...(row.object !== null && { object: row.object }),
    ...(row.before !== null && { before: parseShownValue(row.before) }),
    ...(row.after !== null && { after: parseShownValue(row.after) }),
    outcome: row.outcome,
    reference: row.reference,
  }
}

/** If the stored JSON is damaged, show it as text. */
function parseShownValue(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return json
  }
}

const MAX_CHARACTERS = 2000
/** Enough for a list of a few hundred email addresses. */
const MAX_JSON_CHARACTERS = 20_000
const MAX_LEVELS = 32

/** Matches the last word of a key in camelCase, snake_case, or kebab-case, singular or plural. */
const SECRET_KEY = /(?:^|[^a-z]|(?<=[a-z])(?=[A-Z]))(?:token|secret|csr|password)s?$/i

/**
 * Normalizes a text so that both databases return it unchanged: no NUL, no unpaired surrogates. Texts longer than 2,000
 * characters are clipped, with a note of their length.
 */
export function toAuditText(text: string): string {
  const clean = text.toWellFormed().replaceAll('\0', '\ufffd')
  if (clean.length <= MAX_CHARACTERS) return clean
  const unpairedSurrogate = /[\ud800-\udbff]$/
  return `${clean.slice(0, MAX_CHARACTERS).replace(unpairedSurrogate, '')}… (clipped: ${clean.length} characters)`
}

/**
 * Formats a value as JSON with sorted keys. Clips texts in it to 2,000 characters, and the whole to 20,000, in which case the
 * result is a string. Throws StoreError `bad-value` for values that aren't JSON, for more than 32 levels, and for a text, number,
 * list, or object under a key whose last word is token, secret, csr, or password.
 */
export function toAuditJson(value: unknown): string {
  // Through JSON and back, so that dates, classes, and undefined become plain values.
  const json = JSON.stringify(canonicalize(JSON.parse(jsonText(value, 'A value in the audit log')), 1))
  return json.length <= MAX_JSON_CHARACTERS ? json : JSON.stringify(toAuditText(json))
}

function canonicalize(value: unknown, level: number): unknown {
  if (typeof value === 'string') return toAuditText(value)
  if (typeof value !== 'object' || value === null) return value
  if (level > MAX_LEVELS) {
    throw new StoreError('bad-value', `A value in the audit log has more than ${MAX_LEVELS} levels.`)
  }
  if (Array.isArray(value)) return value.map((item) => canonicalize(item, level + 1))
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  for (const [key, item] of entries) refuseSecret(key, item)
  return Object.fromEntries(entries.map(([key, item]) => [toAuditText(key), canonicalize(item, level + 1)]))
}

/** A boolean is fine: the log may say whether there is a token, but may not contain the token. */
function refuseSecret(key: string, value: unknown): void {
  if (value === null || typeof value === 'boolean' || !SECRET_KEY.test(key)) return
  throw new StoreError(
    'bad-value',
    `The audit log can’t contain secrets, and "${toAuditText(key)}" is named like one. Leave it out, or pass true instead of its value.`,
  )
}
