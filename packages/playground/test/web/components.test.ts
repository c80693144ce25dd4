import { describe, expect, it } from 'vitest'
import { toTextBlock } from '../../src/web/text/rich.ts'

describe('rich text', () => {
  it('never parses its text as markup', () => {
    expect(
      toTextBlock({ type: 'rich_text_section', elements: [{ type: 'text', text: '*x* <@U1> &lt;' }] }),
    ).toEqual({
      kind: 'paragraph',
      children: [{ kind: 'text', text: '*x* <@U1> &lt;' }],
    })
  })

  it('applies styles to text and mentions', () => {
    expect(
      toTextBlock({
        type: 'rich_text_section',
        elements: [{ type: 'user', user_id: 'U1', style: { bold: true, code: true } }],
      }),
    ).toEqual({
      kind: 'paragraph',
      children: [{ kind: 'bold', children: [{ kind: 'code', children: [{ kind: 'user', id: 'U1' }] }] }],
    })
  })
})
