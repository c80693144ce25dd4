// This folder turns what Slack sends for typed text back into what the person typed.

import { DASHES, DOUBLE_QUOTES, INVISIBLE, JOINING, SINGLE_QUOTES, TAGS } from '@signalman/runtime'
import { emojiFromNames } from './emoji.ts'

// `<https://x|x>`, `<mailto:a@b|a@b>`, `<@U1|ann>`, `<#C1|ops>`, `<#C1|>`, `<!subteam^S1|@oncall>`, `<!here>`
const MARKUP = /<([^<>|\s]+)(?:\|([^<>]*))?>/g
const DOUBLE = new RegExp(`[${DOUBLE_QUOTES}]`, 'gu')
const SINGLE = new RegExp(`[${SINGLE_QUOTES}]`, 'gu')
/** Often copied along. Not those that may be a part of emoji or words. */
const STRAY = new RegExp(`(?![${JOINING}${TAGS}])[${INVISIBLE}]`, 'gu')
/** Joiners are part of some emoji and of Arabic and Indic words. Anywhere else, they are invisible. */
const STRAY_JOINER =
  /(?<!\p{M}|\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f|\p{Script=Arabic})(?:\u200c|\u200d)|(?:\u200c|\u200d)(?!\p{L}|\p{Extended_Pictographic})/gu
/** Not the byte order mark, which `\s` matches, too. */
const SPACES = /(?:(?!\ufeff)[\s\u2800\u3164])+/g
/** A phone turns `--` into a long dash. */
const FLAG_DASHES = new RegExp(`(?<=^| )(?:[${DASHES}]{1,2}|-[${DASHES}]|[${DASHES}]-)(?=\\p{L})`, 'gu')
/** A dash between two words that stands alone is punctuation. */
const INNER_DASHES = new RegExp(`(?<=\\S)[${DASHES}](?=\\S)|(?<=\\d ?)[${DASHES}](?= ?\\d)`, 'gu')

/**
 * Undoes what Slack, keyboards, and pasting do to a typed line: link markup, HTML entities, typographic quotes, dashes and spaces,
 * invisible characters, the names of emoji, and accents that are characters of their own. Lines become one. A mention becomes `@U123`
 * or `#C123`. What is visible stays: fold names before you compare them (`foldName`).
 */
export function cleanTyped(typed: string): string {
  if (PLAIN.test(typed)) return typed.trim()
  const text = typed
    .replace(MARKUP, unwrap)
    .replace(/&(lt|gt|amp);/g, (_, name: keyof typeof ENTITIES) => ENTITIES[name])
    .replace(SPACES, ' ')
    .replace(STRAY, '')
    // Some characters are other ways to write a quote, and an accent decides whether a joiner is stray.
    .normalize('NFC')
    .replace(STRAY_JOINER, '')
    .replace(DOUBLE, '"')
    .replace(SINGLE, "'")
    .replace(FLAG_DASHES, '--')
    .replace(INNER_DASHES, '-')
  return emojiFromNames(text).normalize('NFC').trim()
}

/** Nothing to undo: most typed lines. */
const PLAIN = /^(?!.*(?: {2}|:[a-z0-9_+'-]+:))[\x20-\x25\x27-\x3b\x3d\x3f-\x7e]*$/
const ENTITIES = { lt: '<', gt: '>', amp: '&' } as const
const UUID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/i

/** The label is what the person typed, except that a link to one thing stands for its UUID. */
function unwrap(_: string, target: string, label = ''): string {
  if (/^[@#]/.test(target)) return target
  if (target.startsWith('!date^')) return label
  if (target.startsWith('!')) return `@${target.replace(/^!(?:subteam\^)?/, '')}`
  if (UUID.test(target) && !UUID.test(label)) return target
  return label || target.replace(/^(?:mailto|tel):/, '')
}
