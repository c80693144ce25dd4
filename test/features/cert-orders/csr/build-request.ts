import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { der, oid, sequence, set } from './encode-der.ts'

export const P256 = generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey

const ECDSA = sequence(oid('1.2.840.10045.4.3.2'))

/** Builds a certificate signing request with a valid signature. Its content can be anything, even what no tool would create. */
export function buildRequest({
  subject = sequence(),
  extensions = [],
  attributes,
  key = P256,
  publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' }),
  algorithm = ECDSA,
  createSignature = (bytes) => sign('sha256', bytes, key),
}: {
  subject?: Buffer
  extensions?: readonly Buffer[]
  attributes?: readonly Buffer[]
  key?: KeyObject
  publicKey?: Buffer
  algorithm?: Buffer
  createSignature?: (bytes: Buffer) => Buffer
} = {}): Buffer {
  const requestAttributes = attributes ?? [requestExtensions(...extensions)]
  const info = sequence(der(0x02, '\0'), subject, publicKey, der(0xa0, ...requestAttributes))
  return sequence(info, algorithm, der(0x03, '\0', createSignature(info)))
}

export const requestExtensions = (...extensions: readonly Buffer[]): Buffer =>
  sequence(oid('1.2.840.113549.1.9.14'), set(sequence(...extensions)))

export const alternativeNames = (...names: readonly Buffer[]): Buffer =>
  extension('2.5.29.17', sequence(...names))

export const extension = (id: string, value: Buffer): Buffer => sequence(oid(id), der(0x04, value))

export const host = (name: string | Uint8Array): Buffer => der(0x82, name)

export type SubjectPart = readonly [id: string, text: string | Uint8Array, tag?: number]

/** A subject with these attributes. `tag` is the type of string, UTF8String by default. */
export const buildSubject = (...parts: readonly SubjectPart[]): Buffer =>
  sequence(...parts.map(([id, text, tag = 0x0c]) => set(sequence(oid(id), der(tag, text)))))
