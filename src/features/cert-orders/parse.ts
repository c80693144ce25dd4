import { UserError } from '@signalman/runtime'
import { clip, oneLine } from '@signalman/slack'
import { choice, type Parameter, parameter, readText } from '../../bot/grammar/parameters.ts'
import type { Arguments } from '../../bot/grammar/read-words.ts'
import { writeUsage } from '../../bot/grammar/usage.ts'
import { ALL_WORDS, MINE_WORDS } from '../../bot/grammar/vocabulary.ts'
import { suggestLine } from '../../bot/routes/lines.ts'
import {
  choiceField,
  type FieldTable,
  pageField,
  switchField,
  textField,
  writeFields,
} from '../../bot/typed/fields.ts'
import { cmd } from '../../domain/command-names.ts'
import type { Environment } from '../../domain/environment.ts'
import { tellCommand, writeCommand } from '../../domain/write-command.ts'
import type { Order } from './rules/order.ts'
import { STATE_TEXTS } from './rules/order-states.ts'

/** An order's number: `12` or `#12`. Without one, a verb takes the only order that it can be about. */
const ORDER_NUMBER = parameter('number', 'number', { usage: 'N|NAME' })
/** The number of the order that a button is about. */
export const THIS_ORDER = parameter('number', 'number', { required: true })

const MAX_OFFERED = 4

/** Throws UserError if more than a number was typed, instead of reading the rest as nothing. */
export function refuseBesideNumber({ number, rest }: OrderWords, verb: string): void {
  if (number === undefined || rest.replace(BEFORE_NUMBER, '') === '') return
  const others = /^(?:[#\d,\s]|and)+$/.test(rest) ? rest.match(/\d{1,9}/g) : []
  throw new UserError(
    `${tellCommand(`/cert-order ${verb}`)} takes one order at a time: its number, or part of its name.`,
    [...(others ?? []), number]
      .slice(0, MAX_OFFERED)
      .map((offered) => suggestLine(`/cert-order ${verb} ${offered}`)),
  )
}

/** The order that a line is about, and what follows it. */
interface OrderWords {
  readonly number?: string | undefined
  readonly rest: string
}

/** `order no. ` */
const BEFORE_NUMBER = /^(?:(?:order|number|no)\b\.? ?)*/i
/** `#2: `, `2 - `, `2, `, but not `2.5 years` or `4096-bit`. */
const NUMBER = /^#?(\d{1,9})(?:[:;,.)](?!\d)|(?= |$))/
/** What parts an order from what is said about it. */
const SEPARATOR = /^(?:[:;, ]|[-\u2010-\u2015](?= |$))+/

/** Finds the number that a line begins with, in any spelling: an order that was named is never taken for another one. */
export function readOrderNumber({ number, rest = '' }: Arguments['values']): OrderWords {
  const behind = rest.replace(BEFORE_NUMBER, '')
  const [typed, found] = number === undefined ? (NUMBER.exec(behind) ?? []) : []
  const others = typed === undefined ? rest : behind.slice(typed.length)
  return { number: number ?? found, rest: others.replace(SEPARATOR, '') }
}

/**
 * Splits what follows `reject`: an order's number or, if it begins with a host, its name, and the reason. A single word is part of a name. Of
 * several words without either, nobody knows whether the first one is.
 */
export function splitReason(values: Arguments['values']): {
  number: string | undefined
  name: string
  reason: string
} {
  const { number, rest } = readOrderNumber(values)
  const [first = '', ...others] = rest.split(' ')
  const name = first.replaceAll(/^["'“]|["'”]?[,:;]?$/g, '')
  const isName = others.length === 0 || readText({ name: '', kind: 'host' }, name) !== undefined
  return number === undefined && isName
    ? { number, name, reason: others.join(' ').replace(SEPARATOR, '') }
    : { number, name: '', reason: rest }
}

/** The words after a verb that takes an order: its number, or else part of a name. */
export const ORDER_PARAMETERS: readonly Parameter[] = [ORDER_NUMBER, parameter('rest', 'text', { usage: '' })]

/** The same after `reject`, and a reason. */
export const REJECT_PARAMETERS: readonly Parameter[] = [
  ORDER_NUMBER,
  parameter('rest', 'text', { usage: '', isProse: true }),
]

/** The filters of a listing. */
interface ListFilters {
  status?: Order['state'] | undefined
  mine?: true | undefined
  /** Words that are in a name, the product, a reference, a billing number, the status, or the date. */
  text?: string | undefined
  page?: number | undefined
}

export interface OrderFilters extends ListFilters {
  environment: Environment
}

export const PAGE_SIZE = 10

// Cast, because STATE_TEXTS has every state as a key.
export const STATUS_NAMES = Object.keys(STATE_TEXTS) as Order['state'][]

/** The words of the screens for two of the states, because that's what people type. */
const SCREEN_WORDS = { pending: 'awaiting', waiting: 'awaiting', sending: 'submitting' } as const
const STATUS_WORDS = { ...Object.fromEntries(STATUS_NAMES.map((name) => [name, name])), ...SCREEN_WORDS }

export const ORDER_FIELDS: FieldTable<ListFilters> = {
  status: choiceField('status', 'Status', STATUS_NAMES, {
    describe: (state) => STATE_TEXTS[state].name.toLowerCase(),
    synonyms: SCREEN_WORDS,
  }),
  mine: switchField('mine', 'Mine', { description: 'mine' }),
  text: textField('text', 'Text', { describe: (text) => `with “${clip(oneLine(text), 150)}”` }),
  page: pageField,
}

/** The filters of a list, as words. */
export const LIST_PARAMETERS: readonly Parameter[] = [
  choice('status', STATUS_WORDS, { flag: 'status', usage: 'STATUS' }),
  choice('mine', MINE_WORDS, { flag: 'mine' }),
  choice('all', ALL_WORDS, { usage: '' }),
  parameter('text', 'text', { flag: 'text' }),
]

/** The error for a text that no order has. Offers the list without it. */
export const createNothingFoundError = (text: string, filters: OrderFilters): UserError =>
  new UserError(
    `No order has “${clip(oneLine(text), 60)}” in a name, its product, its reference, its billing number, its status, or its date. Type \`${cmd('/cert-order list')} ${writeUsage({ parameters: LIST_PARAMETERS })}\`.`,
    [{ label: 'List without it', line: formatListCommand({ ...filters, text: undefined }) }],
  )

/** The command that shows this listing. */
export const formatListCommand = ({ environment, page = 1, ...filters }: OrderFilters): string =>
  [
    writeCommand('/cert-order list', { environment }),
    ...writeFields(ORDER_FIELDS, { ...filters, ...(page > 1 && { page }) }),
  ].join(' ')
