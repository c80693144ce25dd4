import { describe, expect, it } from 'vitest'
import { eitherOf } from '../long.ts'
import { startWorld } from '../world.ts'
import { hasBrowser, startBrowsing, typeLine } from './browsing.ts'

const LONG_NAME = 'The storefront of the outlet in the old town with its own stock and its own checkout'

/** An expression: how many lines each cell with this text takes. */
const countLines = (text: string): string => `
  [...document.querySelectorAll('.table-scroll td')]
    .filter(({ textContent }) => textContent.includes(${JSON.stringify(text)}))
    .map((cell) => {
      const range = document.createRange()
      range.selectNodeContents(cell)
      return new Set([...range.getClientRects()].map(({ bottom }) => Math.round(bottom / 8))).size
    })`

describe.skipIf(!hasBrowser)('the list of health checks', () => {
  const browsing = startBrowsing()

  it.each(
    eitherOf([
      { width: 1280, height: 800 },
      { width: 390, height: 800 },
    ]),
  )(
    'wraps names and targets rather than a status, at $width × $height',
    { timeout: 120_000 },
    async (size) => {
      await using world = await startWorld({
        checks: [1, 2].map((number) => ({
          name: `${LONG_NAME} ${number}`,
          target: `https://outlet.example.com/${'health/'.repeat(12)}${number}`,
          status: 'UNHEALTHY',
        })),
      })
      await world.slack.member.command('/hc', 'maintenance The* --from now --for 1h --everywhere', {
        until: 'Maintenance:',
      })
      const page = await browsing.open(world.playground.url, size)
      await typeLine(page, '/hc list')
      const table = page.getByRole('group', { name: 'Table' }).last()
      await table.waitFor()
      expect(await page.evaluate(countLines('down, in maintenance'))).toEqual([1, 1])
      // Cast, because the result of an expression has no type.
      const nameLines = (await page.evaluate(countLines(LONG_NAME))) as number[]
      expect(nameLines).toHaveLength(2)
      for (const lines of nameLines) expect(lines).toBeGreaterThan(1)
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(size.width)
    },
  )
})
