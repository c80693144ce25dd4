import type { Directory } from '../directory.ts'
import { decodeEntities } from '../text/token.ts'

const TOKEN =
  /<([@#!])([A-Za-z0-9]+)(?:\|[^>]*)?>|<((?:https?:\/\/|mailto:)[^>|]+)(?:\|[^>]*)?>|&(?:amp|lt|gt);/g

/** Converts a stored message to text that its author can edit: with names instead of IDs, plain URLs, and unescaped characters. */
export function toEditableText(
  text: string,
  { people, channels }: Pick<Directory, 'people' | 'channels'>,
): string {
  return text.replace(TOKEN, (match, marker?: string, id?: string, url?: string) => {
    if (url !== undefined) return decodeEntities(url)
    if (marker === '!') return `@${id}`
    if (marker === undefined) return decodeEntities(match)
    const list: readonly { id: string; name: string }[] = marker === '@' ? people : channels
    const target = list.find((item) => item.id === id)
    return target ? `${marker}${target.name}` : match
  })
}
