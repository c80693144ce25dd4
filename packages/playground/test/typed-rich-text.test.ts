import { describe, expect, it } from 'vitest'
import { typedToRichText } from '../src/rules/values/typed-rich-text.ts'

const span = (text: string, ...styles: string[]) => ({
  type: 'text',
  text,
  ...(styles.length > 0 && { style: Object.fromEntries(styles.map((name) => [name, true])) }),
})
const section = (...elements: object[]) => ({ type: 'rich_text_section', elements })
const list = (style: string, extraFields: object, ...items: string[]) => ({
  type: 'rich_text_list',
  style,
  ...extraFields,
  elements: items.map((item) => section(span(item))),
})

describe('typed text as rich text', () => {
  it.each<[typed: string, elements: object[]]>([
    ['plain', [section(span('plain'))]],
    ['two\nlines', [section(span('two\nlines'))]],
    ['a *b* c', [section(span('a '), span('b', 'bold'), span(' c'))]],
    ['~_*all*_~', [section(span('all', 'strike', 'italic', 'bold'))]],
    ['2*3*4 and snake_case_name', [section(span('2*3*4 and snake_case_name'))]],
    ['`*not bold*`', [section(span('*not bold*', 'code'))]],
    ['see https://example.com/a', [section(span('see '), { type: 'link', url: 'https://example.com/a' })]],
    ['[here](https://example.com)', [section({ type: 'link', url: 'https://example.com', text: 'here' })]],
    [
      '<@U0ADMIN001> :tada: <!here>',
      [
        section(
          { type: 'user', user_id: 'U0ADMIN001' },
          span(' '),
          { type: 'emoji', name: 'tada', unicode: '1f389' },
          span(' '),
          {
            type: 'broadcast',
            range: 'here',
          },
        ),
      ],
    ],
    ['at 10:30:00', [section(span('at 10'), span(':30:'), span('00'))]],
    ['- one\n- two\n  - deep', [list('bullet', {}, 'one', 'two'), list('bullet', { indent: 1 }, 'deep')]],
    ['3. three\n4. four', [list('ordered', { offset: 2 }, 'three', 'four')]],
    ['> said\n> twice', [{ type: 'rich_text_quote', elements: [span('said\ntwice')] }]],
    [
      'before\n```\n*raw*\n```\nafter',
      [
        section(span('before')),
        { type: 'rich_text_preformatted', elements: [span('*raw*')] },
        section(span('after')),
      ],
    ],
  ])('is converted to rich text: %j', (typed, elements) => {
    expect(typedToRichText(typed)).toEqual({ type: 'rich_text', elements })
  })
})

it('ends a URL where a message does: at a vertical bar', () => {
  expect(typedToRichText('https://shop.example.com/a|b').elements).toEqual([
    {
      type: 'rich_text_section',
      elements: [
        { type: 'link', url: 'https://shop.example.com/a' },
        { type: 'text', text: '|b' },
      ],
    },
  ])
})
