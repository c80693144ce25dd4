// Takes the screenshot in the README: `node docs/write-picture.ts`.
import { join } from 'node:path'
import { chromiumPath, openBrowser } from '../src/browser/index.ts'
import { buildPage } from '../src/browser/open-page.ts'
import { createDriver } from '../src/driver.ts'
import { startPlayground } from '../src/program/start.ts'

const resolvePath = (name: string) => join(import.meta.dirname, name)
const executable = chromiumPath()
if (!executable) throw new Error('No Chromium was found. Set CHROMIUM_PATH to its path.')

await buildPage()
await using playground = await startPlayground({
  signingSecret: 'picture',
  manifestPath: resolvePath('../test/manifest.yml'),
  rate: 'off',
})
const slack = createDriver(playground.url)
await slack.load({
  people: [{ name: 'ann', realName: 'Ann Example' }],
  channels: [{ name: 'general', members: ['ann'] }],
  history: [{ channel: 'general', user: 'ann', text: 'Is everything up?' }],
})

async function post(body: object): Promise<void> {
  const headers = { authorization: `Bearer ${playground.botToken}`, 'content-type': 'application/json' }
  const response = await fetch(`${playground.apiUrl}chat.postMessage`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ channel: 'C0GENERAL1', ...body }),
  })
  await response.arrayBuffer()
}
const row = (...texts: string[]) => texts.map((text) => ({ type: 'raw_text', text }))
const STATES = [row('api', 'down'), row('web', 'up'), row('mail', 'up'), row('dns', 'up')]
const button = (text: string) => ({ type: 'button', action_id: text, text: { type: 'plain_text', text } })
await post({
  text: 'Three of four are up',
  blocks: [
    { type: 'header', text: { type: 'plain_text', text: 'Three of four are up' } },
    { type: 'data_table', caption: 'Health checks', rows: [row('Name', 'State'), ...STATES] },
    { type: 'actions', elements: [button('Refresh'), button('Acknowledge')] },
  ],
})
await post({ text: 'x', blocks: [{ type: 'header' }] })

const browser = await openBrowser(executable)
const page = await browser.newPage({ viewport: { width: 1280, height: 720 } })
await page.goto(playground.url)
await page.getByText('Three of four are up').first().waitFor()
await page.getByRole('button', { name: 'Inspector' }).click()
await page.getByText('invalid_blocks').first().click()
await page.screenshot({ path: resolvePath('picture.png') })
await browser.close()
