import { randomBytes } from 'node:crypto'

const ID_BYTES = 16

/** A random ID of 22 characters, almost 128 bits. */
export const newId = (): string => toId(randomBytes(ID_BYTES))

/**
 * The first 16 bytes of a digest as an ID, in base64url. It starts with a letter or a digit, because the command lines of buttons
 * contain IDs, and a leading dash would look like a flag.
 */
export const toId = (bytes: Buffer): string =>
  bytes.subarray(0, ID_BYTES).toString('base64url').replace(/^[-_]/, '0')
