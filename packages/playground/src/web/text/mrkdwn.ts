import { autolinkAt } from './autolink.ts'
import { emojiAt } from './emoji.ts'
import { type Inline, type Match, parseWith, type TextBlock } from './nodes.ts'
import { decode, parseToken } from './token.ts'

export interface MrkdwnOptions {
  /** Like Slack's `verbatim`: bare URLs stay text. Off by default, as in Slack. */
  verbatim?: boolean
}

const STYLES = { '*': 'bold', _: 'italic', '~': 'strike' } as const
type Marker = keyof typeof STYLES

const WORD = /[\p{L}\p{N}]/u
const TOKEN_AT = /<([^<>\n]{1,3000})>/y

interface Scan {
  source: string
  verbatim: boolean
  /** The markers of the styles around this text. A marker inside itself is a plain character, so the depth is at most 3. */
  openMarkers: string
  /** Markers that aren't closed later in the text. Remembering them keeps scanning linear for hostile text. */
  unmatchedMarkers: Set<string>
}

function isWord(char: string | undefined): boolean {
  return char !== undefined && WORD.test(char)
}

function tokenAt(source: string, at: number): Match | undefined {
  TOKEN_AT.lastIndex = at
  const match = TOKEN_AT.exec(source)
  const node = match?.[1] === undefined ? undefined : parseToken(match[1])
  return node && match ? { node, length: match[0].length } : undefined
}

/** The content of code, in which only `<…>` has a meaning. */
function codeChildren(source: string): Inline[] {
  return parseWith(source, (at) => (source[at] === '<' ? tokenAt(source, at) : undefined), decode)
}

function codeAt({ source, unmatchedMarkers }: Scan, at: number): Match | undefined {
  if (unmatchedMarkers.has('`')) return undefined
  const close = source.indexOf('`', at + 1)
  if (close < 0) unmatchedMarkers.add('`')
  if (close <= at + 1) return undefined
  const inner = source.slice(at + 1, close)
  if (inner.trim() === '') return undefined
  return { node: { kind: 'code', children: codeChildren(inner) }, length: close + 1 - at }
}

/** The index of the closing marker: not after a space, not before a word character, and outside of `<…>` and code. */
function findClosing(source: string, marker: string, from: number): number {
  for (let at = from; at < source.length; at += 1) {
    const char = source[at]
    if (char === '<') at += (tokenAt(source, at)?.length ?? 1) - 1
    else if (char === '`') at = Math.max(at, source.indexOf('`', at + 1))
    else if (char === marker && !/\s/.test(source[at - 1] ?? ' ') && !isWord(source[at + 1])) return at
  }
  return -1
}

function styleAt(scan: Scan, at: number): Match | undefined {
  const { source, openMarkers, unmatchedMarkers } = scan
  // The caller has checked that this character is a marker.
  const marker = source[at] as Marker
  const next = source[at + 1]
  if (openMarkers.includes(marker) || unmatchedMarkers.has(marker)) return undefined
  if (isWord(source[at - 1]) || next === undefined || /\s/.test(next) || next === marker) return undefined
  const close = findClosing(source, marker, at + 1)
  if (close < 0) unmatchedMarkers.add(marker)
  if (close <= at + 1) return undefined
  const inner = source.slice(at + 1, close)
  const children = parseScan({
    source: inner,
    verbatim: scan.verbatim,
    openMarkers: openMarkers + marker,
    unmatchedMarkers: new Set(),
  })
  return { node: { kind: STYLES[marker], children }, length: close + 1 - at }
}

function linkAt(scan: Scan, at: number): Match | undefined {
  if (scan.verbatim || isWord(scan.source[at - 1]) || /[@./-]/.test(scan.source[at - 1] ?? ''))
    return undefined
  return autolinkAt(scan.source, at)
}

function nodeAt(scan: Scan, at: number): Match | undefined {
  const char = scan.source[at] ?? ''
  if (char === '<') return tokenAt(scan.source, at)
  if (char === '`') return codeAt(scan, at)
  if (char === ':') return emojiAt(scan.source, at)
  if (char in STYLES) return styleAt(scan, at)
  return isWord(char) ? linkAt(scan, at) : undefined
}

function parseScan(scan: Scan): Inline[] {
  return parseWith(scan.source, (at) => nodeAt(scan, at), decode)
}

/** Parses one line of mrkdwn. Styles never continue on the next line. */
export function parseInline(source: string, options: MrkdwnOptions = {}): Inline[] {
  return parseScan({
    source,
    verbatim: options.verbatim ?? false,
    openMarkers: '',
    unmatchedMarkers: new Set(),
  })
}

function paragraph(lines: readonly string[], options: MrkdwnOptions): TextBlock {
  const children = lines.flatMap((line, index) => [
    ...(index > 0 ? [{ kind: 'break' } as const] : []),
    ...parseInline(line, options),
  ])
  return { kind: 'paragraph', children }
}

const QUOTE = /^(?:&gt;|>) ?/
/** A marker that quotes all lines until the end. */
const QUOTE_REST = /^(?:&gt;&gt;&gt;|>>>) ?/

/** Parses text outside of code fences into quotations and paragraphs. */
function parseLines(source: string, options: MrkdwnOptions): TextBlock[] {
  const blocks: TextBlock[] = []
  let pending: string[] = []
  let quoted = false
  const flush = () => {
    if (pending.length > 0)
      blocks.push(
        quoted ? { kind: 'quote', blocks: [paragraph(pending, options)] } : paragraph(pending, options),
      )
    pending = []
  }
  const lines = source.split('\n')
  for (const [index, line] of lines.entries()) {
    if (QUOTE_REST.test(line)) {
      flush()
      const quotedLines = [line.replace(QUOTE_REST, ''), ...lines.slice(index + 1)]
      return [...blocks, { kind: 'quote', blocks: [paragraph(quotedLines, options)] }]
    }
    if (QUOTE.test(line) !== quoted) flush()
    quoted = QUOTE.test(line)
    pending.push(quoted ? line.replace(QUOTE, '') : line)
  }
  flush()
  return blocks
}

interface TextPart {
  isCode: boolean
  text: string
}

/** Splits the source at its code fences. Empty and unclosed fences are text. */
function splitFences(source: string): TextPart[] {
  const pieces = source.split('```')
  const parts: TextPart[] = []
  let plain = pieces[0] ?? ''
  for (let index = 1; index < pieces.length; index += 1) {
    const fenced = pieces[index] ?? ''
    const after = pieces[index + 1]
    if (after === undefined || fenced.trim() === '') {
      plain += `\`\`\`${fenced}`
      continue
    }
    // Removes the line breaks next to the fence.
    parts.push({ isCode: false, text: plain.replace(/\n$/, '') })
    parts.push({ isCode: true, text: fenced.replace(/^\n|\n$/g, '') })
    plain = after.replace(/^\n/, '')
    index += 1
  }
  return [...parts, { isCode: false, text: plain }]
}

/**
 * Parses Slack's mrkdwn as strictly as Slack does for apps: entities are decoded last and only once, only `<…>` creates mentions, and
 * anything that can't be parsed is shown as plain text. Takes linear time.
 */
export function parseMrkdwn(source: string, options: MrkdwnOptions = {}): TextBlock[] {
  return splitFences(source)
    .filter(({ text }) => text !== '')
    .flatMap(({ isCode, text }): TextBlock[] =>
      isCode ? [{ kind: 'pre', children: codeChildren(text) }] : parseLines(text, options),
    )
}
