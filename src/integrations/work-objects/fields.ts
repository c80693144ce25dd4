import { clip, listCommands, utc } from '@signalman/slack'
import type { EntityCustomField, EntityMetadata, KnownBlock, RichTextElement } from '@slack/types'
import { formatDay, isTimeZone, toZoned } from '../../domain/dates/zoned.ts'

/** The viewer's time. The time zone is missing if Slack doesn't return it. */
export interface Clock {
  timeZone?: string | undefined
  now: Date
}

/** A line of an answer. A line without a label belongs to the preceding heading. */
interface PaneLine {
  text: string
  label?: string
  isHeading?: boolean
  /** Small print. */
  isNote?: boolean
  /** The bold start of the text. */
  boldStart?: string
  /** The text after the bold start. */
  restOfText?: string
  /** Set if the text is only this moment, as a Unix time. */
  seconds?: number
  /** Set if the value is a channel. */
  channelId?: string
}

/** Slack documents no limits, so values have the limit of a section's text, and there are as many as a message has blocks. */
const MAX_VALUE_LENGTH = 3000
const MAX_FIELDS = 50

/** Converts answers to the fields of a pane. The first line is the status. If something is left out, a field says how to see it. */
export function buildPaneFields(
  answers: readonly (readonly KnownBlock[])[],
  { name, clock, lines }: { name: string; clock: Clock; lines: readonly string[] },
): Pick<EntityMetadata['entity_payload'], 'fields' | 'custom_fields' | 'display_order'> {
  const [first, ...furtherAnswers] = answers.map((blocks) =>
    blocks.flatMap((block) => readBlock(block, clock)),
  )
  const [status, ...rest] = first ?? []
  const shownKeys = new Set(first?.map(createLineKey))
  // The other answers start with a heading, and repeat some lines of the first answer.
  const furtherLines = furtherAnswers.flatMap(([heading, ...all]) => [
    ...(heading
      ? [{ text: heading.boldStart ?? heading.text, isHeading: true }, ...toLineAfterBoldStart(heading)]
      : []),
    ...all.filter((one) => one.isHeading || !shownKeys.has(createLineKey(one))),
  ])
  const all = groupUnderHeadings(
    [...(status ? toLineAfterBoldStart(status) : []), ...rest, ...furtherLines],
    name,
  )
  // An answer with a Next button has more pages.
  const nextPageButtons = listCommands(answers.flat()).flatMap((one) =>
    one.filter(({ label }) => label === 'Next'),
  )
  const isCut =
    all.length > MAX_FIELDS ||
    nextPageButtons.length > 0 ||
    all.some(({ text }) => text.length > MAX_VALUE_LENGTH)
  const fullFields = isCut ? [{ label: 'In full', text: lines.join('\n') }] : []
  const custom_fields = [...all.slice(0, MAX_FIELDS), ...fullFields].map(buildField)
  return {
    fields: { status: { value: clip(status?.boldStart ?? status?.text ?? name, MAX_VALUE_LENGTH) } },
    custom_fields,
    display_order: ['status', ...custom_fields.map(({ key }) => key)],
  }
}

const toLineAfterBoldStart = ({ restOfText: text }: PaneLine): PaneLine[] => (text ? [{ text }] : [])

const createLineKey = ({ label, text }: PaneLine): string => `${label}: ${text}`

/** Groups text without a label under the preceding heading. */
function groupUnderHeadings(all: readonly PaneLine[], name: string): PaneLine[] {
  const fields: PaneLine[] = []
  let heading = name
  let hasText = true
  const add = (text: string, label: string): void => {
    const last = fields.at(-1)
    if (last?.label === label && last.text.length + text.length < MAX_VALUE_LENGTH) last.text += `\n${text}`
    else fields.push({ text, label })
  }
  /** Shows a heading that has no text under it as text. */
  const endHeading = (): void => {
    if (!hasText) add(heading, name)
  }
  for (const line of all) {
    if (line.isHeading) {
      endHeading()
      heading = line.text
    } else if (line.label !== undefined) fields.push(line)
    else add(line.text, line.isNote ? 'Notes' : heading)
    hasText = (hasText || !line.isNote) && !line.isHeading
  }
  endHeading()
  return fields
}

function buildField({ label = '', text, seconds, channelId }: PaneLine, index: number): EntityCustomField {
  const keyAndLabel = { key: `field-${index}`, label: clip(label, 75) }
  // Slack draws it in the viewer's time zone.
  if (seconds !== undefined) return { ...keyAndLabel, type: 'slack#/types/timestamp', value: seconds }
  if (channelId) return { ...keyAndLabel, type: 'slack#/types/channel_id', value: channelId }
  // Without a format, because the content comes from outside and isn't markup.
  return { ...keyAndLabel, type: 'string', value: clip(text, MAX_VALUE_LENGTH), long: text.length > 60 }
}

