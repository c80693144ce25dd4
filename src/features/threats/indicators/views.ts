import { actions, commandButton, context, paragraph, richText, words } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import type { Modal } from '../../../bot/routes/routes.ts'
import { windowOf } from '../details/views.ts'
import { leftOutNote } from './export.ts'
import { type Indicator, indicatorsOf, KIND_NAMES } from './indicators.ts'

/** Most characters of one piece of text. A longer value is left out: half an address is another address. */
const MAX_VALUE = 2900
const MAX_TEXT = 20_000
const MAX_VALUES = 300

/**
 * The real values, fanged, to be copied: in a window, which only the person who opened it sees, and in preformatted rich
 * text, which Slack never makes links of.
 */
export function copyWindow(opened: Parameters<typeof windowOf>[1]): Modal {
  const indicators = indicatorsOf(opened.event)
  const { all } = indicators
  const leftOut = leftOutNote(indicators).trim()
  const shown = withinRoom(all)
  const left = all.length - shown.length
  const groups = Object.entries(KIND_NAMES).flatMap(([kind, [one, many]]) => {
    const values = shown.filter((indicator) => indicator.kind === kind)
    return values.length === 0 ? [] : [groupBlock(values.length === 1 ? one : many, values)]
  })
  return windowOf('Copy', opened, [
    context('These are the real values. Do not open them: they may do harm.'),
    ...(groups.length > 0 ? groups : [richText(paragraph(words('This event holds nothing to copy.')))]),
    ...(left > 0 ? [context(`and ${left} more: the export has them all`)] : []),
    ...(leftOut ? [context(leftOut)] : []),
    ...(all.length > 0 ? actions(commandButton('Export indicators', `/threat export ${opened.id}`)) : []),
  ])
}

function withinRoom(all: readonly Indicator[]): Indicator[] {
  let size = 0
  const shown = all.filter(({ value }) => {
    if (value.length > MAX_VALUE || size + value.length > MAX_TEXT) return false
    size += value.length + 1
    return true
  })
  return shown.slice(0, MAX_VALUES)
}

function groupBlock(name: string, values: readonly Indicator[]): KnownBlock {
  const heading = name.charAt(0).toUpperCase() + name.slice(1)
  const lines = values.map(({ kind, value }) => (kind === 'as' ? `AS${value}` : value))
  return richText(paragraph(words(heading, { bold: true })), {
    type: 'rich_text_preformatted',
    elements: lines.map((line, index) => ({
      type: 'text' as const,
      text: index === 0 ? line : `\n${line}`,
    })),
  })
}
