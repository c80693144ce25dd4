import { ActionError } from '../state/actors.ts'

const MAX_LIMIT = 1000

/** Parses the number of requested messages. Throws ActionError if it's invalid. */
export function readCount(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1 || count > MAX_LIMIT)
    throw new ActionError('bad_post', `The number of messages must be a whole number from 1 to ${MAX_LIMIT}.`)
  return count
}
