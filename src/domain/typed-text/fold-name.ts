import { DASHES, INVISIBLE } from '@signalman/runtime'
import { cleanTyped } from './clean.ts'
import { emojiFromNames } from './emoji.ts'

const PLAIN =
  /^(?!.*(?: {2}|:[a-z0-9_+'-]+:|\.{3}))[\x21-\x25\x27-\x3b\x3d\x3f-\x7e](?:[\x20-\x25\x27-\x3b\x3d\x3f-\x7e]*[\x21-\x25\x27-\x3b\x3d\x3f-\x7e])?$/
const ANY_DASH = new RegExp(`[${DASHES}]`, 'gu')
const INVISIBLES = new RegExp(`[${INVISIBLE}]`, 'gu')

/**
 * The form of a name or pattern in which two that look the same are equal: without capitals, and with one spelling for quotes,
 * dashes, spaces, emoji, and accents. For comparing only.
 */
export function foldName(name: string): string {
  if (PLAIN.test(name)) return name.toLowerCase()
  return emojiFromNames(cleanTyped(name), { isWithinWords: true })
    .replace(ANY_DASH, '-')
    .replaceAll('\u2026', '...')
    .replace(INVISIBLES, '')
    .toLowerCase()
    .normalize('NFC')
}
