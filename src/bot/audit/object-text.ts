import { clip } from '@signalman/slack'
import type { Grant } from '../../domain/roles.ts'
import type { AuditDetails } from '../routes/command-context.ts'

/** What an audit entry is about, as the one text that people search: `health-check 3f2a… (Shop) (OTE)`. `readObject` reads it. */
export function writeObject({ object, objectName, environment }: Omit<AuditDetails, 'verb'>): string {
  const notes = [objectName, environment === 'ote' && 'OTE']
  return [object, ...notes.filter(Boolean).map((note) => `(${note})`)].join(' ')
}

/** `share /hc list`. */
export const writeShared = (line: string): string => `share ${clip(line, 200)}`

/** `role operator of U0MEMBER01`. */
export const writeGrant = ({ role, subject }: Pick<Grant, 'role' | 'subject'>): string =>
  `role ${role} of ${subject.kind === 'everyone' ? 'everyone' : subject.id}`

const SHARED = /^share (\/.*)$/s
const GRANT = /^role ([a-z]+) of (everyone|[UWS][A-Z0-9]+)$/
/** A kind, IDs, a name, and the environment. */
const NAMED = /^([a-z -]+?)((?:,? (?:[0-9a-f]{8}-[0-9a-f-]{27}|[\w-]{22}))+)(?: \((.*?)\))??((?: \(OTE\))?)$/s

/** A shared line, a role, or something with a kind and IDs. */
type ReadObject =
  | { readonly line: string }
  | { readonly role: string; readonly subject: string }
  | { readonly kind: string; readonly name: string | undefined; readonly suffix: string }

/** Reads what `writeObject` has written. Undefined for a text of another kind. */
export function readObject(text: string): ReadObject | undefined {
  const [, line] = SHARED.exec(text) ?? []
  if (line !== undefined) return { line }
  const [, role, subject] = GRANT.exec(text) ?? []
  if (role !== undefined && subject !== undefined) return { role, subject }
  const [, kind, , name, suffix = ''] = NAMED.exec(text) ?? []
  return kind === undefined ? undefined : { kind, name, suffix }
}
