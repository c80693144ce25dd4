import { readFileSync } from 'node:fs'
import { LineCounter, parseDocument } from 'yaml'
import { type ManifestFile, manifestFile } from './schema.ts'

/** A manifest that cannot be read; the message names the file, each place, the fault and its mend. */
export class ManifestFault extends Error {
  override readonly name = 'ManifestFault'
}

const MEND = 'Slack describes manifests at https://docs.slack.dev/reference/app-manifest'

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    const why = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT' ? 'is not there' : cause
    throw new ManifestFault(
      `The manifest ${path} ${typeof why === 'string' ? why : `cannot be read (${String(why)})`}: name another with --manifest.`,
      { cause },
    )
  }
}

/** The file's document, and the line and column of a place in it. JSON is YAML, so one parser reads both. */
function parse(path: string) {
  const lines = new LineCounter()
  const document = parseDocument(textOf(path), { lineCounter: lines, prettyErrors: false })
  const positionOf = (offset: number): string => {
    const { line, col } = lines.linePos(offset)
    return `${line}:${col}`
  }
  const [broken] = document.errors
  if (broken)
    throw new ManifestFault(
      `The manifest ${path}:${positionOf(broken.pos[0])} is neither JSON nor YAML: ${broken.message}`,
    )
  return { document, positionOf }
}

type Place = readonly PropertyKey[]

/** `features.slash_commands[0].command` */
function written(place: Place): string {
  return place
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '')
}

/** An app manifest that Slack would take. Throws ManifestFault, which names every fault. */
export function readManifestFile(path: string): ManifestFile {
  const { document, positionOf } = parse(path)
  const checked = manifestFile.safeParse(document.toJS({ maxAliasCount: 100 }))
  if (checked.success) return checked.data

  /** The place itself, or the nearest above it that is written down. */
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
  throw new ManifestFault(`The manifest is not one that Slack takes:\n${faults.join('\n')}\n${MEND}.`)
}
