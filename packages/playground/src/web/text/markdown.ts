import { markdownInline } from './markdown-inline.ts'
import type { Align, Inline, Piece } from './nodes.ts'

const FENCE = /^\s{0,3}(```|~~~)/
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/
const RULE = /^ {0,3}(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$/
const QUOTE = /^ {0,3}> ?/
const ITEM = /^( {0,12})(?:([-*+])|(\d{1,9})[.)])\s+(.*)$/
const DIVIDER_ROW = /^ {0,3}\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/

/** Lines still to be read; every reader takes at least one, so reading ends. */
interface Lines {
  all: readonly string[]
  at: number
  depth: number
}

function peek(lines: Lines): string {
  return lines.all[lines.at] ?? ''
}

function takeWhile(lines: Lines, fits: (line: string) => boolean): string[] {
  const out: string[] = []
  while (lines.at < lines.all.length && fits(peek(lines))) {
    out.push(peek(lines))
    lines.at += 1
  }
  return out
}

function fence(lines: Lines): Piece {
  const mark = FENCE.exec(peek(lines))?.[1] ?? '```'
  lines.at += 1
  const body = takeWhile(lines, (line) => !line.trimStart().startsWith(mark))
  lines.at += 1
  return { kind: 'pre', children: [{ kind: 'text', text: body.join('\n') }] }
}

function quote(lines: Lines): Piece {
  const inner = takeWhile(lines, (line) => QUOTE.test(line)).map((line) => line.replace(QUOTE, ''))
  return { kind: 'quote', pieces: read(inner, lines.depth + 1) }
}

function list(lines: Lines): Piece {
  const first = ITEM.exec(peek(lines))
  const indent = first?.[1]?.length ?? 0
  const ordered = first?.[3] !== undefined
  const items: Piece[][] = []
  while (lines.at < lines.all.length) {
    const match = ITEM.exec(peek(lines))
    if (!match || (match[1]?.length ?? 0) !== indent || (match[3] !== undefined) !== ordered) break
    lines.at += 1
    const deeper = takeWhile(
      lines,
      (line) => line.trim() !== '' && /^ */.exec(line)?.[0].length !== 0 && indentOf(line) > indent,
    )
    const shift = deeper.length > 0 ? Math.min(...deeper.map(indentOf)) : 0
    items.push(read([match[4] ?? '', ...deeper.map((line) => line.slice(shift))], lines.depth + 1))
  }
  return { kind: 'list', ordered, start: Number(first?.[3] ?? 1), items }
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length
}

function cells(line: string): Inline[][] {
  const bare = line.trim().replace(/^\||(?<!\\)\|$/g, '')
  return bare.split(/(?<!\\)\|/).map((cell) => markdownInline(cell.trim().replaceAll('\\|', '|')))
}

function alignOf(cell: string): Align {
  const right = cell.trim().endsWith(':')
  if (right && cell.trim().startsWith(':')) return 'center'
  return right ? 'right' : 'left'
}

function table(lines: Lines): Piece {
  const head = cells(peek(lines))
  lines.at += 1
  const align = peek(lines)
    .trim()
    .replace(/^\||\|$/g, '')
    .split('|')
    .map(alignOf)
  lines.at += 1
  const rows = takeWhile(lines, (line) => line.includes('|')).map(cells)
  return { kind: 'table', head, rows, align }
}

function startsTable(lines: Lines): boolean {
  const next = lines.all[lines.at + 1] ?? ''
  return peek(lines).includes('|') && next.includes('-') && DIVIDER_ROW.test(next)
}

function startsBlock(line: string): boolean {
  return [FENCE, HEADING, RULE, QUOTE, ITEM].some((pattern) => pattern.test(line))
}

function paragraph(lines: Lines): Piece {
  const first = peek(lines)
  lines.at += 1
  const rest = takeWhile(lines, (line) => line.trim() !== '' && !startsBlock(line))
  const children = [first, ...rest].flatMap((line, index) => [
    ...(index > 0 ? [{ kind: 'break' } as const] : []),
    ...markdownInline(line.trim()),
  ])
  return { kind: 'paragraph', children }
}

function piece(lines: Lines): Piece {
  const line = peek(lines)
  const heading = HEADING.exec(line)
  if (heading) {
    lines.at += 1
    return { kind: 'heading', level: heading[1]?.length ?? 1, children: markdownInline(heading[2] ?? '') }
  }
  if (FENCE.test(line)) return fence(lines)
  if (RULE.test(line)) {
    lines.at += 1
    return { kind: 'rule' }
  }
  if (lines.depth < 8 && QUOTE.test(line)) return quote(lines)
  if (lines.depth < 8 && ITEM.test(line)) return list(lines)
  return startsTable(lines) ? table(lines) : paragraph(lines)
}

function read(all: readonly string[], depth: number): Piece[] {
  const lines: Lines = { all, at: 0, depth }
  const pieces: Piece[] = []
  while (lines.at < all.length) {
    if (peek(lines).trim() === '') lines.at += 1
    else pieces.push(piece(lines))
  }
  return pieces
}

/** Reads the Markdown of a `markdown` block: headings, lists, quotes, fences, tables, rules and inline styles; no HTML. */
export function parseMarkdown(source: string): Piece[] {
  return read(source.split(/\r?\n/), 0)
}
