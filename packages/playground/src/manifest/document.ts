import { readFileSync } from 'node:fs'
import { LineCounter, parseDocument } from 'yaml'
import type { z } from 'zod'

/** Thrown if a file can't be read or is invalid. The message lists each problem with its position. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError'
}

/** A type of file, such as the manifest, as named in error messages. */
export interface DocumentKind {
  name: string
  /** The command-line flag that sets the path. */
  flag: string
  /** Help for fixing invalid content, shown after the list of problems. */
  advice: string
}

function readSource(path: string, { name, flag }: DocumentKind): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
    const problem = isMissing ? "doesn't exist" : `can't be read (${String(cause)})`
    throw new DocumentError(`The ${name} ${path} ${problem}. Choose another one with ${flag}.`, { cause })
  }
}

type ValuePath = readonly PropertyKey[]

/** Formats a path for messages: `features.slash_commands[0].command`. */
function formatPath(path: ValuePath): string {
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '')
}

/** Parses YAML, of which JSON is a subset. `formatPosition` converts an offset to `line:column`. */
function parseYaml(text: string, path: string, { name }: DocumentKind) {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const formatPosition = (offset: number): string => {
    const { line, col } = lines.linePos(offset)
    return `${line}:${col}`
  }
  const [syntaxError] = document.errors
  if (syntaxError)
    throw new DocumentError(
      `The ${name} ${path}:${formatPosition(syntaxError.pos[0])} isn't valid JSON or YAML: ${syntaxError.message}`,
    )
  return { document, formatPosition }
}

/** The last valid document, cached because test suites start many playgrounds with the same manifest. */
let lastValidated: { text: string; schema: z.ZodType; data: unknown } | undefined

/**
 * Parses JSON or YAML text and validates it. Callers must not change the result, because it is cached. Throws a DocumentError that
 * lists every problem.
 */
export function parseDocumentAs<T>(text: string, path: string, schema: z.ZodType<T>, kind: DocumentKind): T {
  // Safe cast: this schema has validated the cached data.
  if (lastValidated?.text === text && lastValidated.schema === schema) return lastValidated.data as T
  const { document, formatPosition } = parseYaml(text, path, kind)
  const checked = schema.safeParse(document.toJS({ maxAliasCount: 100 }))
  if (checked.success) {
    lastValidated = { text, schema, data: checked.data }
    return checked.data
  }

  /** The position of the value, or of the nearest parent that the file contains. */
  const nearestPosition = (valuePath: ValuePath): string => {
    for (let length = valuePath.length; length > 0; length -= 1) {
      const node = document.getIn(valuePath.slice(0, length), true)
      if (node && typeof node === 'object' && 'range' in node && Array.isArray(node.range))
        return `:${formatPosition(Number(node.range[0]))}`
    }
    return ''
  }
  const errors = checked.error.issues.map((issue) => {
    const location = formatPath(issue.path) || 'the whole file'
    return `  ${path}${nearestPosition(issue.path)} ${location}: ${issue.message}`
  })
  throw new DocumentError(`The ${kind.name} can't be used:\n${errors.join('\n')}\n${kind.advice}`)
}

/** Reads and validates a JSON or YAML file. Throws a DocumentError if it is missing, unreadable, or invalid. */
export const readDocument = <T>(path: string, schema: z.ZodType<T>, kind: DocumentKind): T =>
  parseDocumentAs(readSource(path, kind), path, schema, kind)
