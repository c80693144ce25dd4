import type { RichTextBlock, RichTextElement } from '@slack/types'
import { type FactValue, paragraph, richText, valueElements, words } from './rich-text.ts'

/** A label and its value; without a value it is left out. */
export type Fact = readonly [label: string, value: FactValue | undefined]

/** `Label: value` lines in one block, in the order given. */
export function facts(entries: readonly Fact[]): RichTextBlock {
  return richText(
    paragraph(
      ...present(entries).flatMap(([label, value], index) => [
        words(`${index === 0 ? '' : '\n'}${label}: `, { bold: true }),
        ...valueElements(value),
      ]),
    ),
  )
}

/** The same lines as words, for a message's `text`; still to be made `literal`. */
export function factLines(entries: readonly Fact[]): string {
  return present(entries)
    .map(([label, value]) => `${label}: ${valueElements(value).map(spoken).join('')}`)
    .join('\n')
}

const present = (entries: readonly Fact[]) =>
  entries.flatMap(([label, value]) => (value === undefined ? [] : [[label, value] as const]))

function spoken(element: RichTextElement): string {
  if (element.type === 'text') return element.text
  if (element.type === 'channel') return element.channel_id
  return element.type === 'date' ? (element.fallback ?? '') : ''
}
