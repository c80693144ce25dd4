import type { RichTextBlock, RichTextElement, RichTextSection } from '@slack/types'
import { utc } from './dates.ts'
import { LIMITS } from './limits.ts'
import { clip, visible } from './text.ts'

/** What a fact may be: text from anywhere (never parsed), a date, or rich text elements of our own making. */
export type Value = string | number | Date | RichTextElement[]

type Style = NonNullable<Extract<RichTextElement, { type: 'text' }>['style']>

/** Text that Slack shows letter by letter: rich text is never parsed for markup, links or emoji. */
export function words(text: string, style?: Style): RichTextElement {
  return { type: 'text', text: clip(visible(text), LIMITS.sectionText) || '–', ...(style && { style }) }
}

/** A date in the reader's own time zone. */
export function date(at: Date): RichTextElement {
  return {
    type: 'date',
    timestamp: Math.floor(at.getTime() / 1000),
    format: '{date_short_pretty} {time}',
    fallback: utc(at),
  }
}

export const paragraph = (...elements: RichTextElement[]): RichTextSection => ({
  type: 'rich_text_section',
  elements,
})

export const richText = (...elements: RichTextBlock['elements']): RichTextBlock => ({
  type: 'rich_text',
  elements,
})

function valueElements(value: Value): RichTextElement[] {
  if (Array.isArray(value)) return value
  return [value instanceof Date ? date(value) : words(String(value))]
}

/** `Label: value` lines in one block, in the order given; entries without a value are left out. */
export function facts(
  entries: readonly (readonly [label: string, value: Value | undefined])[],
): RichTextBlock {
  const lines = entries.flatMap(([label, value]) => (value === undefined ? [] : [{ label, value }]))
  return richText(
    paragraph(
      ...lines.flatMap(({ label, value }, index) => [
        words(`${index === 0 ? '' : '\n'}${label}: `, { bold: true }),
        ...valueElements(value),
      ]),
    ),
  )
}
