import { FieldErrors } from '@signalman/runtime'
import type { Answers } from '@signalman/slack'
import { PROTOCOLS } from '../../../bot/views/check-facts.ts'
import { ApiError } from '../../../service/errors.ts'
import type { HealthCheckBody } from '../../../service/health-checks.ts'
import { CHECK_FIELDS, FIELDS, findUrlPort, readTyped } from '../rules/fields.ts'

/**
 * The name of the port field for a protocol. Slack keeps a field's value while its name stays the same, so showing another default
 * port needs another name.
 */
export const portFieldName = (protocol = ''): string =>
  PROTOCOLS.some((each) => each === protocol) ? `port-${protocol.toLowerCase()}` : 'port'

/** The port field that was submitted. */
export const findPortField = (answers: Pick<Answers, 'has'>): string =>
  PROTOCOLS.map(portFieldName).find((field) => answers.has(field)) ?? 'port'

/** Parses a form's answers. Also returns the name of its port field, for errors about the port. Throws FieldErrors. */
export function readForm(answers: Answers) {
  const portField = findPortField(answers)
  const typed = FIELDS.flatMap((field) => {
    const name = field === 'port' ? portField : field
    const answer = answers.text(name) ?? answers.choice(name)
    // An empty address follows DNS.
    if (answer === undefined && field === 'httpServerAddress') return []
    return answers.has(name) ? [[field, answer ?? '']] : []
  })
  try {
    const { httpServerAddress, ...body } = readTyped(Object.fromEntries(typed))
    // Cast: the form asks for every required field.
    return {
      body: { ...body, ...(httpServerAddress && { httpServerAddress }) } as HealthCheckBody,
      portField,
    }
  } catch (error) {
    if (!(error instanceof FieldErrors)) throw error
    const { port, ...fields } = error.fields
    throw new FieldErrors({ ...fields, ...(port && { [portField]: port }) })
  }
}

/** Throws FieldErrors if the target is a URL that names another port than the port field. */
export function refusePortConflict({ body, portField }: ReturnType<typeof readForm>): void {
  const urlPort = findUrlPort(body.target)
  if (urlPort !== undefined && urlPort !== body.port)
    throw new FieldErrors({
      [portField]: `The target says port ${urlPort}. Which one is right? Enter ${urlPort} here, or change the target.`,
    })
}

/**
 * Turns a refusal by the service into field errors. Each sentence of the service goes to the field that it mentions. Returns any
 * other error unchanged.
 */
export function toFieldErrors(error: unknown, portField: string): unknown {
  const isRefusal =
    error instanceof ApiError &&
    (error.kind === 'rejected' || error.kind === 'conflict') &&
    !error.mayHaveHappened
  if (!isRefusal) return error
  const fields: Record<string, string> = {}
  const rest: string[] = []
  for (const sentence of error.serviceMessages) {
    const named = findNamedField(sentence)
    const field = named === 'port' ? portField : named
    if (field === undefined) rest.push(sentence)
    else fields[field] = [fields[field], sentence].filter(Boolean).join(' ')
  }
  return Object.keys(fields).length > 0 ? new FieldErrors(fields, rest) : error
}

/** “Customer 2000 has a health check of this name already” is about the name, although it also mentions the customer. */
const NAME_TAKEN = /\b(?:already|taken|exists?|in use|unique|duplicate|another name)\b/i
const NAME = /\bname\b/i

/** Finds the field that a sentence mentions first: “target must not be given with this protocol” is about the target. */
function findNamedField(sentence: string): string | undefined {
  if (NAME_TAKEN.test(sentence) && NAME.test(sentence)) return 'name'
  const mentions = FIELDS.map((field) => ({ field, index: sentence.search(CHECK_FIELDS[field].mention) }))
  const [first] = mentions
    .filter(({ index }) => index >= 0)
    .toSorted((left, right) => left.index - right.index)
  return first?.field
}
