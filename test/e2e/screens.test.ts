import { findAxeViolations, type Page } from '@signalman/playground/browser'
import { describe, expect, it } from 'vitest'
import { EVERYONE } from '../../src/domain/roles.ts'
import { untilPolled } from '../features/watching/watched-world.ts'
import { addGrant, removeGrant } from '../give-role.ts'
import { everyNthOf } from '../long.ts'
import { startWorld, WORKSPACE, type World } from '../world.ts'
import { hasBrowser, SIZES, startBrowsing, typeLine } from './browsing.ts'

/** A seeded event with hostile texts. */
const HOSTILE = '7e57ed00-0000-4000-8000-000000000007'
/** The person whose page it is, and one more. */
const MEMBER = 'U0MEMBER01'
const ADMIN = 'U0ADMIN001'
const CHECK = 'Bank open API'
const DAY_MS = 86_400_000

/** What is shown on each screen, after what a person does to see it. */
type Screens = readonly (readonly [name: string, show: (page: Page, world: World) => Promise<void>])[]

const answers = (line: string, until: string) => async (page: Page) => {
  await typeLine(page, line)
  // The options of a menu have texts, too, and are hidden.
  await page.getByText(until).filter({ visible: true }).last().waitFor()
}

const form = (line: string, title: RegExp) => async (page: Page) => {
  await typeLine(page, line)
  await page.getByRole('dialog', { name: title }).locator('input, textarea, select').first().waitFor()
}

async function setStatus({ service }: World, status: 'HEALTHY' | 'UNHEALTHY'): Promise<void> {
  const [check] = await service.checksNamed(CHECK)
  await service.setStatus(check?.uuid ?? '', status)
}

/** Opens App Home or a channel. On a narrow screen, the sidebar opens first. */
async function open(page: Page, name: string | RegExp): Promise<void> {
  const entry = page.getByRole('button', { name })
  if ((await entry.count()) === 0) await page.getByRole('button', { name: 'Channels' }).click()
  await entry.click()
}

async function openHome(page: Page): Promise<void> {
  await open(page, /Home$/)
  await page.getByRole('region', { name: /Home$/ }).getByRole('button').first().waitFor()
}

async function giveRoles({ app }: World): Promise<void> {
  const now = new Date()
  await addGrant(app.store, WORKSPACE, 'admin', { kind: 'user', id: MEMBER }, ADMIN, now)
  await addGrant(app.store, WORKSPACE, 'operator', { kind: 'group', id: 'S0ONCALL01' }, ADMIN, now)
  await addGrant(app.store, WORKSPACE, 'operator', { kind: 'user', id: 'U0LEFT0001' }, ADMIN, now)
  const endsAt = new Date(now.getTime() + 14 * DAY_MS)
  await addGrant(app.store, WORKSPACE, 'approver', { kind: 'user', id: ADMIN }, ADMIN, now, { endsAt })
}

const WATCHING: Screens = [
  ['the status', answers('/hc', 'The service answered')],
  ['a list', answers('/hc list', 'Page 1')],
  ['the help', answers('/hc help', '/hc list')],
  ['no watches', answers('/hc watches', 'Nothing is watched')],
  ['a new watch', answers('/hc watch all --escalate "60m @on-call"', 'now watches')],
  [
    'the card of an outage',
    async (page, world) => {
      await untilPolled(world)
      await setStatus(world, 'UNHEALTHY')
      await page.getByText(`${CHECK} is down`).first().waitFor()
    },
  ],
  ['what is down', answers('/hc down', '· down')],
  ['a page', answers(`/hc page "${CHECK}"`, '@on-call')],
  [
    'a recovery',
    async (page, world) => {
      await setStatus(world, 'HEALTHY')
      await page.getByText('up again').first().waitFor()
      await page
        .getByRole('button', { name: /1 reply|replies/ })
        .last()
        .click()
      await page.getByRole('complementary').getByText('up again').last().waitFor()
    },
  ],
  ['the history', answers('/hc history', 'last 7 days')],
  ['the form of a watch', form('/hc watch-edit', /watch/i)],
]

const FORMS: Screens = [
  ['the form of a health check', form('/hc create', /check/i)],
  ['the preview of many changes', answers('/hc edit shop* --frequency 30', '? This would ')],
  ['the card of a threat event', answers(`/threat ${HOSTILE}`, 'Details')],
  [
    'the preview of an import',
    async (page) => {
      await typeLine(page, '/hc import')
      const dialog = page.getByRole('dialog')
      const buffer = Buffer.from('name,frequency\nShop 1,30\n')
      const file = { name: 'checks.csv', mimeType: 'text/csv', buffer }
      await dialog.locator('input[type=file]').setInputFiles(file)
      await dialog.getByText('checks.csv').waitFor()
      await dialog.getByRole('button', { name: 'Check the file' }).click()
      await dialog.getByText('every 60 s → every 30 s').first().waitFor()
    },
  ],
]

const ACCESS: Screens = [
  ['the Home of a viewer', openHome],
  [
    'the access of a viewer',
    async (page) => {
      await open(page, 'general')
      await answers('/hc access', 'Every member')(page)
    },
  ],
  [
    'the Home of an admin',
    async (page, world) => {
      await giveRoles(world)
      await openHome(page)
      await page.getByRole('button', { name: 'Roles' }).waitFor()
    },
  ],
  [
    'the access of an admin',
    async (page) => {
      await open(page, 'general')
      await answers('/hc access', 'roles given')(page)
    },
  ],
]

describe.skipIf(!hasBrowser)('the screens of the app', () => {
  const browsing = startBrowsing()

  it.each(
    everyNthOf(
      3,
      SIZES.flatMap((size) =>
        Object.entries({ watching: WATCHING, forms: FORMS, access: ACCESS }).map(([story, screens]) => ({
          ...size,
          story,
          screens,
        })),
      ),
    ),
  )(
    'have no violations of axe in light and dark, and fit: $story, at $width × $height',
    async ({ width, height, screens }) => {
      await using world = await startWorld({
        sandbox: { seed: screens === FORMS },
        checks: [
          { name: CHECK, target: 'https://api.bank.example/health', status: 'HEALTHY' },
          ...Array.from({ length: 20 }, (_, index) => ({
            name: `Shop ${index + 1}`,
            target: `https://shop-${index}.example.com`,
            status: 'HEALTHY' as const,
          })),
        ],
        watchEveryMs: 200,
      })
      if (screens === ACCESS)
        for (const role of ['operator', 'approver', 'admin'] as const)
          await removeGrant(world.app.store, WORKSPACE, role, EVERYONE)
      const page = await browsing.open(world.playground.url, { width, height })
      await page.getByRole('textbox', { name: 'Message' }).waitFor()
      for (const [name, show] of screens) {
        await show(page, world)
        expect(await findAxeViolations(page), name).toEqual([])
        expect(await page.evaluate('document.documentElement.scrollWidth'), name).toBe(width)
        // A form that the next screen doesn't continue.
        if (!name.startsWith('the form of a ')) continue
        await page.keyboard.press('Escape')
        await page.getByRole('dialog').waitFor({ state: 'detached' })
      }
    },
  )
})
