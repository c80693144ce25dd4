import { z } from 'zod'
import { parseDate } from './dates.ts'

// The types of values in the service's responses. Any value may be null or absent. Numbers and booleans may be sent as strings.

/** A schema that is compiled on first use. */
export interface Schema<T> {
  safeParse(value: unknown): z.ZodSafeParseResult<T>
}

export type Output<S> = S extends Schema<infer T> ? T : never

/**
 * Compiles a schema on first use, because compiling all of them at startup would take 5% of the startup time. The first use throws
 * if zod can't compile the schema.
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

/** Longer than any ID of the service, and short enough for every server's limit on a request line. */
const MAX_ID_LENGTH = 500

/** Whether a request can name something by this ID: `encodeURIComponent` leaves `.` and `..`, which would name another resource. */
export const isUsableId = (text: string): boolean =>
  text.length <= MAX_ID_LENGTH && text.isWellFormed() && !/^\.{0,2}$|\p{Cc}/u.test(text)

/** A required ID. A row with one that no request can name is unreadable. */
export const id = z.string().refine(isUsableId)

const textOrNumber = [z.string(), z.number().refine(isExact).transform(String)] as const

/** A text. Also accepts a number and returns its digits, because the service sends some numbers as strings and others not. */
export const text = z.union(textOrNumber).nullish()

/** A required ID that may also be a number. */
export const textId = z.union([id, z.number().refine(isExact).transform(String)])

/** The same; '' if it's absent. */
export const textOrEmpty = text.transform((value) => value ?? '')

/** Any value as text: a text itself, or its JSON. */
export function toText(value: unknown): string {
  if (typeof value === 'string') return value
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    // Deeper than the stack: `JSON.parse` isn't recursive, but this is.
    return '(too deep to show)'
  }
}

/** A list of texts. Items of another type are dropped and recorded as unreadable. */
export const texts = z.array(z.string()).nullish()

type CamelCase<Name> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name

/** The fields of a row, with their names in camel case. Optional ones that the service left out, or sent as null, are undefined. */
type Fields<Row> = {
  readonly [Name in keyof Row & string as undefined extends Row[Name] ? never : CamelCase<Name>]: Row[Name]
} & {
  readonly [Name in keyof Row & string as undefined extends Row[Name] ? CamelCase<Name> : never]?:
    | Exclude<Row[Name], null>
    | undefined
}

/** The schema of an object with these fields, which the service writes in snake case. */
export function fields<Shape extends z.ZodRawShape>(shape: Shape) {
  const names = Object.keys(shape).map((wireName) => ({
    wireName,
    name: wireName.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
  }))
  return z.object(shape).transform((row) => {
    const values: Record<string, unknown> = {}
    // Every name is a key of the shape, and so of the row.
    for (const { wireName, name } of names) values[name] = row[wireName as keyof typeof row] ?? undefined
    return values as Fields<z.output<z.ZodObject<Shape>>>
  })
}

/** False for an integer that JavaScript may have rounded. */
function isExact(value: number): boolean {
  return Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value))
}

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
