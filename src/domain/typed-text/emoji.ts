import SHORT_NAMES from 'emojibase-data/en/shortcodes/iamcal.json' with { type: 'json' }

// A name of letters and digits may be part of an IPv6 address or a time, so it isn't an emoji within a word: `2001:a:b`, `10:100:5`.
const RUN = /(?<=^|[^\p{L}\p{N}:])(?::[a-z0-9_+'-]{1,60}:(?::skin-tone-[2-6]:)?)+(?![\p{L}\p{N}:])/gu
const WITHIN_WORD = /:(?=[a-z0-9_+'-]*[g-z])[a-z0-9_+'-]{3,60}:(?::skin-tone-[2-6]:)?/g
const ONE = /:([a-z0-9_+'-]+):(?::skin-tone-([2-6]):)?/g
const LIGHTEST_SKIN_TONE = 0x1f3fb
const JOINER = '\u{200d}'
/** Emoji that browsers show as plain text unless a variation selector follows. */
const TEXT_PRESENTATION = /(?!\p{Emoji_Presentation})\p{Emoji}(?!\p{Emoji_Modifier}|\u{FE0F})/gu

/**
 * Turns `:fire:` into 🔥, because Slack sends typed emoji by name. Custom emoji keep their names. `isWithinWords`: also in
 * `Shop:fire:API`, which is right for comparing, but would change an address or another text with colons.
 */
export function emojiFromNames(text: string, { isWithinWords = false } = {}): string {
  if (!text.includes(':')) return text
  const toCharacters = (run: string): string =>
    run.replace(ONE, (typed, name: string, tone: string | undefined) => findEmoji(name, tone) ?? typed)
  const replaced = text.replace(RUN, toCharacters)
  return isWithinWords ? replaced.replace(WITHIN_WORD, toCharacters) : replaced
}

function findEmoji(name: string, tone: string | undefined): string | undefined {
  const hexcode = hexcodes().get(name)
  if (hexcode === undefined) return undefined
  const points = hexcode.split('-').map((point) => Number.parseInt(point, 16))
  const emoji = String.fromCodePoint(...points).replace(TEXT_PRESENTATION, '$&\u{FE0F}')
  if (tone === undefined) return emoji
  const modifier = String.fromCodePoint(LIGHTEST_SKIN_TONE + Number(tone) - 2)
  return emoji
    .split(JOINER)
    .map((part) => part.replace(/^(\p{Emoji_Modifier_Base})\uFE0F?/u, `$1${modifier}`))
    .join(JOINER)
}

let hexcodesByName: ReadonlyMap<string, string> | undefined

/** Slack's names, from emojibase-data. Built on first use, because few people type emoji. */
function hexcodes(): ReadonlyMap<string, string> {
  hexcodesByName ??= new Map(
    Object.entries(SHORT_NAMES).flatMap(([hexcode, names]) => [names].flat().map((name) => [name, hexcode])),
  )
  return hexcodesByName
}
