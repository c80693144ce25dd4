import { autolinkAt } from './autolink.ts'
import { EMOJI } from './emoji.ts'
import { type Inline, SAFE_URL, text } from './nodes.ts'

type Found = { node: Inline; end: number }

const LINK_AT = /!?\[([^[\]\n]{0,1000})\]\(\s*<?([^\s()<>]{1,3000})>?(?:\s+"[^"\n]*")?\s*\)/y
const CODE_AT = /(`{1,3})(?!`)([^\n]+?)(?<!`)\1(?!`)/y
const EMOJI_AT = /:([a-z0-9_+'-]{1,100}):/y
const ESCAPED = /[\\`*_{}[\]()#+\-.!~|<>:]/

/** Longest first: `**` is not two `*`. */
const STYLES = [
  ['**', 'bold'],
  ['__', 'bold'],
  ['~~', 'strike'],
  ['*', 'italic'],
  ['_', 'italic'],
] as const

const DEPTH = 4

function exec(pattern: RegExp, source: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(source)
}

function linkAt(source: string, at: number, depth: number): Found | undefined {
  const match = exec(LINK_AT, source, at)
  const url = match?.[2]
  if (!match || url === undefined || !SAFE_URL.test(url)) return undefined
  const children = match[1] ? inline(match[1], depth + 1, false) : [text(url)]
  return { node: { kind: 'link', url, children }, end: at + match[0].length }
}

function codeAt(source: string, at: number): Found | undefined {
  const match = exec(CODE_AT, source, at)
  if (!match) return undefined
  return { node: { kind: 'code', children: [text(match[2] ?? '')] }, end: at + match[0].length }
}

function emojiAt(source: string, at: number): Found | undefined {
  const match = exec(EMOJI_AT, source, at)
  const name = match?.[1]
  if (!match || name === undefined || !Object.hasOwn(EMOJI, name)) return undefined
  return { node: { kind: 'emoji', name }, end: at + match[0].length }
}

function styleAt(source: string, at: number, depth: number, links: boolean): Found | undefined {
  for (const [marker, kind] of STYLES) {
    if (!source.startsWith(marker, at)) continue
    const from = at + marker.length
    if (/\s|^$/.test(source[from] ?? '')) return undefined
    if (marker.includes('_') && /\w/.test(source[at - 1] ?? '')) return undefined
    const close = source.indexOf(marker, from + 1)
    if (close < 0 || /\s/.test(source[close - 1] ?? ' ')) continue
    const children = inline(source.slice(from, close), depth + 1, links)
    return { node: { kind, children }, end: close + marker.length }
  }
  return undefined
}

function bareAt(source: string, at: number): Found | undefined {
  if (/[\w@./-]/.test(source[at - 1] ?? '')) return undefined
  const found = autolinkAt(source, at)
  return found && { node: found.node, end: at + found.raw }
}

function nodeAt(source: string, at: number, depth: number, links: boolean): Found | undefined {
  const char = source[at] ?? ''
  const next = source[at + 1] ?? ''
  if (char === '\\') return ESCAPED.test(next) ? { node: text(next), end: at + 2 } : undefined
  if (char === '`') return codeAt(source, at)
  if (char === ':') return emojiAt(source, at)
  if ('*_~'.includes(char)) return depth < DEPTH ? styleAt(source, at, depth, links) : undefined
  if (!links) return undefined
  return '[!'.includes(char) ? linkAt(source, at, depth) : bareAt(source, at)
}

function inline(source: string, depth: number, links: boolean): Inline[] {
  const out: Inline[] = []
  let plain = ''
  for (let at = 0; at < source.length; ) {
    const found = nodeAt(source, at, depth, links)
    if (!found) {
      plain += source[at]
      at += 1
      continue
    }
    if (plain) out.push(text(plain))
    plain = ''
    out.push(found.node)
    at = found.end
  }
  if (plain) out.push(text(plain))
  return out
}

/** One line of Markdown. Links go to http, https and mailto alone; anything else keeps its characters. */
export function markdownInline(source: string): Inline[] {
  return inline(source, 0, true)
}
