import type { Surface } from './rule.ts'

// The rules for whole messages and views, from https://docs.slack.dev/reference (November 2026), unless another source is named.

/** The maximum number of blocks, by surface. */
export const MAX_BLOCKS: Readonly<Record<Surface, number>> = { message: 50, modal: 100, home: 100 }

/** The maximum length of all text in a message's blocks, as developers measured it: slackapi/bolt-js issue 2509 (November 2026). */
export const MAX_BLOCK_TEXT_LENGTH = 13_200

/**
 * Slack cuts off longer texts (docs.slack.dev/changelog/2018-04-truncating-really-long-messages, November 2026). The playground rejects
 * them, so that no test passes with half a message.
 */
export const MAX_TEXT_LENGTH = 40_000
export const MAX_VIEW_BYTES = 250_000
