import { matchAutolink } from './autolink.ts'
import { matchEmoji } from './emoji.ts'
import { type Inline, type Match, parseWith, type TextBlock } from './nodes.ts'
import { decodeEntities, parseToken } from './token.ts'

export interface MrkdwnOptions {
  /** Slack's `verbatim` setting: bare URLs aren't converted to links. False by default. */
  verbatim?: boolean
}

const STYLES = { '*': 'bold', _: 'italic', '~': 'strike' } as const
type Marker = keyof typeof STYLES

const WORD = /[\p{L}\p{N}]/u
const TOKEN_AT = /<([^<>\n]{1,3000})>/y

interface ParseState {
  source: string
  verbatim: boolean
  /** The markers of the enclosing styles. In this text, they are plain characters, so styles nest at most 3 levels deep. */
  openMarkers: string
  /** Markers that have no closing marker in the rest of the text. Caching them avoids quadratic time for malicious text. */
  unmatchedMarkers: Set<string>
}

function isWord(char: string | undefined): boolean {
  return char !== undefined && WORD.test(char)
}

function matchToken(source: string, index: number): Match | undefined {
  TOKEN_AT.lastIndex = index
  const match = TOKEN_AT.exec(source)
  const node = match?.[1] === undefined ? undefined : parseToken(match[1])
  return node && match ? { node, length: match[0].length } : undefined
}

/** Parses the content of code. Only `<…>` is markup there. */
function parseCode(source: string): Inline[] {
  return parseWith(
    source,
    (index) => (source[index] === '<' ? matchToken(source, index) : undefined),
    decodeEntities,
  )
}

function matchCode({ source, unmatchedMarkers }: ParseState, index: number): Match | undefined {
  if (unmatchedMarkers.has('`')) return undefined
  const close = source.indexOf('`', index + 1)
  if (close < 0) unmatchedMarkers.add('`')
  if (close <= index + 1) return undefined
  const inner = source.slice(index + 1, close)
  if (inner.trim() === '') return undefined
  return { node: { kind: 'code', children: parseCode(inner) }, length: close + 1 - index }
}

/**
 * Finds the closing marker, or returns -1. It can't follow a space, precede a word character, or be inside `<…>` or code.
 */
function findClosing(source: string, marker: string, from: number): number {
  for (let index = from; index < source.length; index += 1) {
    const char = source[index]
    if (char === '<') index += (matchToken(source, index)?.length ?? 1) - 1
    else if (char === '`') index = Math.max(index, source.indexOf('`', index + 1))
    else if (char === marker && !/\s/.test(source[index - 1] ?? ' ') && !isWord(source[index + 1]))
      return index
  }
  return -1
}

function matchStyle(state: ParseState, index: number): Match | undefined {
  const { source, openMarkers, unmatchedMarkers } = state
  // The caller has checked that this character is a marker.
  const marker = source[index] as Marker
  const next = source[index + 1]
  if (openMarkers.includes(marker) || unmatchedMarkers.has(marker)) return undefined
  if (isWord(source[index - 1]) || next === undefined || /\s/.test(next) || next === marker) return undefined
  const close = findClosing(source, marker, index + 1)
  if (close < 0) unmatchedMarkers.add(marker)
  if (close <= index + 1) return undefined
  const inner = source.slice(index + 1, close)
  const children = parseText({
    source: inner,
    verbatim: state.verbatim,
    openMarkers: openMarkers + marker,
    unmatchedMarkers: new Set(),
  })
  return { node: { kind: STYLES[marker], children }, length: close + 1 - index }
}

function matchBareUrl(state: ParseState, index: number): Match | undefined {
  if (state.verbatim || isWord(state.source[index - 1]) || /[@./-]/.test(state.source[index - 1] ?? ''))
    return undefined
  return matchAutolink(state.source, index)
}

function matchNode(state: ParseState, index: number): Match | undefined {
  const char = state.source[index] ?? ''
  if (char === '<') return matchToken(state.source, index)
  if (char === '`') return matchCode(state, index)
  if (char === ':') return matchEmoji(state.source, index)
  if (char in STYLES) return matchStyle(state, index)
  return isWord(char) ? matchBareUrl(state, index) : undefined
}

function parseText(state: ParseState): Inline[] {
  return parseWith(state.source, (index) => matchNode(state, index), decodeEntities)
}

/** Parses one line of mrkdwn. Styles never continue on the next line. */
export function parseInline(source: string, options: MrkdwnOptions = {}): Inline[] {
  return parseText({
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
/** The marker that quotes all lines to the end of the text. */
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

/** Splits the source at its code fences. Empty and unclosed code blocks stay plain text. */
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
 * Parses Slack's mrkdwn in linear time, as strictly as Slack does for apps: entities are decoded last and only once, only `<…>` creates
 * mentions, and anything that can't be parsed is shown as plain text.
 */
export function parseMrkdwn(source: string, options: MrkdwnOptions = {}): TextBlock[] {
  return splitFences(source)
    .filter(({ text }) => text !== '')
    .flatMap(({ isCode, text }): TextBlock[] =>
      isCode ? [{ kind: 'pre', children: parseCode(text) }] : parseLines(text, options),
    )
}
