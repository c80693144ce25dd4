import SHORT_NAMES from 'emojibase-data/en/shortcodes/iamcal.json' with { type: 'json' }
import type { Found } from './nodes.ts'

/** Characters that are shown as text unless they are marked as emoji. */
const AS_TEXT = /(?!\p{Emoji_Presentation})\p{Emoji}(?!\p{Emoji_Modifier}|\u{FE0F})/gu
const JOINED_BY = '\u{200d}'
const LIGHTEST = 0x1f3fb

function shown(hexcode: string): string {
  const points = hexcode.split('-').map((point) => Number.parseInt(point, 16))
  return String.fromCodePoint(...points).replace(AS_TEXT, '$&\uFE0F')
}

/** Every name that Slack has (from the library's list), and its emoji. */
export const EMOJI: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(SHORT_NAMES).flatMap(([hexcode, names]) =>
    [names].flat().map((name) => [name, shown(hexcode)]),
  ),
)

/** The emoji with this name, in a skin tone if `wave::skin-tone-3` asks for one; undefined for an unknown name. */
export function findEmoji(name: string): string | undefined {
  const [, base = name, tone] = /^(.+?)::skin-tone-([2-6])$/.exec(name) ?? []
  const plain = Object.hasOwn(EMOJI, base) ? EMOJI[base] : undefined
  if (plain === undefined || tone === undefined) return plain
  const modifier = String.fromCodePoint(LIGHTEST + Number(tone) - 2)
  return plain
    .split(JOINED_BY)
    .map((part) => part.replace(/^(\p{Emoji_Modifier_Base})\uFE0F?/u, `$1${modifier}`))
    .join(JOINED_BY)
}

const EMOJI_AT = /:([a-z0-9_+'-]{1,100}(?:::skin-tone-[2-6])?):/y

/** The `:name:` of an emoji that starts exactly at `at`. */
export function emojiAt(source: string, at: number): Found | undefined {
  if (source[at] !== ':') return undefined
  EMOJI_AT.lastIndex = at
  const [raw = '', name = ''] = EMOJI_AT.exec(source) ?? []
  return findEmoji(name) === undefined ? undefined : { node: { kind: 'emoji', name }, raw: raw.length }
}
