import { FieldErrors } from '@signalman/runtime'
import type { Answers } from '@signalman/slack'
import { PROTOCOLS } from '../../../bot/views/check-facts.ts'
import { ApiError } from '../../../service/errors.ts'
import { CHECK_FIELDS, FIELDS, readFields } from '../rules/fields.ts'

/**
 * The name of the field for the port once the protocol was changed. Slack keeps what stands in a field as long as it has
 * its name, so that the port could not follow its protocol otherwise.
 */
export const portFieldOf = (protocol = ''): string =>
  PROTOCOLS.some((known) => known === protocol) ? `port-${protocol.toLowerCase()}` : 'port'

/** The field for the port that a form was sent with. */
export const shownPortField = (answers: Pick<Answers, 'has'>): string =>
  PROTOCOLS.map(portFieldOf).find((field) => answers.has(field)) ?? 'port'

/** A form's answers, and the name that its field for the port had: what is wrong with the port is said there. */
export function readForm(answers: Answers) {
  const portField = shownPortField(answers)
  const typedIn = (field: string) => answers.text(field) ?? answers.choice(field)
  return { body: readFields(typedIn, portField), portField }
}

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
  const found = FIELDS.map((field) => ({ field, at: sentence.search(CHECK_FIELDS[field].named) })).filter(
    ({ at }) => at >= 0,
  )
  return found.reduce<(typeof found)[number] | undefined>(
    (first, next) => (first && first.at <= next.at ? first : next),
    undefined,
  )?.field
}
