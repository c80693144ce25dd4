import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import type { Json } from '../protocol/json.ts'
import { type ManifestFile, manifestFile } from './schema.ts'

/** Thrown if a manifest can't be read or is invalid. The message lists each problem. */
export class ManifestError extends Error {
  override readonly name = 'ManifestError'
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
    const problem = isMissing ? "doesn't exist" : `can't be read (${String(cause)})`
    throw new ManifestError(`The manifest ${path} ${problem}. Choose another one with --manifest.`, { cause })
  }
}

/** Parses YAML, of which JSON is a subset. */
function parseYaml(text: string, path: string): Json {
  try {
    return parse(text, { maxAliasCount: 100 })
  } catch (cause) {
    throw new ManifestError(`The manifest ${path} isn't valid JSON or YAML: ${String(cause)}`, { cause })
  }
}

/** Formats a path for messages: `features.slash_commands[0].command`. */
function formatPath(path: readonly PropertyKey[]): string {
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '')
}

/** The last valid manifest, cached because test suites start many playgrounds with the same one. */
let lastValidated: { text: string; file: ManifestFile } | undefined

/**
 * Reads and validates a manifest in JSON or YAML. Callers must not change the result, because it is cached. Throws a ManifestError that
 * lists every problem.
 */
export function readManifestFile(path: string): ManifestFile {
  const text = readText(path)
  if (lastValidated?.text === text) return lastValidated.file
  const checked = manifestFile.safeParse(parseYaml(text, path))
  if (checked.success) {
    lastValidated = { text, file: checked.data }
    return checked.data
  }
  const errors = checked.error.issues.map(
    (issue) => `  ${formatPath(issue.path) || 'the whole file'}: ${issue.message}`,
  )
  throw new ManifestError(
    `The manifest ${path} can't be used:\n${errors.join('\n')}\nSlack documents manifests at https://docs.slack.dev/reference/app-manifest.`,
  )
}
