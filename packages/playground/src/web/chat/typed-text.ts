import type { Directory } from '../directory.ts'
import { decode } from '../text/token.ts'

const TOKEN =
  /<([@#!])([A-Za-z0-9]+)(?:\|[^>]*)?>|<((?:https?:\/\/|mailto:)[^>|]+)(?:\|[^>]*)?>|&(?:amp|lt|gt);/g

/** Converts stored text to what its author would type: names instead of IDs, plain URLs, and unescaped characters. */
export function toTypedText(
  text: string,
  { people, channels }: Pick<Directory, 'people' | 'channels'>,
): string {
  return text.replace(TOKEN, (match, marker?: string, id?: string, url?: string) => {
    if (url !== undefined) return decode(url)
    if (marker === '!') return `@${id}`
    if (marker === undefined) return decode(match)
    const list: readonly { id: string; name: string }[] = marker === '@' ? people : channels
    const target = list.find((one) => one.id === id)
    return target ? `${marker}${target.name}` : match
  })
}
