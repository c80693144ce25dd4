import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  eventIdsAsText,
  findEventIdsInMessage,
} from '../../../../src/features/threats/event-ids/message-ids.ts'

const ID = '7e57ed00-0000-4000-8000-00000000000a'
const OTHER_ID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'

describe('the IDs in a message', () => {
  it.each([
    { location: 'its text', message: { text: `<https://portal.example.com/${ID}|the event>` } },
    {
      location: 'rich text',
      message: {
        blocks: [
          {
            type: 'rich_text',
            elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: ID }] }],
          },
        ],
      },
    },
    {
      location: 'a link of rich text',
      message: {
        blocks: [{ type: 'rich_text', elements: [{ type: 'link', url: `https://x.example/${ID}` }] }],
      },
    },
    {
      location: "an attachment's field",
      message: { attachments: [{ fields: [{ title: 'Event', value: ID }] }] },
    },
    {
      location: 'a forwarded message',
      message: { attachments: [{ message_blocks: [{ message: { blocks: [{ text: { text: ID } }] } }] }] },
    },
    { location: "a file's title", message: { files: [{ id: 'F1', title: `report-${ID}.pdf` }] } },
  ])('are found in $location', async ({ message }) => {
    expect(await eventIdsAsText(message)).toBe(ID)
  })

  it('are listed without duplicates, starting with those in the text', async () => {
    expect(
      await findEventIdsInMessage({
        files: [{ title: ID }],
        text: `${OTHER_ID} ${ID}`,
        blocks: [{ text: { text: ID } }],
      }),
    ).toEqual([OTHER_ID, ID])
  })

  it.each([
    { source: 'its own ID', message: { text: 'x', client_msg_id: ID } },
    {
      source: 'the ID of a block',
      message: { blocks: [{ type: 'section', block_id: ID, text: { type: 'plain_text', text: 'x' } }] },
    },
    {
      source: "the value of another app's button",
      message: {
        blocks: [
          { type: 'actions', elements: [{ type: 'button', action_id: ID, value: ID, text: { text: 'Go' } }] },
        ],
      },
    },
    {
      source: 'fields of unexpected types',
      message: { text: 5, blocks: 'x', attachments: null, files: [null, [1]] },
    },
  ])('aren’t taken from $source', async ({ message }) => {
    await expect(eventIdsAsText(message)).rejects.toThrow(
      'This message has no threat event ID. An ID looks like',
    )
  })

  it('are searched for within limits, even in malformed, deeply nested, or huge messages', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.object({ maxDepth: 6 }),
        async (message) => void (await findEventIdsInMessage(message)),
      ),
    )
    let nested: unknown = { text: ID }
    for (let depth = 0; depth < 10_000; depth += 1) nested = { blocks: [nested] }
    expect(await findEventIdsInMessage({ blocks: [nested] })).toEqual([])
    expect(await findEventIdsInMessage({ blocks: Array(100_000).fill({ text: 'x' }), text: ID })).toEqual([
      ID,
    ])
  })
})
