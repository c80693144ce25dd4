import { readFileSync } from 'node:fs'
import { LineCounter, parseDocument } from 'yaml'
import type { z } from 'zod'

/** A file that can't be read. The message names the file, each position, the problem, and the fix. */
export class DocumentFault extends Error {
  override readonly name = 'DocumentFault'
}

/** What a file is called in messages, which flag chooses another one, and what follows the list of problems. */
export interface About {
  what: string
  flag: string
  mend: string
}

function textOf(path: string, { what, flag }: About): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
    const why = isMissing ? 'is not there' : `cannot be read (${String(cause)})`
    throw new DocumentFault(`The ${what} ${path} ${why}: name another with ${flag}.`, { cause })
  }
}

type Place = readonly PropertyKey[]

/** `features.slash_commands[0].command` */
function written(place: Place): string {
  return place
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '')
}

/** The file's document, and the line and column of a position in it. JSON is YAML, so one parser reads both. */
function parse(text: string, path: string, { what }: About) {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const positionOf = (offset: number): string => {
    const { line, col } = lines.linePos(offset)
    return `${line}:${col}`
  }
  const [broken] = document.errors
  if (broken)
    throw new DocumentFault(
      `The ${what} ${path}:${positionOf(broken.pos[0])} is neither JSON nor YAML: ${broken.message}`,
    )
  return { document, positionOf }
}

/** Cached with its text: a program that starts one playground after another reads the same manifest. */
let last: { text: string; schema: z.ZodType; data: unknown } | undefined

/** A JSON or YAML text, validated by its schema. It isn't changed by anyone. Throws DocumentFault, which names every problem. */
export function parseDocumentAs<T>(text: string, path: string, schema: z.ZodType<T>, about: About): T {
  // Validated by the same schema, so it is a T.
  if (last?.text === text && last.schema === schema) return last.data as T
  const { document, positionOf } = parse(text, path, about)
  const checked = schema.safeParse(document.toJS({ maxAliasCount: 100 }))
  if (checked.success) {
    last = { text, schema, data: checked.data }
    return checked.data
  }

  /** The position itself, or the nearest one above it that is in the file. */
  const lineOf = (place: Place): string => {
    for (let length = place.length; length > 0; length -= 1) {
      const node = document.getIn(place.slice(0, length), true)
      if (node && typeof node === 'object' && 'range' in node && Array.isArray(node.range))
        return `:${positionOf(Number(node.range[0]))}`
    }
    return ''
  }
  const faults = checked.error.issues.map((issue) => {
    const at = written(issue.path) || 'the whole file'
    return `  ${path}${lineOf(issue.path)} ${at}: ${issue.message}`
  })
  throw new DocumentFault(
    `The ${about.what} is not one that can be used:\n${faults.join('\n')}\n${about.mend}`,
  )
}

/** A JSON or YAML file, validated by its schema. Throws DocumentFault, also if it is missing. */
export const readDocument = <T>(path: string, schema: z.ZodType<T>, about: About): T =>
  parseDocumentAs(textOf(path, about), path, schema, about)
