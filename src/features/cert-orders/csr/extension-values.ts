import { type Element, objectId, TAG } from './der.ts'
import { KEY_USAGES, PURPOSES, USUAL_PURPOSES } from './purposes.ts'
import { stringOf } from './strings.ts'

/** A value for people, and why it deserves a look, where it does. */
export interface ExtensionValue {
  value: string
  why?: string | undefined
}

/** How the values of well-known extensions are read. Each throws RangeError for what is not in its form. */
export const READERS: Readonly<Record<string, (element: Element) => ExtensionValue>> = {
  '2.5.29.19': basicConstraints,
  '2.5.29.15': keyUsage,
  '2.5.29.37': purposes,
  '1.3.6.1.5.5.7.1.24': tlsFeature,
  '2.5.29.14': (element) => ({ value: contentOf(element, TAG.octetString).toString('hex') }),
  '2.5.29.32': (element) => ({
    value: element
      .parts()
      .map((policy) => objectId(policy.parts()[0] ?? element))
      .join(', '),
  }),
  '2.16.840.1.113730.1.13': text,
  '1.3.6.1.4.1.311.20.2': text,
}

function contentOf(element: Element, tag: number): Buffer {
  if (element.tag !== tag) throw new RangeError('The element is another one.')
  return element.content
}

function basicConstraints(element: Element): ExtensionValue {
  const [first, second] = element.parts()
  const isAuthority = first?.tag === TAG.boolean && first.content[0] !== 0
  const depth = [first, second].find((part) => part?.tag === TAG.integer)
  const length = depth ? `, path length ${BigInt(`0x${depth.content.toString('hex') || '0'}`)}` : ''
  return {
    value: `CA:${isAuthority ? 'TRUE' : 'FALSE'}${length}`,
    why: isAuthority ? 'it asks for a certificate authority, which could sign any name' : undefined,
  }
}

function keyUsage(element: Element): ExtensionValue {
  const [unused = 0, ...bytes] = contentOf(element, TAG.bitString)
  const bits = bytes.length * 8 - unused
  const isSet = (bit: number): boolean => ((bytes[bit >> 3] ?? 0) & (0x80 >> (bit & 7))) !== 0
  const used = KEY_USAGES.filter((_, bit) => bit < bits && isSet(bit))
  const signs = used.filter((usage) => usage === 'keyCertSign' || usage === 'cRLSign')
  return {
    value: used.join(', ') || '(none)',
    why: signs.length > 0 ? `${signs.join(' and ')} is for certificate authorities` : undefined,
  }
}

function purposes(element: Element): ExtensionValue {
  const all = element.parts().map((part) => {
    const id = objectId(part)
    return PURPOSES[id] ?? id
  })
  const odd = all.filter((purpose) => !USUAL_PURPOSES.has(purpose))
  return {
    value: all.join(', ') || '(none)',
    why: odd.length > 0 ? `more than web servers need: ${odd.slice(0, 5).join(', ')}` : undefined,
  }
}

/** RFC 7633: 5 is the feature that people call must-staple. */
function tlsFeature(element: Element): ExtensionValue {
  const features = element
    .parts()
    .map((part) => contentOf(part, TAG.integer).readUIntBE(0, Math.min(part.content.length, 6)))
  const names = features.map((feature) =>
    feature === 5 ? 'must-staple' : feature === 17 ? 'must-staple, version 2' : String(feature),
  )
  return {
    value: names.join(', ') || '(none)',
    why: features.includes(5)
      ? 'must-staple: browsers refuse the server whenever it has no fresh OCSP answer'
      : undefined,
  }
}

function text(element: Element): ExtensionValue {
  const value = stringOf(element)
  if (value === undefined) throw new RangeError('This is no text.')
  return { value }
}
