import { stringOf } from './json.ts'
import type { Fields, InputValue } from './protocol.ts'

/** A value that no person could have entered into the element: which one, and why. */
export class ImpossibleValue extends Error {
  override readonly name = 'ImpossibleValue'
}

/**
 * A file_input accepts ten files of 10 MB (https://docs.slack.dev/reference/block-kit/block-elements/file-input-element, November
 * 2026).
 */
export const FILES_AT_MOST = 10
const FILE_BYTES_AT_MOST = 10 * 1024 * 1024
/** Extensions that mean the same kind of file. */
const ALIASES: Readonly<Record<string, string>> = {
  ...{ jpeg: 'jpg', tiff: 'tif', text: 'txt', htm: 'html', yml: 'yaml' },
}

function kindOf(name: string): string {
  const ending = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
  return ALIASES[ending] ?? ending
}

/** Why files can't be chosen for a file_input: the type isn't accepted, or there are too many. */
export function fileFault(
  names: readonly string[],
  has: number,
  { filetypes, max_files }: { filetypes?: unknown; max_files?: unknown },
): string | undefined {
  const most = typeof max_files === 'number' ? max_files : FILES_AT_MOST
  if (has + names.length > most) return `At most ${most} ${most === 1 ? 'file' : 'files'} here.`
  const kinds = Array.isArray(filetypes) ? filetypes.map((type) => kindOf(`.${type}`)) : []
  const other = kinds.length > 0 ? names.find((name) => !kinds.includes(kindOf(name))) : undefined
  return other === undefined ? undefined : `${other} is none of these: ${kinds.join(', ')}.`
}

/** Slack's client lets people choose at most `max_selected_items`, and nothing twice. */
export function checkCount(element: Fields, value: InputValue | undefined): void {
  if (!Array.isArray(value)) return
  if (new Set(value).size < value.length)
    throw new ImpossibleValue(`${element.action_id} has something chosen twice`)
  const most = element.max_selected_items
  if (typeof most === 'number' && value.length > most)
    throw new ImpossibleValue(
      `${element.action_id} takes at most ${most} choices, and ${value.length} were made`,
    )
}

/** Slack's client accepts only the file types, sizes, and numbers that the element asks for. */
export function checkFiles(element: Fields, files: readonly Fields[]): void {
  const names = files.map(({ name }) => stringOf(name) ?? '')
  const fault = fileFault(names, 0, element)
  if (fault !== undefined) throw new ImpossibleValue(`${element.action_id}: ${fault}`)
  const large = files.findIndex(({ size }) => typeof size === 'number' && size > FILE_BYTES_AT_MOST)
  if (large >= 0)
    throw new ImpossibleValue(
      `${names[large]} is larger than 10 MB, which is the most that ${element.action_id} takes`,
    )
}
