import { asString } from './json.ts'
import type { Fields, InputValue } from './protocol.ts'

/** A value that no person could have entered into the element. The message names the element or the file, and the reason. */
export class ImpossibleValue extends Error {
  override readonly name = 'ImpossibleValue'
}

/**
 * A file_input accepts ten files of 10 MB (https://docs.slack.dev/reference/block-kit/block-elements/file-input-element, November
 * 2026).
 */
export const MAX_FILES = 10
const MAX_FILE_BYTES = 10 * 1024 * 1024
/** Different extensions of the same kind of file. */
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

/** The error if files can't be chosen for a file_input: a type isn't accepted, or there are too many. Undefined if they can. */
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

/** Slack's client lets people choose at most `max_selected_items`, and no item twice. */
export function checkChoiceCount(element: Fields, value: InputValue | undefined): void {
  if (!Array.isArray(value)) return
  if (new Set(value).size < value.length)
    throw new ImpossibleValue(`${element.action_id} contains the same choice twice`)
  const max = element.max_selected_items
  if (typeof max === 'number' && value.length > max)
    throw new ImpossibleValue(`${element.action_id} accepts at most ${max} choices, not ${value.length}`)
}

/** Slack's client accepts only the file types, sizes, and numbers that the element asks for. */
export function checkFiles(element: Fields, files: readonly Fields[]): void {
  const names = files.map(({ name }) => asString(name) ?? '')
  const error = findFileError(names, 0, element)
  if (error !== undefined) throw new ImpossibleValue(`${element.action_id}: ${error}`)
  const tooLarge = files.findIndex(({ size }) => typeof size === 'number' && size > MAX_FILE_BYTES)
  if (tooLarge >= 0)
    throw new ImpossibleValue(`${names[tooLarge]} is larger than 10 MB, the limit for ${element.action_id}`)
}
