import { noSuchOrder } from './refusals.ts'

/** `12`, `#12`. Throws UserError for what is no number of an order. */
export function numberOf([typed = '']: readonly string[]): number {
  const number = /^#?(\d{1,9})$/.exec(typed)?.[1]
  if (number === undefined) throw noSuchOrder(typed === '' ? 'without a number' : `“${typed}”`)
  return Number(number)
}
