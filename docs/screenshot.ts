import { join } from 'node:path'
import { buildPage, chromiumPath, openBrowser, type Page } from '@signalman/playground/browser'
import { TOUR } from '../src/demo/tour.ts'
import { startWorld } from '../test/world.ts'

/** Takes the README's pictures from the playground, with the seeded sandbox behind it: `npm run screenshot`. */
const SIZE = { width: 1280, height: 900 }
/** A threat event's card is to be read whole in both. */
const CARD_SIZES = [
  { width: 1280, height: 720 },
  { width: 390, height: 844 },
] as const
/** A seeded event with a look-alike domain. */
const THREAT = '7e57ed00-0000-4000-8000-000000000002'

async function type(page: Page, line: string, until: string): Promise<void> {
  const composer = page.getByRole('textbox', { name: 'Message' })
  await composer.fill(line)
  await composer.press('Enter')
  await page.getByText(until).last().waitFor()
}

const executable = chromiumPath()
if (!executable) throw new Error('No Chromium was found; CHROMIUM_PATH names one.')

await buildPage()
const browser = await openBrowser(executable)
for (const colorScheme of ['light', 'dark'] as const) {
  await using world = await startWorld({
    sandbox: { seed: true, checking: true },
    playground: { tour: TOUR },
  })
  const page = await browser.newPage({ viewport: SIZE, colorScheme, deviceScaleFactor: 1 })
  await page.goto(world.playground.url)
  await page.getByRole('button', { name: 'Close the tour' }).click()
  await type(page, '/hc', 'As of')
  await page.screenshot({ path: join(import.meta.dirname, `health-checks-${colorScheme}.png`) })
  await page.getByRole('button', { name: 'Tour' }).click()
  await page.getByText('1 of').waitFor()
  await page.screenshot({ path: join(import.meta.dirname, `tour-${colorScheme}.png`) })
  await page.close()
}

for (const viewport of CARD_SIZES) {
  await using world = await startWorld({ sandbox: { seed: true } })
  const page = await browser.newPage({ viewport, colorScheme: 'light', deviceScaleFactor: 1 })
  await page.goto(world.playground.url)
  await type(page, `/threat ${THREAT}`, 'Registered')
  await page.getByRole('img', { name: /^Screenshot of the page/ }).waitFor()
  await page.screenshot({ path: join(import.meta.dirname, `threat-card-${viewport.width}.png`) })
  await page.close()
}
await browser.close()
