/**
 * A node in the parse tree of formatted text. Its `text` is already decoded, and React renders it as a text node, so it's never parsed as
 * markup or HTML.
 */
export type Inline =
  | { kind: 'text'; text: string }
  | { kind: 'break' }
  | { kind: 'bold' | 'italic' | 'strike' | 'code'; children: Inline[] }
  | { kind: 'link'; url: string; children: Inline[] }
  | { kind: 'user' | 'channel' | 'usergroup'; id: string; label?: string }
  | { kind: 'broadcast'; range: string }
  | { kind: 'date'; timestamp: number; format: string; url?: string; fallback: string }
  | { kind: 'emoji'; name: string }

export type TextBlock =
  | { kind: 'paragraph'; children: Inline[] }
  | { kind: 'quote'; blocks: TextBlock[] }
  | { kind: 'pre'; children: Inline[] }

export const SAFE_URL = /^(?:https?:\/\/|mailto:)\S+$/i

export function text(value: string): Inline {
  return { kind: 'text', text: value }
}

/** The node for a formatted part of a text, and the length of that part in the source. */
export interface Match {
  node: Inline
  length: number
}

/** Parses a text. `matchAt` returns the formatted part that starts at an index, and `toPlain` converts the text between these parts. */
export function parseWith(
  source: string,
  matchAt: (index: number) => Match | undefined,
  toPlain = (between: string) => between,
): Inline[] {
  const nodes: Inline[] = []
  let from = 0
  const addText = (end: number) => {
    if (end > from) nodes.push(text(toPlain(source.slice(from, end))))
  }
  for (let index = 0; index < source.length; ) {
    const match = matchAt(index)
    if (match) {
      addText(index)
      nodes.push(match.node)
      from = index + match.length
    }
    index += match?.length ?? 1
  }
  addText(source.length)
  return nodes
}
