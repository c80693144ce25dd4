import { randomBytes } from 'node:crypto'

const ID_BYTES = 16

/** A random ID of 22 characters, almost 128 bits. */
export const newId = (): string => toId(randomBytes(ID_BYTES))

/**
 * The first 16 bytes of a digest as an ID, base64url. Its first character is a letter or a digit, because commands on buttons
 * contain IDs, and a leading dash would make it a flag.
 */
export const toId = (bytes: Buffer): string =>
  bytes.subarray(0, ID_BYTES).toString('base64url').replace(/^[-_]/, '0')
