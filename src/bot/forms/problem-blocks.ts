import type { KnownBlock } from '@slack/types'
import { commandButton } from '../../blocks/command-buttons.ts'
import { actions, say, section } from '../../blocks/layout.ts'
import { LIMITS } from '../../blocks/limits.ts'
import { type Explained, grantersOf, problemWords } from '../replies/explain.ts'
import { NOT_WRITTEN } from '../requests/not-begun.ts'

/** The blocks that say why the form is shown again, and how to mend it. */
const PROBLEM_BLOCKS: readonly string[] = ['problem', 'problem-more', 'problem-granters', 'problem-offers']

export const isProblem = (blockId = ''): boolean =>
  PROBLEM_BLOCKS.includes(blockId) || blockId.startsWith(FAULT)

/** Prefix of the id of the block below a field that says what is wrong with its answer. */
const FAULT = 'problem-at.'

/** Slack shows errors at fields only in its acknowledgement; a later one is a block below the field. */
export function withFaults(blocks: readonly KnownBlock[], fields: Explained['fields'] = {}): KnownBlock[] {
  return blocks.flatMap((block) => {
    const field = block.block_id ?? ''
    const says = Object.hasOwn(fields, field) ? fields[field] : undefined
    return says ? [block, { ...section(`⚠ ${says}`), block_id: `${FAULT}${field}` }] : [block]
  })
}

export function problemBlocks(problem: Explained, reference: string): KnownBlock[] {
  const [ours, theirs] = problemWords(problem)
  const words = [`${ours}\nReference: ${reference}`, theirs].filter(Boolean)
  const mends = actions(
    ...problem.offers
      .slice(0, LIMITS.actionElements)
      .map(({ label, line, replaces = false }) => commandButton(label, line, { inPlace: replaces })),
  )
  const granters = grantersOf(problem)
  const blocks = [...words.map((text) => section(text)), ...(granters ? [say(granters)] : []), ...mends]
  return blocks.map((block, index) => ({
    ...block,
    block_id: PROBLEM_BLOCKS[index] ?? '',
  }))
}

/** Says that nothing was begun. */
export const notWritten = (): KnownBlock => ({ ...section(NOT_WRITTEN), block_id: PROBLEM_BLOCKS[0] ?? '' })
