import { expect, it } from 'vitest'
import { readObject, writeGrant, writeObject, writeShared } from '../../../src/bot/audit/object-text.ts'

const ID = '3f2a9c54-7d1e-4b8a-9c3f-5e6d7a8b9c0d'

it.each([
  [
    { object: `health-check ${ID}`, objectName: 'Shop' },
    { kind: 'health-check', name: 'Shop' },
  ],
  [{ object: `health-check ${ID}`, objectName: 'Shop (EU)\nnew' }, { name: 'Shop (EU)\nnew' }],
  [
    { object: `outage ${ID}, ${ID}`, objectName: 'a, b' },
    { kind: 'outage', name: 'a, b' },
  ],
  [{ object: `threat event ${ID}` }, { kind: 'threat event', name: undefined }],
  [
    { object: 'watch abcdefghijklmnopqrst-_', objectName: 'all' },
    { kind: 'watch', name: 'all' },
  ],
])('reads what an entry is about: %o', (about, expected) => {
  expect(readObject(writeObject(about))).toMatchObject({ ...expected, suffix: '' })
  const inOte = { ...about, environment: 'ote' } as const
  expect(readObject(writeObject(inOte))).toMatchObject({ ...expected, suffix: ' (OTE)' })
})

it('reads whose role, and which line was shared', () => {
  const member = { kind: 'user', id: 'U0MEMBER01' } as const
  expect(readObject(writeGrant({ role: 'operator', subject: member }))).toEqual({
    role: 'operator',
    subject: 'U0MEMBER01',
  })
  expect(readObject(writeShared('/hc list\nshop'))).toEqual({ line: '/hc list\nshop' })
  expect(readObject(writeObject({ object: 'approvals' }))).toBeUndefined()
})
