import { paragraph, richText, words } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { type CardLine, lineElements } from '../lines.ts'

/** Lines under a heading, or a sentence when there are none. */
export function linesBlock(lines: readonly CardLine[], instead: string, heading?: string): KnownBlock {
  const head = heading ? [words(heading, { bold: true })] : []
  if (lines.length === 0) return richText(paragraph(...head, words(instead)))
  const body = lines.flatMap((line, index) => [
    ...(heading || index > 0 ? [words('\n')] : []),
    ...lineElements(line),
  ])
  return richText(paragraph(...head, ...body))
}
