import { extname } from 'node:path'
import { listOf, stringOf } from './json.ts'
import type { Fields, InputValue } from './protocol.ts'

/** A value that no person could have put into the element: which, and why. */
export class ImpossibleValue extends Error {
  override readonly name = 'ImpossibleValue'
}

/** A file_input takes ten files of 10 MB (https://docs.slack.dev/reference/block-kit/block-elements/file-input-element, November 2026). */
const FILES_AT_MOST = 10
const FILE_BYTES_AT_MOST = 10 * 1024 * 1024
/** Extensions that mean the same kind of file. */
const ALIASES: Readonly<Record<string, string>> = { jpeg: 'jpg', text: 'txt', htm: 'html', yml: 'yaml' }

const kindOf = (extension: string): string => {
  const plain = extension.toLowerCase().replace(/^\./, '')
  return ALIASES[plain] ?? plain
}

/** Slack's client offers no more to choose than `max_selected_items`, and nothing twice. */
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

/** Slack's client takes no file of another kind, no larger one, and no more of them, than the element asks for. */
export function checkFiles(element: Fields, files: readonly Fields[]): void {
  const most = typeof element.max_files === 'number' ? element.max_files : FILES_AT_MOST
  if (files.length > most)
    throw new ImpossibleValue(
      `${element.action_id} takes at most ${most} files, and ${files.length} were given`,
    )
  const kinds = listOf(element.filetypes).map((one) => kindOf(String(one)))
  for (const file of files) {
    const name = stringOf(file.name) ?? ''
    if (kinds.length > 0 && !kinds.includes(kindOf(extname(name))))
      throw new ImpossibleValue(
        `${element.action_id} takes ${kinds.join(', ')}, and ${name} is none of these`,
      )
    if (typeof file.size === 'number' && file.size > FILE_BYTES_AT_MOST)
      throw new ImpossibleValue(
        `${name} is larger than 10 MB, which is the most that ${element.action_id} takes`,
      )
  }
}
