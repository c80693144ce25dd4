import { READ_ON, type Surface } from './rule.ts'

/** The maximum number of blocks, by surface. */
export const MAX_BLOCKS: Readonly<Record<Surface, number>> = { message: 50, modal: 100, home: 100 }

/** The maximum number of blocks of one type in a message, where Slack has a limit. */
export const MAX_PER_MESSAGE: Readonly<Record<string, number>> = { data_visualization: 2 }

/** The maximum length of all text in a message's blocks. */
export const MAX_BLOCK_TEXT_LENGTH = 13_200
/** Slack cuts off longer texts. The playground rejects them, so that no test passes with half a message. */
export const MAX_TEXT_LENGTH = 40_000
export const MAX_ATTACHMENTS = 100
export const MAX_VIEW_BYTES = 250_000

/** A rule for a whole message or view. */
export interface Limit {
  description: string
  /** The page that it comes from. */
  source: string
  /** When that page was read: year and month. */
  readOn: string
}

const REFERENCE = 'https://docs.slack.dev/reference/'
const BLOCKS = `${REFERENCE}block-kit/blocks`

/** The rules for whole messages and views. */
export const LIMITS: readonly Limit[] = [
  {
    description: `At most ${MAX_BLOCKS.message} blocks in a message, ${MAX_BLOCKS.modal} in a modal, and ${MAX_BLOCKS.home} in a Home tab.`,
    source: BLOCKS,
    readOn: READ_ON,
  },
  { description: 'A `block_id` must be unique.', source: `${BLOCKS}/section-block`, readOn: READ_ON },
  {
    description: 'At most one element can have `focus_on_load`.',
    source: `${REFERENCE}block-kit/block-elements/plain-text-input-element`,
    readOn: READ_ON,
  },
  ...Object.entries(MAX_PER_MESSAGE).map(([type, max]) => ({
    description: `In a message: at most ${max} \`${type}\` ${max === 1 ? 'block' : 'blocks'}.`,
    source: `${BLOCKS}/${type.replaceAll('_', '-')}-block`,
    readOn: READ_ON,
  })),
  {
    description:
      'In a message: at most one table. Otherwise, the error is `invalid_attachments` with `only_one_table_allowed`.',
    source: `${BLOCKS}/table-block`,
    readOn: READ_ON,
  },
  {
    description: `In a message: at most ${MAX_BLOCK_TEXT_LENGTH} characters of text in all blocks together. Slack doesn't document this; developers measured it.`,
    source: 'https://github.com/slackapi/bolt-js/issues/2509',
    readOn: READ_ON,
  },
  {
    description: `In a message: at most ${MAX_TEXT_LENGTH} characters of \`text\`. Slack cuts off the rest with the warning \`message_truncated\`; the playground rejects the message, so that no test passes with half of it.`,
    source: 'https://docs.slack.dev/changelog/2018-04-truncating-really-long-messages',
    readOn: READ_ON,
  },
  {
    description: `In a message: at most ${MAX_ATTACHMENTS} attachments.`,
    source: `${REFERENCE}methods/chat.postMessage`,
    readOn: READ_ON,
  },
  {
    description: `At most ${MAX_VIEW_BYTES / 1000} KB in a view.`,
    source: `${REFERENCE}methods/views.open`,
    readOn: READ_ON,
  },
]
