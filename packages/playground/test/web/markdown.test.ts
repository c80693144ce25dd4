import { describe, expect, it } from 'vitest'
import { parseMarkdown } from '../../src/web/text/markdown.ts'

const text = (value: string) => ({ kind: 'text', text: value })
const paragraph = (...children: unknown[]) => ({ kind: 'paragraph', children })

describe('the text of a markdown block', () => {
  it.each([
    ['# Title #', [{ kind: 'heading', level: 1, children: [text('Title')] }]],
    ['a\nb\n\nc', [paragraph(text('a'), { kind: 'break' }, text('b')), paragraph(text('c'))]],
    ['**b**', [paragraph({ kind: 'bold', children: [text('b')] })]],
    [
      '*i* _j_',
      [
        paragraph({ kind: 'italic', children: [text('i')] }, text(' '), {
          kind: 'italic',
          children: [text('j')],
        }),
      ],
    ],
    ['~~s~~', [paragraph({ kind: 'strike', children: [text('s')] })]],
    ['`a*b*`', [paragraph({ kind: 'code', children: [text('a*b*')] })]],
    ['\\*plain\\*', [paragraph(text('*plain*'))]],
    [
      '[x](https://example.com)',
      [paragraph({ kind: 'link', url: 'https://example.com', children: [text('x')] })],
    ],
    ['[x](javascript:alert)', [paragraph(text('[x](javascript:alert)'))]],
    ['a <b>no html</b>', [paragraph(text('a <b>no html</b>'))]],
    ['<b>no html</b>', [paragraph(text('<b>no html</b>'))]],
    ['snake_case_name', [paragraph(text('snake_case_name'))]],
    ['---', [{ kind: 'rule' }]],
    [
      '![x](https://example.com/x.png)',
      [paragraph({ kind: 'link', url: 'https://example.com/x.png', children: [text('x')] })],
    ],
    [':x: done :nothing:', [paragraph({ kind: 'emoji', name: 'x' }, text(' done :nothing:'))]],
    [':wave::skin-tone-3:', [paragraph({ kind: 'emoji', name: 'wave::skin-tone-3' })]],
    [
      'see example.com.',
      [
        paragraph(
          text('see '),
          { kind: 'link', url: 'http://example.com', children: [text('example.com')] },
          text('.'),
        ),
      ],
    ],
    ['&lt;b&gt; &amp;', [paragraph(text('<b> &'))]],
    [
      '**a *b***',
      [paragraph({ kind: 'bold', children: [text('a '), { kind: 'italic', children: [text('b')] }] })],
    ],
    ['```js\nlet a\n```', [{ kind: 'pre', children: [text('let a')] }]],
    ['```\nopen', [{ kind: 'pre', children: [text('open')] }]],
    ['> a\n> b', [{ kind: 'quote', blocks: [paragraph(text('a'), { kind: 'break' }, text('b'))] }]],
    [
      '- a\n- b',
      [
        {
          kind: 'list',
          ordered: false,
          start: Number.NaN,
          items: [[paragraph(text('a'))], [paragraph(text('b'))]],
        },
      ],
    ],
  ])('is parsed: %j', (source, tree) => {
    // Ignores the first number of a list, because a list with bullets doesn't show it.
    const parsed = parseMarkdown(source).map((block) =>
      block.kind === 'list' ? { ...block, start: Number.NaN } : block,
    )
    expect(parsed).toEqual(tree)
  })

  it('nests lists by their indentation, and keeps the first number', () => {
    expect(parseMarkdown('3. a\n   - b\n4. c')).toEqual([
      {
        kind: 'list',
        ordered: true,
        start: 3,
        items: [
          [paragraph(text('a')), { kind: 'list', ordered: false, start: 1, items: [[paragraph(text('b'))]] }],
          [paragraph(text('c'))],
        ],
      },
    ])
  })

  it('can contain a table with aligned columns', () => {
    expect(parseMarkdown('| A | B |\n|:-:|--:|\n| 1 | 2 |')).toEqual([
      {
        kind: 'table',
        head: [[text('A')], [text('B')]],
        rows: [[[text('1')], [text('2')]]],
        align: ['center', 'right'],
      },
    ])
  })

  it.each(['> ', '- ', '  - ', '**', '[', '`', '| a '])(
    'is parsed even if it repeats %j for 12,000 characters',
    (unit) => {
      const source = unit.repeat(Math.ceil(12_000 / unit.length))
      expect(parseMarkdown(source).length).toBeGreaterThan(0)
    },
    20_000,
  )
})
