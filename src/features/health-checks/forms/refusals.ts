import { ApiError } from '../../../api/errors.ts'
import { FieldErrors } from '../../../errors.ts'

/** How a service may name what a field of the form holds, where a sentence is about it. */
const NAMES: readonly (readonly [field: string, pattern: RegExp])[] = [
  ['server-address', /\b(?:http[ _-]?)?server[ _-]?address\b/i],
  ['verify-ssl', /\bverify[ _-]?ssl\b|\bssl verification\b/i],
  ['customer', /\bcustomer(?:[ _-]?id)?\b/i],
  ['frequency', /\bfrequency\b|\binterval\b/i],
  ['protocol', /\bprotocol\b/i],
  ['port', /\bport\b/i],
  ['target', /\btarget\b/i],
  ['name', /\bname\b/i],
]

/**
 * A refusal of the service brought back to the fields that its sentences are about; what is about none stays beside them.
 * Any other error comes back as it was.
 */
export function atFields(error: unknown, portField: string): unknown {
  const isRefusal =
    error instanceof ApiError &&
    (error.kind === 'rejected' || error.kind === 'conflict') &&
    !error.mayHaveHappened
  if (!isRefusal) return error
  const fields: Record<string, string> = {}
  const rest: string[] = []
  for (const sentence of error.said) {
    const named = fieldOf(sentence)
    const field = named === 'port' ? portField : named
    if (field === undefined) rest.push(sentence)
    else fields[field] = [fields[field], sentence].filter(Boolean).join(' ')
  }
  return Object.keys(fields).length > 0 ? new FieldErrors(fields, rest) : error
}

/** “Customer 2000 has a health check of this name already”: what is taken is the name, whatever else is named. */
const TAKEN = /\b(?:already|taken|exists?|in use|unique|duplicate|another name)\b/i
const NAME = /\bname\b/i

/** The field that is named first: “target must not be given with this protocol” is about the target. */
function fieldOf(sentence: string): string | undefined {
  if (TAKEN.test(sentence) && NAME.test(sentence)) return 'name'
  const found = NAMES.map(([field, pattern]) => ({ field, at: sentence.search(pattern) })).filter(
    ({ at }) => at >= 0,
  )
  return found.reduce<(typeof found)[number] | undefined>(
    (first, next) => (first && first.at <= next.at ? first : next),
    undefined,
  )?.field
}
