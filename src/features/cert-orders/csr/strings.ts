import type { Element } from './der.ts'

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const UTF16 = new TextDecoder('utf-16be', { fatal: true, ignoreBOM: true })

/** The tags of ASN.1's strings (ITU-T X.680, 41), and how each is written. */
const READERS: Readonly<Record<number, (element: Element) => string | undefined>> = {
  12: ({ content }) => decoded(UTF8, content),
  // Numeric, Printable, IA5 and Visible are ASCII. Teletex was never more than Latin in practice.
  18: latin,
  19: latin,
  20: latin,
  22: latin,
  26: latin,
  28: ({ content }) => utf32(content),
  30: ({ content }) => decoded(UTF16, content),
}

/** The text of a string of any of ASN.1's kinds; undefined when it is none, or not in its kind's encoding. */
export const stringOf = (element: Element): string | undefined => READERS[element.tag]?.(element)

/** What should be ASCII: as UTF-8 where it is that, since software writes it there, and else byte by byte. */
export function looseText(element: Element): string {
  const text = element.latin
  return /^[\0-\x7f]*$/.test(text) ? text : (decoded(UTF8, element.content) ?? text)
}

function latin(element: Element): string {
  return element.latin
}

function decoded(decoder: typeof UTF8, content: Buffer): string | undefined {
  try {
    return decoder.decode(content)
  } catch {
    return undefined
  }
}

function utf32(content: Buffer): string | undefined {
  if (content.length % 4 !== 0) return undefined
  const points = Array.from({ length: content.length / 4 }, (_, index) => content.readUInt32BE(index * 4))
  const isText = points.every((point) => point <= 0x10ffff && (point < 0xd800 || point > 0xdfff))
  return isText ? points.map((point) => String.fromCodePoint(point)).join('') : undefined
}
