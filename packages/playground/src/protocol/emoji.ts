import SHORT_NAMES from 'emojibase-data/en/shortcodes/iamcal.json' with { type: 'json' }

/** Matches emoji that browsers show as plain text unless a variation selector follows. */
const TEXT_PRESENTATION = /(?!\p{Emoji_Presentation})\p{Emoji}(?!\p{Emoji_Modifier}|\u{FE0F})/gu
const JOINER = '\u{200d}'
const LIGHTEST_SKIN_TONE = 0x1f3fb

function toEmoji(hexcode: string): string {
  const points = hexcode.split('-').map((point) => Number.parseInt(point, 16))
  return String.fromCodePoint(...points).replace(TEXT_PRESENTATION, '$&\uFE0F')
}

let emojiByName: ReadonlyMap<string, string> | undefined

/** Slack's emoji by name, from emojibase-data. Reading them takes a while, so it waits until somebody needs one. */
function listEmoji(): ReadonlyMap<string, string> {
  emojiByName ??= new Map(
    Object.entries(SHORT_NAMES).flatMap(([hexcode, names]) =>
      [names].flat().map((name) => [name, toEmoji(hexcode)] as const),
    ),
  )
  return emojiByName
}

/**
 * The emoji with this name, which may include a skin tone such as `wave::skin-tone-3`. Undefined for an unknown name, or if the emoji
 * has no skin tones.
 */
export function findEmoji(name: string): string | undefined {
  const [, base = name, tone] = /^(.+?)::skin-tone-([2-6])$/.exec(name) ?? []
  const emoji = listEmoji().get(base)
  if (emoji === undefined || tone === undefined) return emoji
  if (!/\p{Emoji_Modifier_Base}/u.test(emoji)) return undefined
  const modifier = String.fromCodePoint(LIGHTEST_SKIN_TONE + Number(tone) - 2)
  return emoji
    .split(JOINER)
    .map((part) => part.replace(/^(\p{Emoji_Modifier_Base})\uFE0F?/u, `$1${modifier}`))
    .join(JOINER)
}

let namesByEmoji: ReadonlyMap<string, string> | undefined

function listNames(): ReadonlyMap<string, string> {
  namesByEmoji ??= new Map([...listEmoji()].reverse().map(([name, emoji]) => [withoutSelectors(emoji), name]))
  return namesByEmoji
}

function withoutSelectors(emoji: string): string {
  return emoji.replaceAll('\uFE0F', '')
}

/** The name of an emoji, such as `wave::skin-tone-3`; undefined if Slack has no name for it. */
export function findEmojiName(emoji: string): string | undefined {
  const plain = withoutSelectors(emoji)
  const name = listNames().get(plain)
  if (name !== undefined) return name
  const [tone = ''] = /\p{Emoji_Modifier}/u.exec(plain) ?? []
  const base = listNames().get(plain.replace(/\p{Emoji_Modifier}/gu, ''))
  const number = (tone.codePointAt(0) ?? 0) - LIGHTEST_SKIN_TONE + 2
  return base && tone ? `${base}::skin-tone-${number}` : undefined
}
