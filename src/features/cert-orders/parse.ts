import { clip, oneLine } from '@signalman/slack'
import {
  choiceField,
  type FieldTable,
  numberField,
  pageField,
  readField,
  switchField,
  textField,
  writeFields,
} from '../../bot/typed/fields.ts'
import type { Environment } from '../../domain/environment.ts'
import type { Order } from './rules/order.ts'
import { noSuchOrder, STATES, whichOrder } from './rules/refusals.ts'

/** Reads the order's number behind a verb: `12` or `#12`. Throws UserError for anything else. */
export function readOrderNumber(words: readonly string[], verb: string): number {
  const typed = words.join(' ')
  if (typed === '') throw whichOrder(verb)
  const number = /^#?(\d{1,9})$/.exec(typed)?.[1]
  if (number === undefined) throw noSuchOrder(`“${typed}”`)
  return Number(number)
}

/** From which line on something of many lines is shown. */
export const FROM: FieldTable<{ from?: number | undefined }> = {
  from: numberField('from', 'First line to show', { min: 1, max: 999_999, takes: 'LINE' }),
}

/** What a listing is narrowed to. */
interface Narrowed {
  status?: Order['state'] | undefined
  mine?: true | undefined
  requester?: string | undefined
  /** A part of the product's name or its id. */
  product?: string | undefined
  /** A part of the subject or of one of the names. */
  name?: string | undefined
  /** Those whose certificate expires, the next one first. */
  expiring?: true | undefined
  /** Of the last so many days. */
  days?: number | undefined
  page?: number | undefined
}

export interface OrderFilters extends Narrowed {
  environment: Environment
}

export const PAGE_SIZE = 10

// The keys of the table above it are the states, all of them.
export const STATUS_NAMES = Object.keys(STATES) as Order['state'][]

/** What people type in place of a state. */
export const STATUS_WORDS: Readonly<Record<string, Order['state']>> = {
  waiting: 'awaiting',
  open: 'awaiting',
  ordered: 'placed',
  refused: 'rejected',
  declined: 'rejected',
}

const WORDS = 150
const named = (flag: string) => (text: string) => `${flag} ${clip(oneLine(text), WORDS)}`

export const ORDER_FIELDS: FieldTable<Narrowed> = {
  status: choiceField('status', 'Status', STATUS_NAMES, {
    says: (state) => STATES[state].name.toLowerCase(),
    alsoTyped: STATUS_WORDS,
  }),
  mine: switchField('mine', 'Mine', { says: 'mine' }),
  expiring: switchField('expiring', 'Expiring', { says: 'by expiry' }),
  requester: readField('requester', 'Requested by', {
    takes: '@WHO',
    // Slack is asked who it is.
    read: String,
    write: String,
    says: () => 'requested by one person',
  }),
  product: textField('product', 'Product', { says: named('product') }),
  name: textField('name', 'Name', { says: named('name') }),
  days: numberField('days', 'Days', {
    min: 1,
    max: 9999,
    says: (days) => (days === 1 ? 'of the last day' : `of the last ${days} days`),
  }),
  page: pageField,
}

/** The line that lists these orders. */
export const listLine = ({ environment, page = 1, ...narrowed }: OrderFilters): string =>
  [
    `/cert-order list --env ${environment}`,
    ...writeFields(ORDER_FIELDS, { ...narrowed, ...(page > 1 && { page }) }),
  ].join(' ')

/** The requested page, or the last one if there are fewer. */
export const clampPage = ({ page = 1 }: OrderFilters, total: number): number =>
  Math.min(page, Math.max(1, Math.ceil(total / PAGE_SIZE)))
