import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/protocol/json.ts'
import { checkMessage } from '../../src/validation/message.ts'
import {
  actions,
  button,
  confirm,
  mrkdwn,
  option,
  plain,
  repeatX,
  rich,
  section,
  select,
  times,
} from './samples.ts'

/** Valid blocks of every kind, with values at their limits. */
const VALID_BLOCKS: Json[] = [
  section({ text: mrkdwn(repeatX(3000)), fields: times(10, () => plain('x')), expand: true }),
  section({
    accessory: button({ style: 'danger', confirm: confirm({ style: 'danger' }) }),
  }),
  section({ text: mrkdwn('😀'.repeat(3000)) }),
  { type: 'header', text: { ...plain(repeatX(150)), emoji: true } },
  { type: 'divider' },
  { type: 'context', elements: [mrkdwn('x'), plain('x')] },
  actions(button({ value: '' }), select({ initial_option: option() })),
  { type: 'input', label: plain('L'), element: { type: 'plain_text_input' } },
  rich({ type: 'rich_text_quote', elements: [{ type: 'link', url: 'https://example.com' }] }),
]

describe('a message', () => {
  it.each(VALID_BLOCKS.map((block, index) => ({ index, block })))(
    'is accepted with valid block $index',
    ({ block }) => {
      expect(checkMessage({ blocks: [block] })).not.toHaveProperty('notes')
    },
  )

  it('is rejected with unescaped characters, which Slack accepts and guesses the meaning of', () => {
    expect(checkMessage({ text: 'Tom & Jerry' })).toMatchObject({ error: 'invalid_arguments' })
    expect(checkMessage({ blocks: [section({ text: mrkdwn('a -> b') })] })).toMatchObject({
      error: 'invalid_blocks',
    })
  })

  it.each<[blocks: Json[], error: string, note: RegExp]>([
    [times(5, () => section({ text: mrkdwn(repeatX(2641)) })), 'msg_blocks_too_long', /at most 13200/],
    [times(51, () => ({ type: 'divider' })), 'invalid_blocks', /no more than 50 items/],
    [times(2, () => ({ type: 'divider', block_id: 'b' })), 'invalid_blocks', /"b" already exists/],
  ])('is rejected with too many of something: %#', (blocks, error, note) => {
    expect(checkMessage({ blocks })).toMatchObject({ error, notes: [expect.stringMatching(note)] })
  })

  it('gets block and action IDs if they are missing', () => {
    const checked = checkMessage({
      blocks: [section({ accessory: button() }), actions(button(), button({ action_id: 'mine' }))],
    })
    if ('error' in checked) throw new Error(checked.error)
    const ids = JSON.stringify(checked.blocks)
    expect(ids.match(/"action_id":"[^"]+"/g)).toHaveLength(3)
    expect(ids).toContain('"action_id":"mine"')
    expect(checked.blocks.every(({ block_id }) => block_id !== '')).toBe(true)
  })
})
