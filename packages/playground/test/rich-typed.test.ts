import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { richTextToTyped, typedToRichText } from '../src/rich-typed.ts'
import { checkMessage } from '../src/strict/message.ts'

const t = (text: string, ...styles: string[]) => ({
  type: 'text',
  text,
  ...(styles.length > 0 && { style: Object.fromEntries(styles.map((name) => [name, true])) }),
})
const section = (...elements: object[]) => ({ type: 'rich_text_section', elements })
const list = (style: string, more: object, ...items: string[]) => ({
  type: 'rich_text_list',
  style,
  ...more,
  elements: items.map((item) => section(t(item))),
})

describe('typed text as rich text', () => {
  it.each<[typed: string, elements: object[]]>([
    ['plain', [section(t('plain'))]],
    ['two\nlines', [section(t('two\nlines'))]],
    ['a *b* c', [section(t('a '), t('b', 'bold'), t(' c'))]],
    ['~_*all*_~', [section(t('all', 'strike', 'italic', 'bold'))]],
    ['2*3*4 and snake_case_name', [section(t('2*3*4 and snake_case_name'))]],
    ['`*not bold*`', [section(t('*not bold*', 'code'))]],
    ['see https://example.com/a', [section(t('see '), { type: 'link', url: 'https://example.com/a' })]],
    ['[here](https://example.com)', [section({ type: 'link', url: 'https://example.com', text: 'here' })]],
    [
      '<@U0ADMIN001> :tada: <!here>',
      [
        section({ type: 'user', user_id: 'U0ADMIN001' }, t(' '), { type: 'emoji', name: 'tada' }, t(' '), {
          type: 'broadcast',
          range: 'here',
        }),
      ],
    ],
    ['- one\n- two\n  - deep', [list('bullet', {}, 'one', 'two'), list('bullet', { indent: 1 }, 'deep')]],
    ['3. three\n4. four', [list('ordered', { offset: 2 }, 'three', 'four')]],
    ['> said\n> twice', [{ type: 'rich_text_quote', elements: [t('said\ntwice')] }]],
    [
      'before\n```\n*raw*\n```\nafter',
      [section(t('before')), { type: 'rich_text_preformatted', elements: [t('*raw*')] }, section(t('after'))],
    ],
  ])('is converted there and back: %j', (typed, elements) => {
    expect(typedToRichText(typed)).toEqual({ type: 'rich_text', elements })
    expect(richTextToTyped(typedToRichText(typed))).toBe(typed)
  })

  it('is accepted by Slack and loses no letters, whatever was typed', () => {
    const line = fc.string({ unit: fc.constantFrom(...'ab *_~`>-1.\n:[](){}<@U') })
    fc.assert(
      fc.property(line, (typed) => {
        const rich = typedToRichText(typed)
        const letters = (text: string) => text.replace(/[^abU]/g, '')
        expect(letters(richTextToTyped(rich))).toBe(letters(typed))
        if (typed.trim() !== '') expect(checkMessage({ text: 'x', blocks: [rich] })).toHaveProperty('blocks')
      }),
      { numRuns: 500 },
    )
  })
})
