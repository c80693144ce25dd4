import { randomBytes } from 'node:crypto'

const ID_BYTES = 16

/** A random ID of 22 characters, almost 128 bits. */
export const newId = (): string => toId(randomBytes(ID_BYTES))

/**
 * Formats the first 16 bytes as an ID in base64url. An ID never starts with a dash, which would look like a flag in the command
 * line of a button. It doesn't start with an underscore either.
 */
export const toId = (bytes: Buffer): string =>
  bytes.subarray(0, ID_BYTES).toString('base64url').replace(/^[-_]/, '0')
