import { expect, it } from 'vitest'
import { checkKey } from '../../../../src/features/health-checks/write/hold-check.ts'

const UUID = '7e57ed00-0000-4000-8000-00000000000a'
const [address, other] = ['https://api.example.com', 'https://ote.example.com']

it('is the same for each spelling of a UUID, but not for another check or environment', () => {
  const key = checkKey({ address }, UUID)
  expect(checkKey({ address }, UUID.toUpperCase())).toBe(key)
  expect(checkKey({ address }, UUID.replace('a', 'b'))).not.toBe(key)
  expect(checkKey({ address: other }, UUID)).not.toBe(key)
})
