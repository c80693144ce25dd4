import { age, date, literal, utc, when, words } from '@signalman/slack'
import type { RichTextElement } from '@slack/types'

/** A piece of a line: safe text, or a date. */
export type Part = string | Date

/** One line of an event's details, for blocks and for the screen reader. */
export interface CardLine {
  label?: string
  parts: readonly Part[]
}

/** `Label: parts`, or nothing when every part is empty. */
export function fact(label: string, ...parts: (Part | undefined)[]): CardLine[] {
  const said = parts.flatMap((part) => (part === undefined || part === '' ? [] : [part]))
  return said.length === 0 ? [] : [{ label, parts: said }]
}

/** A date with its distance from now and from the report; nothing when there is no date. */
export function dated(at: Date | undefined, now: Date, reported?: Date): Part[] {
  if (!at) return []
  const distance = at > now ? `in ${age(now, at)}` : `${age(at, now)} ago`
  const before = reported && at <= reported ? `, ${age(at, reported)} before the report` : ''
  // Slack formats only dates after 1970.
  return [at.getTime() < 0 ? utc(at) : at, ` (${distance}${before})`]
}

export function lineElements({ label, parts }: CardLine): RichTextElement[] {
  return [...(label ? [words(`${label}: `, { bold: true })] : []), ...parts.map(partElement)]
}

function partElement(part: Part): RichTextElement {
  if (part instanceof Date) return date(part)
  return words(part)
}

/** The line for a message's `text`. */
export function lineText({ label, parts }: CardLine): string {
  return (label ? `${label}: ` : '') + parts.map(partText).join('')
}

function partText(part: Part): string {
  return part instanceof Date ? when(part) : literal(part)
}
