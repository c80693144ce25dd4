import { clip, oneLine, paragraph, richText, words } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import type { ShownExtension } from '../csr/describe-extension.ts'
import { noted } from '../csr/suspicious-names.ts'
import type { CsrFacts } from '../order.ts'

export const LINE = 300
/** Rich text of one block, with room for what stands around it. */
const CHUNK = 2800

export const extensionLine = ({ name, isCritical, value }: ShownExtension): string =>
  `${name}${isCritical ? ' (critical)' : ''}: ${value}`

/** Everything that a request asks for, a line each: extensions first, then every name with its reasons. */
export const wholeLines = ({ extensions, attributes, names }: CsrFacts) => ({
  total: extensions.length + attributes.length + names.length,
  /** Only those lines are made. */
  between(start: number, end: number): string[] {
    const before = extensions.length + attributes.length
    const all = [
      ...extensions.slice(start, end).map((one) => extensionLine(one)),
      ...attributes
        .slice(Math.max(start - extensions.length, 0), Math.max(end - extensions.length, 0))
        .map((name) => `Attribute: ${name}`),
      ...names.slice(Math.max(start - before, 0), Math.max(end - before, 0)).map(noted),
    ]
    return all.map((line) => clip(oneLine(line), LINE + 700))
  },
})

/** Lines as blocks, as many as fit into each; what is behind `most` blocks is left, and counted. */
export function lineBlocks(lines: readonly string[], most: number): { blocks: KnownBlock[]; left: number } {
  const chunks: string[][] = []
  let size = CHUNK
  let taken = 0
  for (const line of lines) {
    if (size + line.length + 1 > CHUNK) {
      if (chunks.length === most) break
      chunks.push([])
      size = 0
    }
    chunks.at(-1)?.push(line)
    size += line.length + 1
    taken += 1
  }
  const blocks = chunks.map((chunk) => richText(paragraph(words(chunk.join('\n')))))
  return { blocks, left: lines.length - taken }
}
