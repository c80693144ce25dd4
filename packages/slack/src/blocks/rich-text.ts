import type { RichTextBlock, RichTextElement, RichTextSection } from '@slack/types'
import { LIMITS } from './limits.ts'
import { clip, literal, visible } from './text.ts'

/** Inline content: text from anywhere (never parsed), dates, our own rich text elements, and lists of them. */
export type Line = string | number | Date | RichTextElement | readonly Line[]

type TextElement = Extract<RichTextElement, { type: 'text' }>
type Style = NonNullable<TextElement['style']>

/** Text that Slack shows literally: rich text is never parsed for markup, links, or emoji. */
export function textElement(text: string, style?: Style): TextElement {
  return { type: 'text', text: clip(visible(text), LIMITS.sectionText) || '–', ...(style && { style }) }
}

/** `2026-11-20 14:05 UTC`: for files, and for clients that can't render Slack's dates. */
const utc = (date: Date): string => `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`

/** The format of all dates in messages. Slack shows, for example, `today at 2:19 AM` in the reader's time zone. */
const DATE_FORMAT = '{date_short_pretty} at {time}'

/** A date in the reader's time zone. Falls back to plain text before 1970, because APIs often send the year 1 for an empty date. */
export function date(at: Date): RichTextElement {
  const fallback = Number.isNaN(at.getTime()) ? 'invalid date' : utc(at)
  return at.getTime() >= 0
    ? { type: 'date', timestamp: Math.floor(at.getTime() / 1000), format: DATE_FORMAT, fallback }
    : textElement(fallback)
}

/** A date in the reader's time zone, for mrkdwn and the `text` of a message. */
export const formatDate = (at: Date): string => elementText(date(at))

/** A mention of a person. Slack shows their display name. In modals and App Home, the mention notifies nobody. */
export const person = (userId: string): RichTextElement => ({ type: 'user', user_id: userId })

/** A mention of a user group. In modals and in messages that only one person sees, the mention notifies nobody. */
export const group = (groupId: string): RichTextElement => ({ type: 'usergroup', usergroup_id: groupId })

export const paragraph = (line: Line): RichTextSection => ({
  type: 'rich_text_section',
  elements: lineElements(line),
})

export const richText = (...elements: RichTextBlock['elements']): RichTextBlock => ({
  type: 'rich_text',
  elements,
})

/** Text in a separate box, shown literally, easy to copy. */
export const copyable = (text: string): RichTextBlock =>
  richText({ type: 'rich_text_preformatted', elements: [textElement(text)] })

/** A block of the app's own text. Words in backticks are shown as code, except within “…”, which may contain what someone typed. */
export function sentences(text: string): RichTextBlock {
  const spans: { text: string; isCode: boolean }[] = []
  for (const [part] of clip(text, LIMITS.sectionText).matchAll(CODE_OR_TEXT)) {
    const code = /^`(.+)`$/.exec(part)?.[1]
    const last = spans.at(-1)
    if (code !== undefined) spans.push({ text: code, isCode: true })
    else if (last && !last.isCode) last.text += part
    else spans.push({ text: part, isCode: false })
  }
  return lines(spans.map(({ text, isCode }) => textElement(text, isCode ? { code: true } : undefined)))
}

const CODE_OR_TEXT = /`[^`\n]+`|“[^”]*”|[^`“]+|[`“]/g

/** A block with several lines. */
export const lines = (...parts: readonly Line[]): RichTextBlock =>
  richText({
    type: 'rich_text_section',
    elements: parts.flatMap((line, index) => [
      ...(index > 0 ? [textElement('\n')] : []),
      ...lineElements(line),
    ]),
  })

/** Leaves out the empty parts of a list. A line that is only empty text becomes a dash, because Slack rejects empty text. */
export function lineElements(line: Line): RichTextElement[] {
  if (typeof line !== 'object') return [textElement(String(line))]
  if (line instanceof Date) return [date(line)]
  return 'type' in line ? [line] : line.filter((part) => part !== '').flatMap(lineElements)
}

/** The line as mrkdwn, for a message's `text`, fields, and context blocks. */
export const lineText = (line: Line): string => lineElements(line).map(elementText).join('')

/** Joins lines with a separator. */
export const joinLines = (all: readonly Line[], separator: Line = ', '): Line =>
  all.map((line, index) => (index > 0 ? [separator, line] : line))

/** One element as mrkdwn. */
export function elementText(element: RichTextElement): string {
  switch (element.type) {
    case 'text':
      return literal(element.text)
    case 'date':
      return `<!date^${element.timestamp}^${element.format}|${element.fallback}>`
    case 'user':
      return `<@${element.user_id}>`
    case 'usergroup':
      return `<!subteam^${element.usergroup_id}>`
    case 'channel':
      return `<#${element.channel_id}>`
    case 'link':
      return literal(element.text ?? element.url)
    default:
      return ''
  }
}
