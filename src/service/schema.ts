import { z } from 'zod'
import { parseDate } from './dates.ts'

// The types of values in the service's responses. Any value may be null or absent, and numbers and booleans may be quoted.

/** A schema that is compiled when it first parses something. */
export interface Schema<T> {
  safeParse(value: unknown): z.ZodSafeParseResult<T>
}

export type Output<S> = S extends Schema<infer T> ? T : never

/**
 * Compiles a schema when it is first used, because compiling all of them would take a twentieth of the start. Then it throws if
 * zod can't compile it.
 */
export function compileOnUse<S extends z.ZodType>(schema: S): Schema<z.output<S>> {
  let compiled: S | undefined
  return {
    safeParse(value) {
      compiled ??= z.compile(schema, { strict: true })
      return compiled.safeParse(value)
    },
  }
}

const parsedFromText = <T>(parse: (text: string) => T | undefined) =>
  z.string().transform((text, context) => {
    const value = parse(text)
    if (value === undefined) context.addIssue({ code: 'custom' })
    return value ?? z.NEVER
  })

export const number = z.union([z.number().refine(isExact), parsedFromText(parseNumber)]).nullish()
export const boolean = z.union([z.boolean(), parsedFromText(parseBoolean)]).nullish()
export const date = parsedFromText(parseDate).nullish()

/** A non-negative integer. */
export const count = z.union([z.int().min(0), parsedFromText(parseCount)])

/** A required ID. */
export const id = z.string().min(1)

const textOrNumber = [z.string(), z.number().refine(isExact).transform(String)] as const

/** A text, or a number, which is read as its digits, because the service quotes only some numbers. */
export const text = z.union(textOrNumber).nullish()

/** A required ID that may also be a number. */
export const textId = z.union([z.string().min(1), z.number().refine(isExact).transform(String)])

/** The message of the issue for a value that `shownText` refuses. */
export const SHOW_AS_SENT = 'Show as it came'

/** A text. A value of another type is noted, and shown as the service sent it. */
export const shownText = z.union(textOrNumber, { error: SHOW_AS_SENT }).nullish()

/** A list of texts. Items of another type are left out and noted. */
export const texts = z.array(z.string()).nullish()

/** The output of a schema, with every property optional. */
export type Readable<T> = { readonly [Key in keyof T]?: T[Key] | undefined }

/** Whether a value is a JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** False for an integer that JavaScript may have rounded. */
function isExact(value: number): boolean {
  return Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value))
}

export const isRoundedInteger = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)

function parseNumber(text: string): number | undefined {
  if (!/^\s*-?\d+(?:\.\d+)?\s*$/.test(text)) return undefined
  const value = Number(text)
  return isExact(value) ? value : undefined
}

function parseCount(text: string): number | undefined {
  const value = parseNumber(text)
  return value !== undefined && value >= 0 && Number.isSafeInteger(value) ? value : undefined
}

function parseBoolean(text: string): boolean | undefined {
  const word = text.trim().toLowerCase()
  if (word === 'true') return true
  return word === 'false' ? false : undefined
}
