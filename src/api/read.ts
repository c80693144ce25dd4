import type { z } from 'zod'

/** Takes the token out of a text of the service, which may have echoed it. */
export type Hide = (text: string) => string

/** Turns the text of a 2xx answer into a value, in one synchronous step; throws Unreadable when it cannot. */
export type Read<T> = (text: string, hide: Hide) => T

/** The same for an answer that is not text, or not JSON; `mediaType` is lower case and empty when it names none. */
export type ReadBytes<T> = (answer: { bytes: Buffer; mediaType: string }, hide: Hide) => T

/** The answer is a success by its status and not by its body. The message names the place and the fault, no content. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable'
}

/** Reads a JSON body by a compiled schema. */
export function json<T>(schema: z.ZodType<T>): Read<T> {
  return (text) => {
    const body = parse(text)
    refuseErrors(body)
    const result = schema.safeParse(body)
    if (result.success) return result.data
    const [issue] = result.error.issues
    throw new Unreadable(`${issue?.path.join('.') || 'the body'}: ${issue?.message ?? 'not as expected'}`)
  }
}

/** For an operation that returns nothing, or nothing that is promised: an empty body will do. */
export function nothing(text: string): void {
  refusePage(text)
  refuseErrors(parseIfJson(text))
}

/** Throws when the body is a page for people: then something between here and the service answered in its place. */
function refusePage(text: string): void {
  if (text.trimStart().startsWith('<')) throw new Unreadable('the body: a page, where JSON was expected')
}

/** The JSON value of a text, or undefined when it is none. */
export function parseIfJson(text: string): unknown {
  try {
    return parse(text)
  } catch {
    return undefined
  }
}

/** Throws when a body of a success holds `errors`: the status and the body then contradict each other. */
function refuseErrors(body: unknown): void {
  if (typeof body !== 'object' || body === null || !('errors' in body)) return
  const { errors } = body
  const holdsSome = Array.isArray(errors) ? errors.length > 0 : typeof errors === 'object' && errors !== null
  if (holdsSome) throw new Unreadable('errors: listed although the status says success')
}

function parse(text: string): unknown {
  if (text.trim() === '') throw new Unreadable('the body: empty, where JSON was expected')
  try {
    return JSON.parse(text.charCodeAt(0) === 0xfe_ff ? text.slice(1) : text)
  } catch {
    throw new Unreadable('the body: not JSON')
  }
}
