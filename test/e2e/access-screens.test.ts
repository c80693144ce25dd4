import { findAxeViolations } from '@signalman/playground/browser'
import { describe, expect, it } from 'vitest'
import { EVERYONE } from '../../src/domain/roles.ts'
import { eitherOf } from '../long.ts'
import { startWorld, WORKSPACE, type World } from '../world.ts'
import { hasBrowser, startBrowsing, typeLine } from './browsing.ts'

const MEMBER = 'U0MEMBER01'
const ADMIN = 'U0ADMIN001'
const DAY_MS = 86_400_000

/** Roles of a person, of a group, of someone who has left, and one that ends. */
async function giveRoles({ app }: World): Promise<void> {
  const { grants } = app.store
  for (const role of ['operator', 'approver', 'admin'] as const)
    await grants.remove(WORKSPACE, role, EVERYONE)
  const now = new Date()
  await grants.add(WORKSPACE, 'admin', { kind: 'user', id: MEMBER }, ADMIN, now)
  await grants.add(WORKSPACE, 'operator', { kind: 'group', id: 'S0ONCALL01' }, ADMIN, now)
  await grants.add(WORKSPACE, 'operator', { kind: 'user', id: 'U0LEFT0001' }, ADMIN, now)
  const endsAt = new Date(now.getTime() + 14 * DAY_MS)
  await grants.add(WORKSPACE, 'approver', { kind: 'user', id: ADMIN }, ADMIN, now, { endsAt })
}

describe.skipIf(!hasBrowser)('the access screen', () => {
  const browsing = startBrowsing()

  it.each(
    eitherOf([
      { width: 1280, height: 800 },
      { width: 390, height: 800 },
    ]),
  )(
    'has no violations of axe, in light and dark, at $width × $height',
    { timeout: 180_000 },
    async (size) => {
      await using world = await startWorld()
      await giveRoles(world)
      const page = await browsing.open(world.playground.url, size)
      await typeLine(page, '/hc access')
      await page.getByText('roles given').last().waitFor()
      expect(await findAxeViolations(page)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(size.width)
      await page.emulateMedia({ colorScheme: 'dark' })
      expect(await findAxeViolations(page)).toEqual([])
    },
  )
})
