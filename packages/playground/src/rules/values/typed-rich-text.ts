import { findEmoji } from '../../protocol/emoji.ts'
import type { Fields } from '../../protocol/json.ts'
import { WEB_URL } from './escape-typed.ts'

/**
 * Converts between `rich_text` and the text that a person types into a rich text input. The text can contain `*bold*`, `_italic_`,
 * `~strike~`, `` `code` ``, URLs, `[label](url)`, `:emoji:`, lists with `- ` or `1. ` (indented by two spaces per level), `> ` quotations,
 * and three backticks around preformatted lines.
 */

const STYLES: Record<string, string> = { '*': 'bold', _: 'italic', '~': 'strike' }
const CODE = '`([^`\\n]+)`'
const STYLED = String.raw`(?<![\p{L}\p{N}*_~])([*_~])(?=\S)((?:(?!\2)[^\n])*?[^\s])\2(?![\p{L}\p{N}*_~])`
const LABELED_URL = String.raw`\[([^\]\n]+)\]\(((?:https?:\/\/|mailto:)[^\s\(\)]+)\)`
const MENTION = '<([@#!])([A-Za-z0-9]+)>'
const EMOJI = ":([a-z0-9_+'-]+(?:::skin-tone-[2-6])?):"
const INLINE = new RegExp([CODE, STYLED, LABELED_URL, `(${WEB_URL})`, MENTION, EMOJI].join('|'), 'u')
const ITEM = /^( *)(?:([-•])|(\d+)\.) (.*)$/

type Style = Record<string, true>

function styleFields(style: Style): Fields {
  return Object.keys(style).length > 0 ? { style } : {}
}

function mentionElement(marker: string, id: string, style: Style): Fields {
  if (marker === '@') return { type: 'user', user_id: id, ...styleFields(style) }
  if (marker === '#') return { type: 'channel', channel_id: id, ...styleFields(style) }
  return { type: 'broadcast', range: id, ...styleFields(style) }
}

/** Slack adds the code points. A name that it doesn't know stays text, as in `10:30:00`. */
function emojiElement(name: string, style: Style): Fields {
  const emoji = findEmoji(name)
  if (emoji === undefined) return { type: 'text', text: `:${name}:`, ...styleFields(style) }
  const points = [...emoji].flatMap((character) => character.codePointAt(0)?.toString(16) ?? [])
  return {
    type: 'emoji',
    name,
    unicode: points.filter((point) => point !== 'fe0f').join('-'),
    ...styleFields(style),
  }
}

function buildMatch(match: RegExpExecArray, style: Style): Fields[] {
  const [, code, styleMark = '', styledText = '', label, labeledUrl, url, mentionMarker, id = '', emoji] =
    match
  if (code !== undefined) return [{ type: 'text', text: code, style: { ...style, code: true } }]
  if (labeledUrl !== undefined)
    return [{ type: 'link', url: labeledUrl, text: label ?? '', ...styleFields(style) }]
  if (url !== undefined) return [{ type: 'link', url, ...styleFields(style) }]
  if (mentionMarker !== undefined) return [mentionElement(mentionMarker, id, style)]
  if (emoji !== undefined) return [emojiElement(emoji, style)]
  return buildInline(styledText, { ...style, [STYLES[styleMark] ?? '']: true })
}

function buildInline(text: string, style: Style = {}): Fields[] {
  const match = INLINE.exec(text)
  const plain = (unstyled: string): Fields[] =>
    unstyled === '' ? [] : [{ type: 'text', text: unstyled, ...styleFields(style) }]
  if (!match) return plain(text)
  const remainingText = text.slice(match.index + match[0].length)
  return [
    ...plain(text.slice(0, match.index)),
    ...buildMatch(match, style),
    ...buildInline(remainingText, style),
  ]
}

const buildSection = (text: string): Fields => ({ type: 'rich_text_section', elements: buildInline(text) })

/** The kind of a line, such as `quote` or `bullet 1` (a list with its indentation). Consecutive lines of a kind form one element. */
function lineKind(line: string): string {
  if (line.startsWith('> ')) return 'quote'
  const item = ITEM.exec(line)
  return item ? `${item[2] ? 'bullet' : 'ordered'} ${Math.floor((item[1] ?? '').length / 2)}` : 'section'
}

function buildPart(kind: string, lines: string[]): Fields {
  if (kind === 'section') return buildSection(lines.join('\n'))
  if (kind === 'quote')
    return { type: 'rich_text_quote', elements: buildInline(lines.map((line) => line.slice(2)).join('\n')) }
  const [style = '', indent = '0'] = kind.split(' ')
  const items = lines.map((line) => ITEM.exec(line))
  const firstNumber = Number(items[0]?.[3] ?? 1)
  return {
    type: 'rich_text_list',
    style,
    ...(indent !== '0' && { indent: Number(indent) }),
    ...(style === 'ordered' && firstNumber > 1 && { offset: firstNumber - 1 }),
    elements: items.map((item) => buildSection(item?.[4] ?? '')),
  }
}

function buildParts(text: string): Fields[] {
  const groups: { kind: string; lines: string[] }[] = []
  for (const line of text.split('\n')) {
    const kind = lineKind(line)
    const lastGroup = groups.at(-1)
    if (lastGroup?.kind === kind) lastGroup.lines.push(line)
    else groups.push({ kind, lines: [line] })
  }
  return groups.map(({ kind, lines }) => buildPart(kind, lines))
}

/** Converts typed text to the `rich_text` that Slack's editor would build. */
export function typedToRichText(typed: string): Fields {
  const pieces = typed.split(/^```\n?([\s\S]*?)\n?```$/m)
  const elements = pieces.flatMap((piece, index) => {
    if (index % 2 === 1)
      return [{ type: 'rich_text_preformatted', elements: [{ type: 'text', text: piece }] }]
    const text = piece.replace(index > 0 ? /^\n/ : '', '').replace(index < pieces.length - 1 ? /\n$/ : '', '')
    return text === '' ? [] : buildParts(text)
  })
  return { type: 'rich_text', elements }
}
