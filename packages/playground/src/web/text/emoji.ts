import SHORT_NAMES from 'emojibase-data/en/shortcodes/iamcal.json' with { type: 'json' }
import type { Match } from './nodes.ts'

/** Matches emoji that browsers show as plain text unless a variation selector follows. */
const TEXT_PRESENTATION = /(?!\p{Emoji_Presentation})\p{Emoji}(?!\p{Emoji_Modifier}|\u{FE0F})/gu
const JOINER = '\u{200d}'
const LIGHTEST_SKIN_TONE = 0x1f3fb

function toEmoji(hexcode: string): string {
  const points = hexcode.split('-').map((point) => Number.parseInt(point, 16))
  return String.fromCodePoint(...points).replace(TEXT_PRESENTATION, '$&\uFE0F')
}

/** Slack's emoji by name, from emojibase-data. */
export const EMOJI: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(SHORT_NAMES).flatMap(([hexcode, names]) =>
    [names].flat().map((name) => [name, toEmoji(hexcode)]),
  ),
)

/** The emoji with this name, which may include a skin tone such as `wave::skin-tone-3`; undefined for an unknown name. */
export function findEmoji(name: string): string | undefined {
  const [, base = name, tone] = /^(.+?)::skin-tone-([2-6])$/.exec(name) ?? []
  const emoji = Object.hasOwn(EMOJI, base) ? EMOJI[base] : undefined
  if (emoji === undefined || tone === undefined) return emoji
  const modifier = String.fromCodePoint(LIGHTEST_SKIN_TONE + Number(tone) - 2)
  return emoji
    .split(JOINER)
    .map((part) => part.replace(/^(\p{Emoji_Modifier_Base})\uFE0F?/u, `$1${modifier}`))
    .join(JOINER)
}

const EMOJI_AT = /:([a-z0-9_+'-]{1,100}(?:::skin-tone-[2-6])?):/y

/** Matches an emoji's `:name:` that starts exactly at `index`. */
export function matchEmoji(source: string, index: number): Match | undefined {
  if (source[index] !== ':') return undefined
  EMOJI_AT.lastIndex = index
  const [raw = '', name = ''] = EMOJI_AT.exec(source) ?? []
  return findEmoji(name) === undefined ? undefined : { node: { kind: 'emoji', name }, length: raw.length }
}
