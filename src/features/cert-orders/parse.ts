import { noSuchOrder } from './refusals.ts'

/** Reads an order's number: `12` or `#12`. Throws UserError for anything else. */
export function numberOf([typed = '']: readonly string[]): number {
  const number = /^#?(\d{1,9})$/.exec(typed)?.[1]
  if (number === undefined) throw noSuchOrder(typed === '' ? 'without a number' : `“${typed}”`)
  return Number(number)
}
