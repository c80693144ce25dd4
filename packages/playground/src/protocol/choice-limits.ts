import type { InputValue } from './answers.ts'
import type { Fields } from './json.ts'
import { asString } from './json.ts'

/** Thrown for a value that no person could have entered into the element. */
export class ImpossibleValueError extends Error {
  override readonly name = 'ImpossibleValueError'
}

/**
 * A file_input accepts ten files of 10 MB (https://docs.slack.dev/reference/block-kit/block-elements/file-input-element, November
 * 2026).
 */
export const MAX_FILES = 10
const MAX_FILE_BYTES = 10 * 1024 * 1024
/** Maps alternative file extensions to the usual one. */
const ALIASES: Readonly<Record<string, string>> = {
  jpeg: 'jpg',
  tiff: 'tif',
  text: 'txt',
  htm: 'html',
  yml: 'yaml',
}

function fileKind(name: string): string {
  const ending = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
  return ALIASES[ending] ?? ending
}

/** Returns an error if a file_input doesn't accept the files' types, or has too many files. */
export function findFileError(
  names: readonly string[],
  alreadyChosen: number,
  { filetypes, max_files }: { filetypes?: unknown; max_files?: unknown },
): string | undefined {
  const max = typeof max_files === 'number' ? max_files : MAX_FILES
  if (alreadyChosen + names.length > max) return `Choose at most ${max} ${max === 1 ? 'file' : 'files'}.`
  const kinds = Array.isArray(filetypes) ? filetypes.map((type) => fileKind(`.${type}`)) : []
  const rejected = kinds.length > 0 ? names.find((name) => !kinds.includes(fileKind(name))) : undefined
  return rejected === undefined
    ? undefined
    : `${rejected} isn't an accepted type. Accepted: ${kinds.join(', ')}.`
}

/** Throws if a person chose more than `max_selected_items`, or an item twice. Slack's client prevents both. */
export function checkChoiceCount(element: Fields, value: InputValue | undefined): void {
  if (!Array.isArray(value)) return
  if (new Set(value).size < value.length)
    throw new ImpossibleValueError(`${element.action_id} contains the same choice twice`)
  const max = element.max_selected_items
  if (typeof max === 'number' && value.length > max)
    throw new ImpossibleValueError(`${element.action_id} accepts at most ${max} choices, not ${value.length}`)
}

/** Throws if a file_input doesn't accept the files' types, sizes, or number. Slack's client prevents that. */
export function checkFiles(element: Fields, files: readonly Fields[]): void {
  const names = files.map(({ name }) => asString(name) ?? '')
  const error = findFileError(names, 0, element)
  if (error !== undefined) throw new ImpossibleValueError(`${element.action_id}: ${error}`)
  const tooLarge = files.findIndex(({ size }) => typeof size === 'number' && size > MAX_FILE_BYTES)
  if (tooLarge >= 0)
    throw new ImpossibleValueError(
      `${names[tooLarge]} is larger than 10 MB, the limit for ${element.action_id}`,
    )
}
