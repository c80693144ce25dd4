import { randomBytes } from 'node:crypto'

const ID_BYTES = 16

/** A new id of 22 characters: some 128 random bits. */
export const newId = (): string => idFrom(randomBytes(ID_BYTES))

/**
 * The first 16 bytes as an id, base64url, for one that is made from a digest. Its first character is a letter or a digit:
 * the lines that buttons type hold ids, and what begins with a dash is a flag there.
 */
export const idFrom = (bytes: Buffer): string =>
  bytes.subarray(0, ID_BYTES).toString('base64url').replace(/^[-_]/, '0')
