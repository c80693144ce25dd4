import type { RichTextBlock, RichTextElement, RichTextSection } from '@slack/types'
import { utc } from './dates.ts'
import { LIMITS } from './limits.ts'
import { clip, visible } from './text.ts'

/** What a fact may be: text from anywhere (never parsed), a date, or rich text elements of our own making. */
export type FactValue = string | number | Date | RichTextElement[]

type Style = NonNullable<Extract<RichTextElement, { type: 'text' }>['style']>

/** Text that Slack shows letter by letter: rich text is never parsed for markup, links or emoji. */
export function words(text: string, style?: Style): RichTextElement {
  return { type: 'text', text: clip(visible(text), LIMITS.sectionText) || '–', ...(style && { style }) }
}

/** A date in the reader's own time zone. */
export function date(at: Date): RichTextElement {
  // Before 1970 there is no timestamp that Slack takes, and a service's empty date is often the year 1.
  if (!(at.getTime() >= 0)) return words(Number.isNaN(at.getTime()) ? 'unreadable' : utc(at))
  return {
    type: 'date',
    timestamp: Math.floor(at.getTime() / 1000),
    format: '{date_short_pretty} {time}',
    fallback: utc(at),
  }
}

/** Someone in Slack, by the name that the reader knows them by; nobody is notified in windows and in App Home. */
export const person = (userId: string): RichTextElement => ({ type: 'user', user_id: userId })

/** A user group; nobody is notified in windows and in messages that only one person sees. */
export const group = (groupId: string): RichTextElement => ({ type: 'usergroup', usergroup_id: groupId })

export const paragraph = (...elements: RichTextElement[]): RichTextSection => ({
  type: 'rich_text_section',
  elements,
})

export const richText = (...elements: RichTextBlock['elements']): RichTextBlock => ({
  type: 'rich_text',
  elements,
})

/** Text in a box of its own, letter by letter, made to be copied. */
export const copyable = (text: string): RichTextBlock =>
  richText({
    type: 'rich_text_preformatted',
    elements: [{ type: 'text', text: clip(visible(text), LIMITS.sectionText) || '–' }],
  })

export function valueElements(value: FactValue): RichTextElement[] {
  if (Array.isArray(value)) return value
  return [value instanceof Date ? date(value) : words(String(value))]
}
