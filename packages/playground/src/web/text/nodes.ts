/**
 * Formatted text after parsing: a tree that becomes only React text nodes. Every `text` in it is final (entities are decoded),
 * and is never parsed again.
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
  /** `unicode`: its code points in hexadecimal, with hyphens between them. */
  | { kind: 'emoji'; name: string; unicode?: string }
  | { kind: 'color'; value: string }

export type Align = 'left' | 'center' | 'right'

export type Piece =
  | { kind: 'paragraph'; children: Inline[] }
  | { kind: 'quote'; pieces: Piece[] }
  | { kind: 'pre'; children: Inline[] }
  | { kind: 'heading'; level: number; children: Inline[] }
  | { kind: 'list'; ordered: boolean; start: number; items: Piece[][] }
  | { kind: 'table'; head: Inline[][]; rows: Inline[][][]; align: Align[] }
  | { kind: 'rule' }

export const SAFE_URL = /^(?:https?:\/\/|mailto:)\S+$/i

export function text(value: string): Inline {
  return { kind: 'text', text: value }
}

/** A part of a text with formatting, and its length in characters. */
export interface Found {
  node: Inline
  raw: number
}

/** A text with the formatting that `markAt` finds; text between is unchanged, or as `plain` parses it. */
export function scanned(
  source: string,
  markAt: (at: number) => Found | undefined,
  plain = (between: string) => between,
): Inline[] {
  const out: Inline[] = []
  let from = 0
  const closeText = (end: number) => {
    if (end > from) out.push(text(plain(source.slice(from, end))))
  }
  for (let at = 0; at < source.length; ) {
    const found = markAt(at)
    if (found) {
      closeText(at)
      out.push(found.node)
      from = at + found.raw
    }
    at += found?.raw ?? 1
  }
  closeText(source.length)
  return out
}
