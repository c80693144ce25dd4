import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseInline, parseMrkdwn } from '../../src/web/text/mrkdwn.ts'
import type { Inline, TextBlock } from '../../src/web/text/nodes.ts'
import { SAFE_URL } from '../../src/web/text/nodes.ts'

const TAGS = { bold: 'b', italic: 'i', strike: 's', code: 'code' } as const

/** Renders the tree as text that shows every node: `<b>…</b>`, `[url|label]`, `{kind:id}`. */
function renderInline(nodes: readonly Inline[]): string {
  return nodes
    .map((node) => {
      switch (node.kind) {
        case 'text':
          return node.text
        case 'break':
          return '⏎'
        case 'link':
          return `[${node.url}|${renderInline(node.children)}]`
        case 'user':
        case 'channel':
        case 'usergroup':
          return `{${node.kind}:${node.id}${node.label ? `|${node.label}` : ''}}`
        case 'broadcast':
          return `{broadcast:${node.range}}`
        case 'date':
          return `{date:${node.timestamp}^${node.format}${node.url ? `^${node.url}` : ''}|${node.fallback}}`
        case 'emoji':
          return `{emoji:${node.name}}`
        default:
          return `<${TAGS[node.kind]}>${renderInline(node.children)}</${TAGS[node.kind]}>`
      }
    })
    .join('')
}

function renderBlocks(blocks: readonly TextBlock[]): string {
  return blocks
    .map((block) => {
      if (block.kind === 'quote') return `quote(${renderBlocks(block.blocks)})`
      if (block.kind === 'pre') return `pre(${renderInline(block.children)})`
      return renderInline(block.children)
    })
    .join(' ¶ ')
}

describe('a line of mrkdwn', () => {
  it.each([
    ['*bold* _italic_ ~strike~ `code`', '<b>bold</b> <i>italic</i> <s>strike</s> <code>code</code>'],
    ['snake_case_name and 2*3*4', 'snake_case_name and 2*3*4'],
    ['*a `*` b*', '<b>a <code>*</code> b</b>'],
  ])('can contain styles: %s', (source, tree) => {
    expect(renderInline(parseInline(source, { verbatim: true }))).toBe(tree)
  })

  it.each([
    ['<@U0MEMBER01> <@W1|who>', '{user:U0MEMBER01} {user:W1|who}'],
    ['<#C0GENERAL1> <#C1|general>', '{channel:C0GENERAL1} {channel:C1|general}'],
    ['<!here> <!channel> <!everyone>', '{broadcast:here} {broadcast:channel} {broadcast:everyone}'],
    ['<!subteam^S1|@ops>', '{usergroup:S1|@ops}'],
    ['<!date^1392734382^{date_num} {time}|then>', '{date:1392734382^{date_num} {time}|then}'],
    ['<https://example.com/?a=1&amp;b=2>', '[https://example.com/?a=1&b=2|https://example.com/?a=1&b=2]'],
    ['<https://example.com|A &amp; B>', '[https://example.com|A & B]'],
    ['<mailto:ann@example.com|ann@example.com>', '[mailto:ann@example.com|ann@example.com]'],
    ['<javascript:alert(1)|x>', '<javascript:alert(1)|x>'],
    [':tada: :+1: :thumbsup::skin-tone-3:', '{emoji:tada} {emoji:+1} {emoji:thumbsup::skin-tone-3}'],
    [':no_such_emoji: 10:30:15 :constructor:', ':no_such_emoji: 10:30:15 :constructor:'],
  ])('can contain mentions, links, dates, and emoji: %s', (source, tree) => {
    expect(renderInline(parseInline(source))).toBe(tree)
  })

  it.each([
    ['&lt;!channel&gt;', '<!channel>'],
    ['&lt;@U0MEMBER01&gt; &lt;https://example.test|x&gt;', '<@U0MEMBER01> <https://example.test|x>'],
  ])('has its entities decoded last, and only once: %s', (source, shown) => {
    expect(renderInline(parseInline(source, { verbatim: true }))).toBe(shown)
  })

  it.each([
    ['see https://example.com/a_b_c.', 'see [https://example.com/a_b_c|https://example.com/a_b_c].'],
    [
      'www.example.com/x and example.org',
      '[http://www.example.com/x|www.example.com/x] and [http://example.org|example.org]',
    ],
    ['example.com.evil.invalid', 'example.com.evil.invalid'],
    ['hxxps://exa[.]mple 192.0.2.1 main.rs', 'hxxps://exa[.]mple 192.0.2.1 main.rs'],
  ])('has links for bare URLs: %s', (source, tree) => {
    expect(renderInline(parseInline(source))).toBe(tree)
  })

  it('has no links for bare URLs if it is verbatim, but keeps other markup', () => {
    expect(
      renderInline(
        parseInline('*x* example.com https://example.com <https://example.com|y>', { verbatim: true }),
      ),
    ).toBe('<b>x</b> example.com https://example.com [https://example.com|y]')
  })
})

it.each([
  ['*a\nb*', '*a⏎b*'],
  ['&gt; quoted\n&gt;more\nafter', 'quote(quoted⏎more) ¶ after'],
  ['before\n&gt;&gt;&gt;all\nthe rest', 'before ¶ quote(all⏎the rest)'],
  ['```one\n two```', 'pre(one⏎ two)'.replace('⏎', '\n')],
  ['x\n```\ncode *a* &lt;\n```\ny', 'x ¶ pre(code *a* <) ¶ y'],
])('multi-line text is parsed: %j', (source, tree) => {
  expect(renderBlocks(parseMrkdwn(source))).toBe(tree)
})

describe('any mrkdwn text', () => {
  const markupText = fc.string({
    unit: fc.constantFrom(...'*_~`<>|!@#&;:^{}/.\n ab1', 'https://', '&lt;', '&amp;', '```'),
    maxLength: 400,
  })
  const collectUrls = (nodes: readonly Inline[]): string[] =>
    nodes.flatMap((node) => {
      if (node.kind === 'link') return [node.url, ...collectUrls(node.children)]
      return 'children' in node ? collectUrls(node.children) : []
    })

  it('is parsed without errors, with links only to http, https, and mailto', () => {
    fc.assert(
      fc.property(markupText, (source) => {
        for (const block of parseMrkdwn(source)) {
          const nodes = 'children' in block ? block.children : []
          expect(collectUrls(nodes).filter((url) => !SAFE_URL.test(url))).toEqual([])
        }
      }),
      { numRuns: 500 },
    )
  })

  it('is shown exactly as written if it was escaped', () => {
    const escapeText = (text: string) =>
      text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
    const plainText = fc.string({ unit: fc.constantFrom(...'<>&;!@#|^abc ltgamp'), maxLength: 80 })
    fc.assert(
      fc.property(plainText, (text) => {
        expect(renderInline(parseInline(escapeText(text), { verbatim: true }))).toBe(text)
      }),
    )
  })
})
