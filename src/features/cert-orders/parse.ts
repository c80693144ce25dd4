import { UserError } from '../../errors.ts'
import { noSuchOrder } from './refusals.ts'

/** Reads an order's number: `12` or `#12`. Throws UserError for anything else. */
export function numberOf([typed = '']: readonly string[]): number {
  const number = /^#?(\d{1,9})$/.exec(typed)?.[1]
  if (number === undefined) throw noSuchOrder(typed === '' ? 'without a number' : `“${typed}”`)
  return Number(number)
}

/** Reads `--from`: a line from 1 on. Throws UserError for anything else. */
export function lineOf(typed: string | boolean | undefined): number {
  const line = String(typed ?? '1')
  if (!/^[1-9]\d{0,5}$/.test(line)) throw new UserError(`\`--from\` is a number from 1 on; “${line}” is not.`)
  return Number(line)
}
