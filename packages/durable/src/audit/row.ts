import { createHash, randomBytes } from 'node:crypto'
import type { Transaction } from 'kysely'
import { StoreError } from '../database/errors.ts'
import { jsonText } from '../database/json.ts'
import type { AuditEntryRow, AuditOutcome, Schema } from '../database/schema.ts'

/** One act, as the caller describes it. */
export interface AuditEvent {
  readonly workspaceId: string
  readonly at: Date
  readonly actor: { readonly userId: string; readonly teamId?: string | undefined }
  readonly channelId?: string | undefined
  /** What was done, e.g. "parcel.delete"; `search` can find all verbs with the same part before the dot. */
  readonly verb: string
  /** The object of the act, as a person would name it. */
  readonly object?: string | undefined
  /** JSON, free of secrets. */
  readonly before?: unknown
  /** JSON, free of secrets. */
  readonly after?: unknown
  readonly outcome: AuditOutcome
  /** The request's reference, as in the logs. */
  readonly reference: string
}

/** One row of the log. */
export interface AuditEntry extends AuditEvent {
  /** Its number in the workspace's chain, from 1. */
  readonly sequence: number
  /** SHA-256, base64url, over every column and the hash of the row before. */
  readonly hash: string
}

/** Appends rows to the audit log in the caller's transaction. */
export type AppendAudit = (
  transaction: Transaction<Schema>,
  auditEvents: readonly AuditEvent[],
) => Promise<void>

/** A row that is not yet in a chain. */
export type UnchainedRow = Omit<AuditEntryRow, 'sequence' | 'previous_hash' | 'hash'> & { salt: string }

const SALT_BYTES = 16

/** Cleans, clips and checks. Throws StoreError `bad-value`. */
export function unchainedRow(auditEvent: AuditEvent): UnchainedRow {
  if (auditEvent.workspaceId === '')
    throw new StoreError('bad-value', 'A row of the audit log needs a workspace.')
  if (Number.isNaN(auditEvent.at.getTime())) {
    throw new StoreError('bad-value', 'A row of the audit log needs a valid time.')
  }
  return {
    workspace_id: auditEvent.workspaceId,
    at: auditEvent.at.toISOString(),
    user_id: auditText(auditEvent.actor.userId),
    team_id: textOrNull(auditEvent.actor.teamId),
    channel_id: textOrNull(auditEvent.channelId),
    verb: auditText(auditEvent.verb),
    object: textOrNull(auditEvent.object),
    before: auditEvent.before === undefined ? null : auditJson(auditEvent.before),
    after: auditEvent.after === undefined ? null : auditJson(auditEvent.after),
    outcome: auditEvent.outcome,
    reference: auditText(auditEvent.reference),
    salt: randomBytes(SALT_BYTES).toString('base64url'),
    sealed_erasure: null,
  }
}

function textOrNull(text: string | undefined): string | null {
  return text === undefined ? null : auditText(text)
}

/** The row's hash: over the previous one and all its other columns, as a JSON array in a fixed order. */
export function hashOf(row: Omit<AuditEntryRow, 'hash' | 'sealed_erasure'>): string {
  const content = [
    row.previous_hash,
    row.workspace_id,
    row.sequence,
    row.at,
    row.user_id,
    row.team_id,
    row.channel_id,
    row.verb,
    row.object,
    row.before,
    row.after,
    row.outcome,
    row.reference,
    row.salt,
  ]
  return createHash('sha256').update(JSON.stringify(content)).digest('base64url')
}

export function entryOf(row: AuditEntryRow): AuditEntry {
  return {
    workspaceId: row.workspace_id,
    sequence: row.sequence,
    at: new Date(row.at),
    actor: { userId: row.user_id, ...(row.team_id !== null && { teamId: row.team_id }) },
    ...(row.channel_id !== null && { channelId: row.channel_id }),
    verb: row.verb,
    ...(row.object !== null && { object: row.object }),
    ...(row.before !== null && { before: shownValue(row.before) }),
    ...(row.after !== null && { after: shownValue(row.after) }),
    outcome: row.outcome,
    reference: row.reference,
    hash: row.hash,
  }
}

/** A damaged value in the database is shown as the text that it is. */
export function shownValue(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return json
  }
}

const MOST_CHARACTERS = 2000
/** Enough for a list of a few hundred email addresses. */
const MOST_JSON_CHARACTERS = 20_000
const MOST_LEVELS = 32

/** The last word of a key, in camelCase, snake_case or kebab-case, in the singular or the plural. */
const SECRET_KEY = /(?:^|[^a-z]|(?<=[a-z])(?=[A-Z]))(?:token|secret|csr|password)s?$/i

/**
 * A text as both databases give it back: no NUL, no half of a surrogate pair. One of more than 2,000 characters is
 * clipped, with a note of its length.
 */
export function auditText(text: string): string {
  const clean = text.toWellFormed().replaceAll('\0', '\ufffd')
  if (clean.length <= MOST_CHARACTERS) return clean
  const half = /[\ud800-\udbff]$/
  return `${clean.slice(0, MOST_CHARACTERS).replace(half, '')}… (clipped: ${clean.length} characters)`
}

/**
 * A value as JSON with sorted keys. Texts in it of more than 2,000 characters are clipped, and so is the whole of more
 * than 20,000: it is a text then. Throws StoreError `bad-value` for what JSON cannot hold, for more than 32 levels,
 * and for a text, number, list or object under a key whose last word is token, secret, csr or password.
 */
export function auditJson(value: unknown): string {
  // Through JSON and back: dates, classes and undefined become plain values.
  const json = JSON.stringify(canonical(JSON.parse(jsonText(value, 'A value in the audit log')), 1))
  return json.length <= MOST_JSON_CHARACTERS ? json : JSON.stringify(auditText(json))
}

function canonical(value: unknown, level: number): unknown {
  if (typeof value === 'string') return auditText(value)
  if (typeof value !== 'object' || value === null) return value
  if (level > MOST_LEVELS) {
    throw new StoreError('bad-value', `A value in the audit log has more than ${MOST_LEVELS} levels.`)
  }
  if (Array.isArray(value)) return value.map((item) => canonical(item, level + 1))
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  for (const [key, item] of entries) refuseSecret(key, item)
  return Object.fromEntries(entries.map(([key, item]) => [auditText(key), canonical(item, level + 1)]))
}

/** A log may say whether there is a token, but not the token. */
function refuseSecret(key: string, value: unknown): void {
  if (value === null || typeof value === 'boolean' || !SECRET_KEY.test(key)) return
  throw new StoreError(
    'bad-value',
    `The audit log keeps no secrets, and "${auditText(key)}" names one: leave it out, or say true.`,
  )
}
