import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { gfm } from 'micromark-extension-gfm'
import { matchAutolink } from './autolink.ts'
import { matchEmoji } from './emoji.ts'
import { type Align, type Inline, type Match, parseWith, SAFE_URL, type TextBlock, text } from './nodes.ts'

/**
 * GitHub Flavored Markdown without the library's detection of bare URLs, which can overflow the stack on deeply nested text. `readText`
 * detects them instead.
 */
const GFM = {
  extensions: [gfm()],
  mdastExtensions: gfmFromMarkdown().map(({ transforms: _, ...extension }) => extension),
}
type MarkdownNode = RootContent | PhrasingContent
type RootContent = ReturnType<typeof fromMarkdown>['children'][number]
type PhrasingContent = Extract<RootContent, { type: 'paragraph' }>['children'][number]
type Table = Extract<RootContent, { type: 'table' }>

/** Markup that is nested deeper than this is shown as plain text. */
const MAX_DEPTH = 12

type Styled = Extract<Inline, { kind: 'bold' | 'italic' | 'strike' | 'underline' | 'code' }>
const STYLES: Partial<Record<MarkdownNode['type'], Styled['kind']>> = {
  strong: 'bold',
  emphasis: 'italic',
  delete: 'strike',
}

/** Joins adjacent text nodes. */
function joinTexts(nodes: readonly Inline[]): Inline[] {
  const joined: Inline[] = []
  for (const node of nodes) {
    const last = joined.at(-1)
    if (node.kind === 'text' && last?.kind === 'text') joined[joined.length - 1] = text(last.text + node.text)
    else joined.push(node)
  }
  return joined
}

function matchAt(value: string, index: number, findsLinks: boolean): Match | undefined {
  const char = value[index] ?? ''
  if (char === '\n') return { node: { kind: 'break' }, length: 1 }
  if (char === ':') return matchEmoji(value, index)
  const startsWord = /\w/.test(char) && !/[\w@./-]/.test(value[index - 1] ?? '')
  return findsLinks && startsWord ? matchAutolink(value, index) : undefined
}

/** Parses the markup that Slack's clients support in addition to Markdown: line breaks, emoji `:names:`, and bare URLs. */
function readText(value: string, findsLinks: boolean): Inline[] {
  return parseWith(value, (index) => matchAt(value, index, findsLinks))
}

function createBlockReader(source: string) {
  const sourceText = (node: MarkdownNode): string =>
    source.slice(node.position?.start.offset ?? 0, node.position?.end.offset ?? 0)

  function readInline(nodes: readonly PhrasingContent[], depth: number, findsLinks = true): Inline[] {
    return joinTexts(nodes.flatMap((node) => readPhrase(node, depth, findsLinks)))
  }

  function createLink(node: PhrasingContent, url: string, children: Inline[]): Inline[] {
    return SAFE_URL.test(url) ? [{ kind: 'link', url, children }] : [text(sourceText(node))]
  }

  function readPhrase(node: PhrasingContent, depth: number, findsLinks: boolean): Inline[] {
    const kind = STYLES[node.type]
    if (depth > MAX_DEPTH) return [text(sourceText(node))]
    if (kind && 'children' in node)
      return [{ kind, children: readInline(node.children, depth + 1, findsLinks) }]
    switch (node.type) {
      case 'text':
        return readText(node.value, findsLinks)
      case 'inlineCode':
        return [{ kind: 'code', children: [text(node.value)] }]
      case 'break':
        return [{ kind: 'break' }]
      case 'link':
        return createLink(node, node.url, readInline(node.children, depth + 1, false))
      case 'image':
        return createLink(node, node.url, [text(node.alt || node.url)])
      default:
        return [text(sourceText(node))]
    }
  }

  function readTable({ children, align }: Table): TextBlock {
    const [head = [], ...rows] = children.map((row) =>
      row.children.map((cell) => readInline(cell.children, 0)),
    )
    const alignments = head.map((_, column): Align => align?.[column] ?? 'left')
    return { kind: 'table', head, rows, align: alignments }
  }

  function readBlock(node: RootContent, depth: number): TextBlock {
    const sourceParagraph = (): TextBlock => ({ kind: 'paragraph', children: [text(sourceText(node))] })
    if (depth > MAX_DEPTH) return sourceParagraph()
    switch (node.type) {
      case 'paragraph':
        return { kind: 'paragraph', children: readInline(node.children, 0) }
      case 'heading':
        return { kind: 'heading', level: node.depth, children: readInline(node.children, 0) }
      case 'thematicBreak':
        return { kind: 'rule' }
      case 'blockquote':
        return { kind: 'quote', blocks: node.children.map((child) => readBlock(child, depth + 1)) }
      case 'code':
        return { kind: 'pre', children: [text(node.value)] }
      case 'table':
        return readTable(node)
      case 'list':
        return {
          kind: 'list',
          ordered: node.ordered ?? false,
          start: node.start ?? 1,
          items: node.children.map(({ children, checked }) => [
            ...(typeof checked === 'boolean' ? [checkbox(checked)] : []),
            ...children.map((child) => readBlock(child, depth + 1)),
          ]),
        }
      default:
        return sourceParagraph()
    }
  }

  return readBlock
}

/** The checkbox of a task list item. */
function checkbox(isDone: boolean): TextBlock {
  return { kind: 'paragraph', children: [text(isDone ? '☑' : '☐')] }
}

/** Parses the Markdown of a `markdown` block into a tree without HTML. HTML stays text. */
export function parseMarkdown(source: string): TextBlock[] {
  const readBlock = createBlockReader(source)
  return fromMarkdown(source, GFM).children.map((node) => readBlock(node, 0))
}
