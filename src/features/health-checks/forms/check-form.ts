import { FieldErrors } from '@signalman/runtime'
import type { Answers } from '@signalman/slack'
import { ApiError } from '../../../service/errors.ts'
import type { HealthCheckBody } from '../../../service/health-checks.ts'
import { CHECK_FIELDS, FIELDS, findUrlPort, findUsualPort, readTyped } from '../rules/fields.ts'

/** Parses a form's answers. An empty port is the usual one. Throws FieldErrors. */
export function readForm(answers: Answers): HealthCheckBody {
  const typed = FIELDS.flatMap((field) => {
    const answer = answers.text(field) ?? answers.choice(field)
    // An empty address follows DNS.
    if (answer === undefined && field === 'httpServerAddress') return []
    if (answer === undefined && field === 'port') {
      const check = { protocol: answers.choice('protocol'), target: answers.text('target') }
      return [['port', String(findUsualPort(check) ?? '')]]
    }
    return answers.has(field) ? [[field, answer ?? '']] : []
  })
  const { httpServerAddress, ...body } = readTyped(Object.fromEntries(typed))
  // Cast: the form asks for every required field.
  return { ...body, ...(httpServerAddress && { httpServerAddress }) } as HealthCheckBody
}

/** Throws FieldErrors if the target is a URL that names another port than the port field. */
export function refusePortConflict({ target, port }: HealthCheckBody): void {
  const urlPort = findUrlPort(target)
  if (urlPort !== undefined && urlPort !== port)
    throw new FieldErrors({
      port: `The target says port ${urlPort}. Which one is right? Empty this field, or change the target.`,
    })
}

/**
 * Turns a refusal by the service into field errors. Each sentence of the service goes to the field that it mentions. Returns any
 * other error unchanged.
 */
export function toFieldErrors(error: unknown): unknown {
  const isRefusal =
    error instanceof ApiError &&
    (error.kind === 'rejected' || error.kind === 'conflict') &&
    !error.mayHaveHappened
  if (!isRefusal) return error
  const fields: Record<string, string> = {}
  const rest: string[] = []
  for (const sentence of error.serviceMessages) {
    const field = findNamedField(sentence)
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
