import { expect, it } from 'vitest'
import { parameter } from '../../../src/bot/grammar/parameters.ts'
import { writeUsage } from '../../../src/bot/grammar/usage.ts'
import { SOME_CHECKS } from '../../../src/bot/grammar/vocabulary.ts'
import {
  choiceField,
  flagSpecs,
  numberField,
  parsedTextField,
  switchField,
  textField,
} from '../../../src/bot/typed/fields.ts'

const FLAGS = flagSpecs({
  name: textField('name', 'Name'),
  by: textField('by', 'By', { valueName: '@person' }),
  sort: choiceField('sort', 'Order', ['name', 'uuid']),
  status: choiceField('status', 'Status', ['UNHEALTHY', 'HEALTHY']),
  pageSize: numberField('limit', 'On a page', { min: 1 }),
  mine: switchField('mine', 'Mine', { description: 'mine' }),
})

it('shows each flag the way people type it', () => {
  expect(writeUsage({ flags: FLAGS })).toBe(
    '[--name N] [--by @person] [--sort name|uuid] [--status S] [--limit N] [--mine]',
  )
})

it('shows the parameters of a group as alternatives, and leaves out a flag that a word can set', () => {
  const parameters = [
    ...SOME_CHECKS,
    parameter('for', 'duration', { group: 'end', required: true }),
    parameter('until', 'moment', { group: 'end', usage: 'until TIME' }),
    parameter('match', 'name', { flag: 'name', usage: 'PART' }),
  ]
  expect(writeUsage({ parameters, flags: { name: FLAGS.name ?? 'value', page: 'value' } })).toBe(
    'NAME|UUID|NAME*|all 2h|until TIME [PART]',
  )
})

it('fills in a value of 0, which a health check of the service can have', () => {
  const field = parsedTextField('frequency', 'Frequency', { read: Number, write: String })
  expect(field.input(0)).toMatchObject({ element: { initial_value: '0' } })
})
