import { expect, it } from 'vitest'
import { listPageOwners } from '../../../../src/features/watching/rules/page-owners.ts'
import { History } from './history.ts'

const [all, shop, mail] = new History([{}, { name: 'shop' }, { name: 'mail' }]).watches.map(
  (watch, index) => ({ ...watch, ownerId: `U${index}` }),
)
const WATCHES = [all, shop, mail].flatMap((watch) => watch ?? [])
const SHOP = [{ uuid: '1', name: 'shop' }]

it.each([
  ['of the watch that pages, not of another about the same check', { i1: [shop?.id ?? ''] }, WATCHES, ['U1']],
  ['of all that page', { i1: [shop?.id ?? ''], i2: [mail?.id ?? ''] }, WATCHES, ['U1', 'U2']],
  ['of those about the check, if somebody asked', { i1: [] }, WATCHES, ['U0', 'U1']],
  ['of all of the channel, if none is about the check', { i1: [] }, WATCHES.slice(2), ['U2']],
])('the owners %s', (_, about, watches, owners) => {
  expect(listPageOwners(about, SHOP, watches)).toEqual(owners)
})
