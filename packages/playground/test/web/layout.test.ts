import { describe, expect, it } from 'vitest'
import { startWorld } from '../app.ts'
import { hasBrowser, useBrowser } from './use-browser.ts'

const GENERAL = 'C0GENERAL1'

describe.skipIf(!hasBrowser)('the layout of the page', () => {
  const browser = useBrowser()

  it('wraps long words and code on a phone', async () => {
    await using world = await startWorld(undefined, { rate: 'off' })
    const word = 'pneumonoultramicroscopicsilicovolcanoconiosis'.repeat(3)
    const blocks = [
      { type: 'header', text: { type: 'plain_text', text: word } },
      {
        type: 'section',
        text: { type: 'mrkdwn', text: `\`${word}\`\n\`\`\`{ "a": "${word}" }\`\`\`` },
        fields: [word, `\`${word}\``].map((text) => ({ type: 'mrkdwn', text })),
      },
      { type: 'context', elements: [{ type: 'mrkdwn', text: word }] },
    ]
    await world.api('chat.postMessage', { channel: GENERAL, text: 'x', blocks })
    await world.api('chat.postMessage', { channel: GENERAL, text: 'After it' })
    const page = await browser.open(world.playground.url, { viewport: { width: 390, height: 1600 } })
    await page.getByText('After it').waitFor()
    expect(await page.locator('.message').count()).toBe(2)
    const tooWide = await page
      .locator('.message *')
      .evaluateAll((elements) =>
        elements.flatMap(({ scrollWidth, clientWidth, className }) =>
          clientWidth > 1 && scrollWidth > clientWidth + 1 ? [className] : [],
        ),
      )
    expect(tooWide).toEqual([])
  })
})
