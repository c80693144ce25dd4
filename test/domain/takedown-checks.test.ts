import { expect, it } from 'vitest'
import { checkAddress } from '../../src/bot/views/check-facts.ts'
import {
  displayTarget,
  isTakedownCheck,
  takedownCheckName,
  takedownQuestion,
} from '../../src/domain/takedown-checks.ts'

it('defangs the target of a takedown check, but no other target', () => {
  const name = takedownCheckName('login.evil.example', '7e57ed00-0000-4000-8000-000000000002')
  expect(isTakedownCheck({ name })).toBe(true)
  expect(takedownQuestion({ name })?.answers[0]?.line).toBe('/threat down 7e57ed00000040008000000000000002')
  expect(takedownQuestion({ name: 'Takedown shop' })).toBeUndefined()
  expect(displayTarget({ name, target: 'https://login.evil.example/a.b' })).toBe(
    'hxxps://login[.]evil[.]example/a[.]b',
  )
  const check = { protocol: 'HTTPS', target: 'https://login.evil.example/' }
  expect(checkAddress({ ...check, name })).toBe('HTTPS login[.]evil[.]example/')
  expect(checkAddress({ ...check, name: 'Shop' })).toBe('HTTPS login.evil.example/')
})
