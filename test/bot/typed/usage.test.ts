import { expect, it } from 'vitest'
import {
  choiceField,
  flagSpecs,
  formatUsage,
  numberField,
  switchField,
  textField,
} from '../../../src/bot/typed/fields.ts'

const FIELDS = {
  name: textField('name', 'Name'),
  by: textField('by', 'By', { valueName: '@person' }),
  sort: choiceField('sort', 'Order', ['name', 'uuid']),
  status: choiceField('status', 'Status', ['UNHEALTHY', 'HEALTHY']),
  pageSize: numberField('limit', 'On a page', { min: 1 }),
  mine: switchField('mine', 'Mine', { description: 'mine' }),
}

it('shows each option the way people type it', () => {
  expect(formatUsage(FIELDS)).toBe(
    '[--name N] [--by @person] [--sort name|uuid] [--status S] [--limit N] [--mine]',
  )
})

it('shows an option without its flag if the flag is optional, and still accepts the flag', () => {
  expect(formatUsage(FIELDS, 'name')).not.toContain('--name')
  expect(Object.keys(flagSpecs(FIELDS))).toContain('name')
})
