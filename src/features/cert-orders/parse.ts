import { clip, oneLine } from '@signalman/slack'
import type { Arguments } from '../../bot/grammar/read-words.ts'
import { choice, type Slot, slot } from '../../bot/grammar/slots.ts'
import { MINE_WORDS } from '../../bot/grammar/vocabulary.ts'
import {
  choiceField,
  type FieldTable,
  pageField,
  switchField,
  textField,
  writeFields,
} from '../../bot/typed/fields.ts'
import type { Environment } from '../../domain/environment.ts'
import type { Order } from './rules/order.ts'
import { STATE_TEXTS } from './rules/order-states.ts'
import { createMissingNumberError, createNoSuchOrderError } from './rules/refusals.ts'

/** An order's number: `12` or `#12`. */
export const ORDER_NUMBER = slot('number', 'number', {
  required: true,
})

/** The typed number of an order: `12` or `#12`. Throws UserError for anything else. */
export function requireNumber({ values: { number } }: Pick<Arguments, 'values'>, verb: string): number {
  if (number === undefined) throw createMissingNumberError(verb)
  const digits = /^#?(\d{1,9})$/.exec(number)?.[1]
  if (digits === undefined) throw createNoSuchOrderError(`“${number}”`)
  return Number(digits)
}

/** The filters of a listing. */
interface ListFilters {
  status?: Order['state'] | undefined
  mine?: true | undefined
  /** Part of a name, the product, or a reference. */
  text?: string | undefined
  page?: number | undefined
}

export interface OrderFilters extends ListFilters {
  environment: Environment
}

export const PAGE_SIZE = 10

// Cast, because STATE_TEXTS has every state as a key.
export const STATUS_NAMES = Object.keys(STATE_TEXTS) as Order['state'][]

export const ORDER_FIELDS: FieldTable<ListFilters> = {
  status: choiceField('status', 'Status', STATUS_NAMES, {
    describe: (state) => STATE_TEXTS[state].name.toLowerCase(),
  }),
  mine: switchField('mine', 'Mine', { description: 'mine' }),
  text: textField('text', 'Text', { describe: (text) => `with ${clip(oneLine(text), 150)}` }),
  page: pageField,
}

/** The filters of a list, as words. */
export const LIST_SLOTS: readonly Slot[] = [
  choice('status', Object.fromEntries(STATUS_NAMES.map((name) => [name, name])), {
    flag: 'status',
    usage: 'STATUS',
  }),
  choice('mine', MINE_WORDS, { flag: 'mine' }),
  slot('text', 'text', { flag: 'text' }),
]

/** The command that shows this listing. */
export const formatListCommand = ({ environment, page = 1, ...filters }: OrderFilters): string =>
  [
    `/cert-order list --env ${environment}`,
    ...writeFields(ORDER_FIELDS, { ...filters, ...(page > 1 && { page }) }),
  ].join(' ')
