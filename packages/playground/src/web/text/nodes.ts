/**
 * The parse tree of formatted text. Every `text` in it is final: entities are decoded, and it is rendered as a React text node without
 * being parsed again.
 */
export type Inline =
  | { kind: 'text'; text: string }
  | { kind: 'break' }
  | { kind: 'bold' | 'italic' | 'strike' | 'underline' | 'code'; children: Inline[] }
  | { kind: 'link'; url: string; children: Inline[] }
  | { kind: 'user' | 'channel' | 'usergroup'; id: string; label?: string }
  | { kind: 'broadcast'; range: string }
  | { kind: 'date'; timestamp: number; format: string; url?: string; fallback: string }
  | { kind: 'team'; id: string }
  /** `unicode`: the code points in hexadecimal, separated by hyphens. */
  | { kind: 'emoji'; name: string; unicode?: string }
  | { kind: 'color'; value: string }

export type Align = 'left' | 'center' | 'right'

export type TextBlock =
  | { kind: 'paragraph'; children: Inline[] }
  | { kind: 'quote'; blocks: TextBlock[] }
  | { kind: 'pre'; children: Inline[] }
  | { kind: 'heading'; level: number; children: Inline[] }
  | { kind: 'list'; ordered: boolean; start: number; items: TextBlock[][] }
  | { kind: 'table'; head: Inline[][]; rows: Inline[][][]; align: Align[] }
  | { kind: 'rule' }

export const SAFE_URL = /^(?:https?:\/\/|mailto:)\S+$/i

export function text(value: string): Inline {
  return { kind: 'text', text: value }
}

/** A formatted part of a text, and its length in the source. */
export interface Match {
  node: Inline
  length: number
}

/** Parses a text: `matchAt` finds formatted parts, and `toPlain` converts the text between them. */
export function parseWith(
  source: string,
  matchAt: (at: number) => Match | undefined,
  toPlain = (between: string) => between,
): Inline[] {
  const nodes: Inline[] = []
  let from = 0
  const addText = (end: number) => {
    if (end > from) nodes.push(text(toPlain(source.slice(from, end))))
  }
  for (let at = 0; at < source.length; ) {
    const match = matchAt(at)
    if (match) {
      addText(at)
      nodes.push(match.node)
      from = at + match.length
    }
    at += match?.length ?? 1
  }
  addText(source.length)
  return nodes
}
