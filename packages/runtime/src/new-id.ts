import { randomUUID } from 'node:crypto'

const ID_BYTES = 16

/** A random ID of 22 characters. It has the 122 random bits of a UUID, whose bytes Node gets many at a time. */
export const newId = (): string => toId(Buffer.from(randomUUID().replaceAll('-', ''), 'hex'))

/**
 * Formats the first 16 bytes as an ID in base64url. An ID never starts with a dash, which would look like a flag in the command
 * line of a button. It doesn't start with an underscore either.
 */
export const toId = (bytes: Buffer): string =>
  bytes.subarray(0, ID_BYTES).toString('base64url').replace(/^[-_]/, '0')
