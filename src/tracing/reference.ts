import { randomUUID } from 'node:crypto'

/** Ten hexadecimal digits that find a request's lines in the log. Node draws UUIDs from a store of random bytes. */
export const createReference = (): string => randomUUID().slice(-10)