function readBlock(block: KnownBlock, clock: Clock): PaneLine[] {
  switch (block.type) {
    case 'header':
      return [{ text: block.text.text, isHeading: true }]
    case 'section':
      return [
        ...(block.text ? [{ text: formatPart(block.text, clock) }] : []),
        ...(block.fields ?? []).map((field) => readFact(field.text, clock)),
      ]
    case 'context':
      return block.elements.map((element) => readNote(element, clock))
    case 'rich_text':
      return splitLines(block.elements).map((line) => readLine(line, clock))
    default:
      return []
  }
}

/** Reads a note. In `Shared in <#C1>`, Slack shows the channel's name only to people who may know it. */
function readNote(part: { type: string; text?: string }, clock: Clock): PaneLine {
  const [, label, channelId] = /^([^<]+) <#([CG][A-Z0-9]+)>$/.exec(part.text ?? '') ?? []
  return label && channelId ? { label, text: '', channelId } : { text: formatPart(part, clock), isNote: true }
}

const formatPart = (part: { type: string; text?: string }, clock: Clock): string =>
  part.type === 'mrkdwn' ? toPlainText(part.text ?? '', clock) : (part.text ?? '')

/** Reads `*Label*` with a value below it. */
function readFact(text: string, clock: Clock): PaneLine {
  const [, label = '', value = text] = /^\*(.*)\*\n([\s\S]*)$/.exec(text) ?? []
  const [, seconds] = ONLY_DATE.exec(value) ?? []
  return {
    label: toPlainText(label, clock),
    text: toPlainText(value, clock),
    ...(seconds && { seconds: Number(seconds) }),
  }
}

const ONLY_DATE = /^<!date\^(\d+)\^[^<>]*>$/
const MARKUP = /<!date\^(\d+)\^[^<>]*>|<([^<>|]*)(?:\|([^<>]*))?>/g
const HTML_ENTITIES: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&amp;': '&' }

/** Converts the app's own mrkdwn to plain text. */
const toPlainText = (mrkdwn: string, clock: Clock): string =>
  mrkdwn
    .replace(MARKUP, (_, seconds?: string, to = '', text = to.replace(/^[#@!]/, '')) =>
      seconds === undefined ? text : formatTime(Number(seconds), clock),
    )
    .replace(/&(?:lt|gt|amp);/g, (found) => HTML_ENTITIES[found] ?? found)
    .replaceAll('\u2060', '')

type RichTextElements = Extract<KnownBlock, { type: 'rich_text' }>['elements']

/**
 * Splits elements into lines. The app puts a line break into an element of its own. A line break inside a text is part of the text.
 */
function splitLines(parts: RichTextElements): RichTextElement[][] {
  return parts.flatMap((part) => {
    if (part.type === 'rich_text_list') return splitLines(part.elements)
    const lines: RichTextElement[][] = [[]]
    for (const element of part.elements) {
      const isLineBreak = element.type === 'text' && element.text === '\n'
      if (isLineBreak) lines.push([])
      else lines.at(-1)?.push(element)
    }
    return lines.filter((line) => line.length > 0)
  })
}

function readLine(line: readonly RichTextElement[], clock: Clock): PaneLine {
  const [first, ...rest] = line
  const isBold = first?.type === 'text' && first.style?.bold === true
  const joinTexts = (all: readonly RichTextElement[]) =>
    all.map((element) => formatElement(element, clock)).join('')
  if (!isBold) return { text: joinTexts(line) }
  if (rest.length === 0) return { text: first.text, isHeading: true }
  const text = joinTexts(rest)
  if (!/: ?$/.test(first.text))
    return { text: joinTexts(line), boldStart: first.text, restOfText: text.replace(/^[ ·]+/, '') }
  const [only, ...others] = rest
  const timestamp = only?.type === 'date' && others.length === 0 && { seconds: only.timestamp }
  return { label: first.text.replace(/: ?$/, ''), text, ...timestamp }
}

function formatElement(element: RichTextElement, clock: Clock): string {
  if (element.type === 'date') return formatTime(element.timestamp, clock)
  if (element.type === 'link') return element.text ?? element.url
  return 'text' in element && typeof element.text === 'string' ? element.text : ''
}

/** Formats a time in the viewer's time zone: `today 2:19 AM`. */
export function formatTime(seconds: number, { timeZone = '', now }: Clock): string {
  const at = new Date(seconds * 1000)
  if (!isTimeZone(timeZone)) return utc(at)
  const [wallTime, today] = [toZoned(at, timeZone), toZoned(now, timeZone)]
  const daysAgo = wallTime.toPlainDate().until(today.toPlainDate()).days
  const year = wallTime.year === today.year ? '' : `, ${wallTime.year}`
  const day = ['today', 'yesterday'][daysAgo] ?? `${formatDay(wallTime)}${year}`
  const minute = String(wallTime.minute).padStart(2, '0')
  return `${day} ${wallTime.hour % 12 || 12}:${minute} ${wallTime.hour < 12 ? 'AM' : 'PM'}`
}
